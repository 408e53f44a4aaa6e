"""Freeze the processes of a run, and thaw them; check both."""

import signal
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial

import msgspec
import psutil

from handrail.intervene.processes.process_tree import (
    GONE,
    ProcessFamily,
    ProcessIdentity,
    describe_process,
    is_same_moment,
    send_signal,
    start_time,
)

_SECONDS = 5.0
_POLL = 0.01
_CALM = 2
"""Rounds in a row without movement or new processes before a freeze counts."""
_TURN = 0.02
"""Seconds for one process to stop before the next one gets its signal."""
_SETTLE = 0.5
"""Seconds for a program that lost its terminal to a shell to stop again."""
_STILL = frozenset({psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP})
_DEAD = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})


class FreezeResult(msgspec.Struct, frozen=True):
    """The result of a freeze."""

    stopped: tuple[ProcessIdentity, ...] = ()
    """The processes that this freeze stopped; a thaw touches no others."""
    all: tuple[str, ...] = ()
    """All stopped processes, each as `pid command`."""
    loose: tuple[str, ...] = ()
    """Processes that could not be stopped. If there is one, all others were thawed again."""


class ThawResult(msgspec.Struct, frozen=True):
    """The result of a thaw, each process as `pid command`."""

    going: tuple[str, ...] = ()
    still: tuple[str, ...] = ()
    """Processes that are still stopped, or stopped again."""


def stopped_processes(
    family: ProcessFamily, but: Collection[ProcessIdentity] = ()
) -> tuple[ProcessIdentity, ...]:
    """Return the stopped processes of a run, except some.

    Somebody else stopped those from before a freeze, and they stay so. If a freeze left no record,
    it has stopped all others.
    """
    members = [each for each in family.look() if _stands(each)]
    return tuple(_still(each) for each in members if not _is_among(each, but))


def freeze_processes(
    family: ProcessFamily, before: Collection[ProcessIdentity] = (), *, seconds: float = _SECONDS
) -> FreezeResult:
    """Stop all processes of a run until none moves and none is new, or thaw them all again.

    `before`: processes that stood still already. If one goes on meanwhile, it is stopped too, and
    thawed with the others.
    """
    freezing = _Freezing(family, before)
    until = time.monotonic() + seconds
    calm = 0
    while calm < _CALM:
        restless = freezing.round(until)
        calm = 0 if restless else calm + 1
        if restless and time.monotonic() > until:
            kept = _let_go(freezing.ours, family.text)
            stuck = tuple(_still(each) for each in freezing.ours if _is_stopped(each))
            return FreezeResult(stuck, kept.still, tuple(map(family.text, restless)))
    members, ours = freezing.members, freezing.ours
    stopped = tuple(_still(each) for each in members if each in ours)
    return FreezeResult(stopped, tuple(map(family.text, members)))


def thaw_processes(stopped: Iterable[ProcessIdentity]) -> ThawResult:
    """Thaw processes that are still the same; ended ones stay ended."""
    found = [_find(each) for each in stopped]
    return _let_go([each for each in found if each is not None], describe_process)


class _Freezing:
    """A freeze that is under way."""

    def __init__(self, family: ProcessFamily, before: Collection[ProcessIdentity]) -> None:
        self._family = family
        self._before = set(before)
        self._seen: dict[psutil.Process, None] = {}
        self.members: list[psutil.Process] = []
        """The live members at the last look."""

    @property
    def ours(self) -> list[psutil.Process]:
        """Return all members except those that somebody else has stopped."""
        return [each for each in self._seen if not _is_among(each, self._before)]

    def round(self, until: float) -> list[psutil.Process]:
        """Look once and stop moving members; return those that moved or are new."""
        self.members = self._family.look()
        restless = [each for each in self.members if each not in self._seen or not _stands(each)]
        new = restless
        while new and time.monotonic() < until:
            self._stop(new, until)
            new = self._family.newcomers()
            restless += new
        return restless

    def _stop(self, processes: Iterable[psutil.Process], until: float) -> None:
        # The oldest first: a parent that still runs could take its stopped child for one that a
        # person has stopped, and act on it, as shells do.
        for process in sorted(processes, key=_age):
            self._seen[process] = None
            if _stands(process):
                continue
            self._before = {each for each in self._before if not _is(process, each)}
            send_signal([process], signal.SIGSTOP)
            _wait(partial(_stands, process), min(_TURN, until - time.monotonic()))


def _let_go(
    processes: Collection[psutil.Process], text: Callable[[psutil.Process], str]
) -> ThawResult:
    """Continue processes, and check that they run."""
    # The youngest first: a parent must not find its child stopped.
    send_signal(sorted(processes, key=_age, reverse=True), signal.SIGCONT)
    _wait(lambda: not any(map(_is_stopped, processes)), _SETTLE)
    if any(map(_has_terminal, processes)):
        _wait(lambda: any(map(_is_stopped, processes)), _SETTLE)
    alive = [each for each in processes if _is_alive(each)]
    still = [each for each in alive if _is_stopped(each)]
    going = [each for each in alive if each not in still]
    return ThawResult(tuple(map(text, going)), tuple(map(text, still)))


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    pause = _POLL / 100
    while not condition() and time.monotonic() < until:
        time.sleep(pause)
        pause = min(pause * 2, _POLL)


def _stands(process: psutil.Process) -> bool:
    """Return whether a process is stopped."""
    try:
        status = process.status()
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False
    if status == psutil.STATUS_DISK_SLEEP:
        return _waits_for_child(process)
    return status in _STILL or status in _DEAD


def _waits_for_child(process: psutil.Process) -> bool:
    """Return whether it waits in vfork for a stopped child.

    Until the child runs another program, the kernel holds the parent, which does not look
    stopped.
    """
    with suppress(*GONE):
        line = process.cmdline()
        children = process.children()
        return any(_is_stopped(each) and each.cmdline() == line for each in children)
    return True


def _is_stopped(process: psutil.Process) -> bool:
    with suppress(*GONE):
        return process.is_running() and process.status() == psutil.STATUS_STOPPED
    return False


def _is_alive(process: psutil.Process) -> bool:
    with suppress(*GONE):
        return process.is_running() and process.status() not in _DEAD
    return False


def _has_terminal(process: psutil.Process) -> bool:
    """Return whether a terminal controls it; psutil knows only terminals from its first call."""
    with suppress(OSError), open(f"/proc/{process.pid}/stat", "rb") as file:
        number = file.read().rpartition(b")")[2].split()[4]
        return number != b"0"
    with suppress(*GONE):
        return process.terminal() is not None
    return False


def _began(process: psutil.Process) -> float:
    with suppress(*GONE):
        return start_time(process)
    return 0.0


def _age(process: psutil.Process) -> tuple[float, int]:
    """Return a key to sort by age; the number decides between equal start times."""
    return _began(process), process.pid


def _still(process: psutil.Process) -> ProcessIdentity:
    return ProcessIdentity(process.pid, _began(process))


def _is(process: psutil.Process, still: ProcessIdentity) -> bool:
    return process.pid == still.pid and is_same_moment(_began(process), still.began)


def _is_among(process: psutil.Process, stills: Iterable[ProcessIdentity]) -> bool:
    return any(_is(process, each) for each in stills)


def _find(still: ProcessIdentity) -> psutil.Process | None:
    with suppress(*GONE, ValueError):
        process = psutil.Process(still.pid)
        return process if _is(process, still) else None
    return None
