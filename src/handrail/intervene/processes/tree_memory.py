"""The memory of process trees, from one look at all processes."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

import psutil

from handrail.intervene.processes.process_tree import ProcessIdentity, is_same_moment, start_time

_MB = 1024 * 1024


class TreeMemory(NamedTuple):
    """The memory of a process and of all below it, in megabytes."""

    whole: float
    below: float
    """Without the process itself."""


class ProcessMemory(NamedTuple):
    """One process of the system."""

    parent: int
    began: float
    bytes: int


def measure_trees(roots: Iterable[ProcessIdentity]) -> dict[int, TreeMemory]:
    """Return the memory of each tree by its root; a process that is gone is left out."""
    wanted = list(roots)
    if not wanted:
        return {}
    seen = _all_processes()
    children: dict[int, list[int]] = {}
    for pid, process in seen.items():
        children.setdefault(process.parent, []).append(pid)
    found = {}
    for root in wanted:
        own = seen.get(root.pid)
        if own is not None and is_same_moment(own.began, root.began):
            below = sum(seen[pid].bytes for pid in _below(root.pid, children))
            found[root.pid] = TreeMemory((own.bytes + below) / _MB, below / _MB)
    return found


def _below(root: int, children: Mapping[int, list[int]]) -> set[int]:
    found: set[int] = set()
    waiting = list(children.get(root, ()))
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, ())
    return found - {root}


def _all_processes() -> dict[int, ProcessMemory]:
    """Return all processes; one file each where the system has `/proc`, which is ten times as fast
    as to ask for each fact."""
    if not os.path.exists("/proc/self/stat"):
        return _by_psutil()
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
            began, pages = int(fields[19]) / ticks, int(fields[21])
            found[int(name)] = ProcessMemory(int(fields[1]), began, pages * page)
    return found


def _by_psutil() -> dict[int, ProcessMemory]:
    found = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            memory = process.memory_info().rss
            found[process.pid] = ProcessMemory(process.ppid(), start_time(process), memory)
    return found
