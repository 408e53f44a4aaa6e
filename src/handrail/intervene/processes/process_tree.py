"""Find and end the processes of a run, and check the result."""

import os
import signal
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

import msgspec
import psutil

from handrail.intervene.processes.control_group import members_of
from handrail.model.decodable import decodable

_POLITE = 0.4
"""The share of the time for processes to end by themselves."""
_POLL = 0.02
_CALM = 2
"""Looks in a row that must find no process."""
_MAX_NEW = 5
"""Helpers that a process may start while it ends."""
_CLIENT_SECONDS = 600.0
"""Maximal age of a hook's client: a person may hold its call that long."""
_SAME_SECONDS = 1.5
_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_TEXT = 200
GONE = (psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError, PermissionError)
"""Errors about a process that has ended meanwhile, or belongs to another user."""


@decodable
class ProcessIdentity(msgspec.Struct, frozen=True):
    """A process: its number and its start, because the system reuses numbers."""

    pid: int
    began: float
    """Seconds since the machine started: setting the clock does not change it."""


class EndedProcesses(msgspec.Struct, frozen=True):
    """The result of ending a run's processes, each as `pid command`."""

    ended: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """Processes that could not be ended in time."""


class _SeenProcess(msgspec.Struct, frozen=True):
    """A process of this user at one moment."""

    process: psutil.Process
    parent: int
    began: float


def identity_of(pid: int) -> ProcessIdentity | None:
    """Return the identity of the process with a number; None if there is none."""
    try:
        return ProcessIdentity(pid, start_time(psutil.Process(pid)))
    except (*GONE, ValueError):
        return None


def start_time_of_pid(pid: int) -> float:
    """Return the start of the process with a number; 0 if there is none."""
    found = identity_of(pid) if pid > 0 else None
    return found.began if found else 0.0


