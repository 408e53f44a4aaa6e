"""Keep all processes of a run in a control group: no new parent, session or environment hides them.

The group is made in the driver's own one if that can be written, otherwise as a slice of the user's
systemd. Only the second version of control groups is used.
"""

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

_PREFIX = "handrail-"
_PROCS = "cgroup.procs"
_ENTER = 'mkdir -p "$0" && echo $$ > "$0/cgroup.procs" && exec "$@"'
"""A shell that goes into the group and becomes the program."""
_SECONDS = 5.0


class ControlGroup(NamedTuple):
    """A group for the processes of one run."""

    path: str
    """Its folder; groups below it belong to it."""
    start: tuple[str, ...]
    """The words in front of a command line that start it in the group."""


def make_group(run: str, environ: Mapping[str, str]) -> ControlGroup | None:
    """Make a group for a run, and try it out; None: this system gives us none."""
    return group_in_own(run, environ) or group_in_systemd(run, environ)


def group_in_own(run: str, environ: Mapping[str, str]) -> ControlGroup | None:
    """Make a group in that of this process, if it can be written."""
    mount = _mount()
    with suppress(OSError), open("/proc/self/cgroup", encoding="utf-8") as file:
        if mount is None:
            return None
        path = os.path.join(mount.folder_of(_group_in(file.read())), _name(run))
        group = ControlGroup(path, ("/bin/sh", "-c", _ENTER, path))
        if os.access(os.path.dirname(path), os.W_OK) and _starts(mount, group, environ) == path:
            return group
    return None


def group_in_systemd(run: str, environ: Mapping[str, str]) -> ControlGroup | None:
    """Make a slice of the user's systemd, with a scope for each process that is started in it."""
    mount = _mount()
    if mount is None or not environ.get("XDG_RUNTIME_DIR"):
        return None
    unit = f"{_name(run)}.slice"
    start = ("systemd-run", "--user", "--scope", "--quiet", "--collect", f"--slice={unit}", "--")
    path = os.path.dirname(_starts(mount, ControlGroup("", start), environ))
    return ControlGroup(path, start) if os.path.basename(path) == unit else None


def is_group_of(path: str, run: str) -> bool:
    """Return whether a folder is the control group of a run, and is still there."""
    name = os.path.basename(path).removesuffix(".slice")
    return name == _name(run) and os.path.exists(os.path.join(path, _PROCS))


def members_of(path: str) -> set[int]:
    """Return the processes in a group and in those below it."""
    found: set[int] = set()
    for folder, _, _ in os.walk(path):
        with suppress(OSError), open(os.path.join(folder, _PROCS), encoding="ascii") as file:
            found.update(map(int, file.read().split()))
    return found


def remove_group(path: str) -> None:
    """Remove a group if it is empty; the next process that starts in it makes it anew."""
    for folder, _, _ in os.walk(path, topdown=False):
        with suppress(OSError):
            os.rmdir(folder)


def _name(run: str) -> str:
    """Return the name of a group; systemd takes a dash for a level, so it has one only."""
    return _PREFIX + "".join(each if each.isalnum() else "_" for each in run)


class _GroupTree(NamedTuple):
    folder: str
    root: str
    """The group that is seen in this folder."""

    def folder_of(self, group: str) -> str:
        below = os.path.relpath(group, self.root)
        return os.path.normpath(os.path.join(self.folder, below))


def _mount() -> _GroupTree | None:
    with suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            about, _, kind = line.partition(" - ")
            if kind.startswith("cgroup2 "):
                _, _, _, root, folder, *_ = about.split(" ")
                if os.path.exists(os.path.join(folder, _PROCS)):  # no other mount lies over it
                    return _GroupTree(folder, root)
    return None


def _group_in(text: str) -> str:
    """Return the group that `/proc/PID/cgroup` names."""
    lines = (line for line in text.splitlines() if line.startswith("0::"))
    return next(lines, "").removeprefix("0::")


def _starts(mount: _GroupTree, group: ControlGroup, environ: Mapping[str, str]) -> str:
    """Start a process in a group, and return the folder of the group that it is in."""
    try:
        ran = subprocess.run(
            [*group.start, "cat", "/proc/self/cgroup"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return mount.folder_of(_group_in(ran.stdout))
