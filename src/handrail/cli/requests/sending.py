"""Requests on their way: to which runs, several at a time, and how far each has come."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue

import msgspec

from handrail.cli.history.runs import KnownRun, KnownRuns
from handrail.control.client import ControlConnection, UnreachableError, stages
from handrail.control.message import Ack, Request, Result
from handrail.control.transitions import THEN, transition
from handrail.model.control import ControlCommand, Standing
from handrail.store.port import Store
from handrail.supervise.state import RunState
from handrail.supervise.state_reader import read_state

_AT_ONCE = 32
_FORGOTTEN = 24 * 60 * 60
"""A session that was killed never says that it ended: after a day nobody is there, it seems."""


class ChosenRuns(msgspec.Struct, frozen=True):
    """Whom a command goes to, and who is left out, why."""

    runs: tuple[KnownRun, ...]
    left_out: tuple[tuple[KnownRun, str], ...] = ()
    among: int = 1
    """Of how many runs they were chosen."""


def choose_one(runs: KnownRuns, store: Store, command: ControlCommand, typed: str) -> ChosenRuns:
    """The run that a person means; of a project, the last one that can be told so now."""
    meant = runs.meant(typed)
    able = (run for run in meant if _is_able(read_state(store, run.id, []), command))
    run = next(able, meant[0]) if len(meant) > 1 else meant[0]
    return ChosenRuns((run,), among=len(meant))


def choose_all(runs: KnownRuns, store: Store, command: ControlCommand, now: float) -> ChosenRuns:
    """Every run that is under way and can be told so now."""
    chosen: list[KnownRun] = []
    left_out: list[tuple[KnownRun, str]] = []
    for run in runs:
        state = read_state(store, run.id, [])
        if not state.active or _is_forgotten(state, now):
            continue
        if why := _why_not(state, command):
            left_out.append((run, why))
        else:
            chosen.append(run)
    return ChosenRuns(tuple(chosen), tuple(left_out), len(runs))


def _is_able(state: RunState, command: ControlCommand) -> bool:
    return state.active and not _why_not(state, command)


def _is_forgotten(state: RunState, now: float) -> bool:
    held = state.hand.standing != Standing.RUNNING
    return now - state.changed > _FORGOTTEN and not held and state.loop is None


def _why_not(state: RunState, command: ControlCommand) -> str:
    """Why a command is not sent to one of many; empty: it is."""
    standing = state.hand.standing
    if transition(standing, command) is None or THEN.get(command) == standing:
        return f"it is {standing.value}"
    if command.spec.no_driver and state.loop is None:
        return "handrail run has not started it"
    return ""


class SentRequest(msgspec.Struct):
    """A request to one run, and how far it has come."""

    run: KnownRun
    request: Request
    acknowledged: bool = False
    result: Result | None = None
    unreachable: str = ""
    """Why nobody has taken it."""
    over: bool = False
    """Nothing more is awaited."""

    @property
    def command(self) -> ControlCommand:
        """What was asked for."""
        return ControlCommand(self.request.command)


News = tuple[SentRequest, Ack | Result | None]


def follow(line: ControlConnection, all_sent: list[SentRequest], seconds: float) -> Iterator[News]:
    """Send requests, and give each as it gets further, with the message that tells so.

    Ends when nothing more is awaited: who has no result by then was not quick enough.
    """
    news: Queue[News] = Queue()
    left = Queue[SentRequest]()
    for sent in all_sent:
        left.put(sent)

    def work() -> None:
        with suppress(Empty):
            while True:
                _send(line, left.get_nowait(), seconds, news)

    # Daemons: who leaves with Ctrl+C does not wait for them.
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
        for message in stages(line, sent.request, seconds=seconds):
            news.put((sent, message))
    except UnreachableError as error:
        sent.unreachable = str(error)
    except Exception as error:  # noqa: BLE001 - told, like all that goes wrong with it
        sent.unreachable = f"{type(error).__name__}: {error}"
    finally:
        news.put((sent, None))
