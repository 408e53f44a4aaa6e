"""Choose runs, send requests to them in parallel, and follow the replies."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue

import msgspec

from handrail.cli.history.runs import KnownRun, KnownRuns
from handrail.control.client import ControlConnection, UnreachableError, request_stages
from handrail.control.message import Ack, Request, Result
from handrail.control.transitions import THEN, transition
from handrail.model.control import ControlCommand, Standing
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.run_state import RunState

_AT_ONCE = 32
_FORGOTTEN = 24 * 60 * 60
"""A killed session never reports its end, so --all skips it after a day."""


class ChosenRuns(msgspec.Struct, frozen=True):
    """The runs that get a command, and the others with the reason."""

    runs: tuple[KnownRun, ...]
    left_out: tuple[tuple[KnownRun, str], ...] = ()
    among: int = 1
    """The number of runs to choose from."""
    fleets: frozenset[str] | None = None
    """Those that stand for a fleet; None: the user named the run."""

    def takes_choice(self, run: KnownRun, command: ControlCommand) -> bool:
        """Return whether a run gets the choice of a command: of all runs, fleets wait for the
        end of iterations."""
        return self.fleets is None or not command.spec.for_fleet or run.id in self.fleets


def choose_one(runs: KnownRuns, store: Store, command: ControlCommand, typed: str) -> ChosenRuns:
    """Choose the run that the user means; of a project, the latest that can take the command."""
    meant = runs.meant(typed)
    able = (run for run in meant if _is_able(read_state(store, run.id, []), command))
    run = next(able, meant[0]) if len(meant) > 1 else meant[0]
    return ChosenRuns((run,), among=len(meant))


def choose_all(runs: KnownRuns, store: Store, command: ControlCommand, now: float) -> ChosenRuns:
    """Choose every active run that can take the command."""
    chosen: list[KnownRun] = []
    left_out: list[tuple[KnownRun, str]] = []
    loops: dict[str, LoopState | None] = {}
    for run in runs:
        state = read_state(store, run.id, [])
        if not state.active or _is_forgotten(state, now):
            continue
        if why := _why_not(state, command):
            left_out.append((run, why))
        else:
            chosen.append(run)
            loops[run.id] = state.loop
    fleets = frozenset(name for name, loop in loops.items() if loop is not None and loop.is_fleet)
    # A fleet gives the command on to the runs of its tasks.
    alone = [
        each for each in chosen if (loop := loops[each.id]) is None or loop.parent not in fleets
    ]
    return ChosenRuns(tuple(alone), tuple(left_out), len(runs), fleets)


def _parent(loop: LoopState | None) -> str:
    return "" if loop is None else loop.parent


def _is_able(state: RunState, command: ControlCommand) -> bool:
    return state.active and not _why_not(state, command)


def _is_forgotten(state: RunState, now: float) -> bool:
    held = state.hand.standing != Standing.RUNNING
    return now - state.changed > _FORGOTTEN and not held and state.loop is None


def _why_not(state: RunState, command: ControlCommand) -> str:
    """Return why a run cannot take the command, or ""."""
    standing = state.hand.standing
    if transition(standing, command) is None or THEN.get(command) == standing:
        return f"it is {standing.value}"
    if command.spec.no_driver and state.loop is None:
        return "it was not started by handrail run"
    if state.loop is not None and state.loop.is_fleet and not command.spec.for_fleet:
        return "it stands for a fleet"
    return ""


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