def start_time(process: psutil.Process) -> float:
    """Return the start of a process in seconds since the machine booted, if the system tells."""
    with suppress(OSError), open(f"/proc/{process.pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19]) / _TICKS
    return process.create_time()


def is_same_moment(began: float, other: float) -> bool:
    """Return whether two processes with the same number are one, by their start times."""
    return abs(began - other) < _SAME_SECONDS


def describe_process(process: psutil.Process) -> str:
    """Return `pid command`, as long as it lives."""
    command = ""
    with suppress(*GONE):
        command = " ".join(process.cmdline()) or process.name()
    return f"{process.pid} {command}".strip()[:_MAX_TEXT]


def send_signal(processes: Iterable[psutil.Process], *numbers: signal.Signals) -> None:
    """Send signals to processes that may have ended, and never to others with their numbers."""
    for process in processes:
        with suppress(*GONE):
            for number in numbers:
                process.send_signal(number)


class ProcessFamily:
    """All processes of a run.

    They are the host and its descendants, and every process with one of the `marks` in its
    environment. A member stays a member; only a process that left both before the first look is
    missed, and not even that one if there is a `group` or a `reaper`.
    """

    def __init__(
        self,
        marks: Mapping[str, str],
        host: ProcessIdentity | None = None,
        *,
        reaper: ProcessIdentity | None = None,
        group: str = "",
        spared: Collection[int] = (),
        apart: Collection[int] = (),
        client: str = "",
    ) -> None:
        """`reaper`: the process that adopts every orphan of the run; not a member itself.

        `group`: the folder of the control group in which all of them are; "": there is none.

        `spared`: processes not to end, such as the driver.

        `apart`: Handrail's own processes. A hook may have started them inside the group; they and
        what they start are not the run's.

        `client`: the path of the hook's client. Killing one that waits for a verdict would let its
        action through.
        """
        self._marks = {item for item in marks.items() if item[1]}
        self._host = host
        self._reaper = reaper
        self._group = group
        self._apart = frozenset(apart)
        self._spared = {0, 1, os.getpid(), *spared, *apart, *([reaper.pid] if reaper else ())}
        self._client = client
        self._members: dict[int, psutil.Process] = {}
        self._texts: dict[psutil.Process, str] = {}
        self._known: set[int] = set()
        """All processes of the system at the last look."""
        self._parents: set[int] = set()
        """The processes whose children are members."""
        self._clients: set[int] = set()

    @property
    def has_group(self) -> bool:
        """Return whether a control group holds the processes of the run."""
        return bool(self._group) and os.path.isdir(self._group)

    @property
    def is_complete(self) -> bool:
        """Return whether no process of the run can hide from a look."""
        return self.has_group or bool(self._reaper and _is_there(self._reaper))

    def look(self, *, keep_host: bool = False) -> list[psutil.Process]:
        """Return the live members."""
        self._known = set(psutil.pids())
        seen = _own_processes(self._known)
        host = _among(seen, self._host)
        alive = {pid for pid, one in seen.items() if self._members.get(pid) == one.process}
        reaper = _among(seen, self._reaper)
        adopted = {pid for pid, one in seen.items() if one.parent in reaper}
        self._parents = alive | host | adopted | self._in_group(seen)
        self._clients.clear()  # the system reuses their numbers
        self._admit(seen, self._parents)
        self._parents |= reaper
        found = [one.process for pid, one in seen.items() if self._members.get(pid) == one.process]
        return [each for each in found if not (keep_host and each.pid in host)]

    def newcomers(self) -> list[psutil.Process]:
        """Return the new members since the last look; quick, for processes that multiply."""
        fresh = set(psutil.pids()) - self._known
        self._known |= fresh
        seen = _own_processes(fresh)
        below = {pid for pid, one in seen.items() if one.parent in self._parents}
        return [seen[pid].process for pid in self._admit(seen, below | self._in_group(seen))]

    def _in_group(self, seen: Mapping[int, _SeenProcess]) -> set[int]:
        inside = members_of(self._group).intersection(seen) if self._group else set()
        return inside - _below(seen, self._apart, ()) if inside else inside

    def _admit(self, seen: Mapping[int, _SeenProcess], roots: set[int]) -> set[int]:
        """Add the roots, marked processes, and all their descendants; not the clients of hooks."""
        clients = {pid for pid, one in seen.items() if self._is_client(one)}
        self._clients |= _below(seen, clients, ())
        marked = {pid for pid, one in seen.items() if pid not in roots and self._is_marked(one)}
        found = _below(seen, roots | marked, self._spared | self._clients)
        for pid in found:
            self._remember(seen[pid].process)
        self._parents |= found
        return found

    def text(self, process: psutil.Process) -> str:
        """Return `pid command` of a member."""
        return self._texts.get(process, str(process.pid))

    def _is_marked(self, one: _SeenProcess) -> bool:
        try:
            return not self._marks.isdisjoint(one.process.environ().items())
        except (*GONE, OSError):
            return False

    def _is_client(self, one: _SeenProcess) -> bool:
        if not self._client or _now() - one.began > _CLIENT_SECONDS:
            return False
        if one.parent in self._clients:
            return True
        with suppress(*GONE):
            return self._client in one.process.cmdline()[:3]
        return False

    def _remember(self, process: psutil.Process) -> None:
        if self._members.get(process.pid) == process:
            return
        self._members[process.pid] = process
        self._texts[process] = describe_process(process)


def end_processes(
    family: ProcessFamily, *, keep_host: bool = False, seconds: float = 10.0
) -> EndedProcesses:
    """End every process of a run, first politely; report those left."""
    until = time.monotonic() + seconds
    told = _ask(family, keep_host, time.monotonic() + seconds * _POLITE)
    calm = 0
    while calm < _CALM and time.monotonic() < until:
        members = family.look(keep_host=keep_host)
        told.update(dict.fromkeys(members))
        calm = 0 if members else calm + 1
        told.update(dict.fromkeys(_kill(family, members, until)))
        psutil.wait_procs(members, timeout=_POLL)
    left = family.look(keep_host=keep_host)
    return EndedProcesses(
        tuple(family.text(each) for each in told if each not in left),
        tuple(family.text(each) for each in left),
    )


def _ask(family: ProcessFamily, keep_host: bool, until: float) -> dict[psutil.Process, None]:
    """Ask all to end, and wait a while; not for processes that keep multiplying."""
    told: dict[psutil.Process, None] = {}
    while members := family.look(keep_host=keep_host):
        new = [each for each in members if each not in told]
        send_signal(new, signal.SIGTERM, signal.SIGCONT)
        most = (len(told) or len(new)) + _MAX_NEW
        told.update(dict.fromkeys(new))
        if len(told) > most or time.monotonic() > until:
            break
        psutil.wait_procs(members, timeout=_POLL)
    return told


def _kill(
    family: ProcessFamily, members: Sequence[psutil.Process], until: float
) -> list[psutil.Process]:
    """Stop all until no new one is found, because a stopped process has no more children.

    Then kill them all.
    """
    stopped = list(members)
    send_signal(members, signal.SIGSTOP)
    calm = 0
    while members and calm < _CALM and time.monotonic() < until:
        new = family.newcomers()
        send_signal(new, signal.SIGSTOP)
        stopped += new
        calm = 0 if new else calm + 1
    send_signal(stopped, signal.SIGKILL)
    return stopped


def _is_there(known: ProcessIdentity) -> bool:
    now = identity_of(known.pid)
    return now is not None and is_same_moment(now.began, known.began)


def _among(seen: Mapping[int, _SeenProcess], known: ProcessIdentity | None) -> set[int]:
    """Return the number of a known process if it is still there, as a set."""
    if known is None or known.pid not in seen:
        return set()
    return {known.pid} if is_same_moment(seen[known.pid].began, known.began) else set()


def _now() -> float:
    """Return the time on the scale of process starts."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time() if clock is None else time.clock_gettime(clock)


def _own_processes(pids: Iterable[int]) -> dict[int, _SeenProcess]:
    """Return the live processes of this user."""
    user = os.getuid()
    found = {}
    for pid in pids:
        with suppress(*GONE):
            process = psutil.Process(pid)
            if process.uids().real == user and process.status() != psutil.STATUS_ZOMBIE:
                seen = _SeenProcess(process, process.ppid(), start_time(process))
                found[process.pid] = seen
    return found


def _below(
    seen: Mapping[int, _SeenProcess], roots: Iterable[int], spared: Collection[int]
) -> set[int]:
    """Return the roots and their descendants, without the spared ones and those only below them."""
    children: dict[int, list[int]] = {}
    for pid, one in seen.items():
        children.setdefault(one.parent, []).append(pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found and pid not in spared:
            found.add(pid)
            waiting += children.get(pid, ())
    return found
