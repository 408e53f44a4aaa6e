"""Choose runs, send requests to them in parallel, and follow the replies."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue

import msgspec

from handrail.cli.history.runs import KnownRun, KnownRuns
from handrail.control.client import ControlConnection, UnreachableError, request_stages
from handrail.control.message import Ack, Request, Result
from handrail.model.control import ControlCommand
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.run_state import RunState
from handrail.views.commandable_runs import (
    commandable_runs,
    why_not_commandable,
)

_AT_ONCE = 32


class ChosenRuns(msgspec.Struct, frozen=True):
    """The runs that get a command, and the others with the reason."""

    runs: tuple[KnownRun, ...]
    left_out: tuple[tuple[KnownRun, str], ...] = ()
    among: int = 1
    """The number of runs to choose from."""
    fleets: frozenset[str] | None = None
    """Those that stand for a fleet; None: the user named the run."""

    def takes(self, choice: str, run: KnownRun, command: ControlCommand) -> bool:
        """Return whether a run takes a choice; the daemon answers for one that the user named."""
        if self.fleets is None:
            return True
        return choice in command.spec.choice.values_for(is_fleet=run.id in self.fleets)


def choose_one(runs: KnownRuns, store: Store, command: ControlCommand, typed: str) -> ChosenRuns:
    """Choose the run that the user means; of a project, the latest that can take the command."""
    meant = runs.meant(typed)
    able = (run for run in meant if _is_able(read_state(store, run.id, []), command))
    run = next(able, meant[0]) if len(meant) > 1 else meant[0]
    return ChosenRuns((run,), among=len(meant))


def choose_all(runs: KnownRuns, store: Store, command: ControlCommand, now: float) -> ChosenRuns:
    """Choose every active run that can take the command."""
    known = {run.id: run for run in runs}
    found = commandable_runs(store, known, command, now)
    return ChosenRuns(
        tuple(known[run] for run in found.runs),
        tuple((known[run], why) for run, why in found.left_out),
        len(runs),
        found.fleets,
    )


def _is_able(state: RunState, command: ControlCommand) -> bool:
    return state.active and not why_not_commandable(state, command)


class SentRequest(msgspec.Struct):
    """A request to one run, and its progress."""

    run: KnownRun
    request: Request
    acknowledged: bool = False
    result: Result | None = None
    unreachable: str = ""
    """Why the daemon did not get it."""
    over: bool = False
    """No more messages will come."""

    @property
    def command(self) -> ControlCommand:
        """The command of the request."""
        return ControlCommand(self.request.command)


News = tuple[SentRequest, Ack | Result | None]


def follow_requests(
    line: ControlConnection, all_sent: list[SentRequest], seconds: float
) -> Iterator[News]:
    """Send requests, and yield each message with its request; None ends a request.

    A request without a result at the end was not confirmed in time.
    """
    news: Queue[News] = Queue()
    left = Queue[SentRequest]()
    for sent in all_sent:
        left.put(sent)

    def work() -> None:
        with suppress(Empty):
            while True:
                _send(line, left.get_nowait(), seconds, news)

    # Daemon threads, so that Ctrl+C does not wait for them.
    for _ in range(min(len(all_sent), _AT_ONCE)):
        threading.Thread(target=work, daemon=True).start()
    waiting = len(all_sent)
    while waiting:
        sent, message = news.get()
        if isinstance(message, Ack):
            sent.acknowledged = True
        elif isinstance(message, Result):
            sent.result = message
        if message is None:
            sent.over = True
            waiting -= 1
        yield sent, message


def _send(line: ControlConnection, sent: SentRequest, seconds: float, news: "Queue[News]") -> None:
    try:
        for message in request_stages(line, sent.request, seconds=seconds):
            news.put((sent, message))
    except UnreachableError as error:
        sent.unreachable = str(error)
    except Exception as error:  # noqa: BLE001 - reported like every other failure
        sent.unreachable = f"{type(error).__name__}: {error}"
    finally:
        news.put((sent, None))
