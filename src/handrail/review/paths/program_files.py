"""The files of hosts' programs, and whether another file is a copy of one."""

import os
import re
import stat
from functools import lru_cache
from glob import glob
from hashlib import blake2b

from handrail.model.host import HostProfile
from handrail.review.paths.folder_memory import FolderLook, FolderMemory, FolderStamp

_BLOCK = 16 * 1024
_BLOCKS = 16
_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_SMALLEST = 4 * 1024
"""A shorter file is a script that starts the program, not the program."""
_PATH = re.compile(r"/[^\s\"'`$;&|<>()]+")
_INTERPRETER = re.compile(r"/(?:\w*sh|env|node(?:js)?|bun|deno|python[\d.]*)$")

FileIdentity = tuple[int, int, int, int]
"""Device, inode, time of the last change, size."""
_folders = FolderMemory()


class ProgramFiles:
    """The programs that a command line can start, as they are at one moment."""

    def __init__(self, home: str, search: str) -> None:
        """`search`: the folders in which commands are looked up, as in PATH."""
        self._home = home
        self._search = search.split(os.pathsep)
        self._look: FolderLook = _folders.look()
        self._hosts: dict[str, list[str]] = {}

    def is_copy(self, path: str, host: HostProfile) -> bool:
        """Whether a file is the program of a host, or a copy or link of it.

        `path`: a name without a folder is looked up.
        """
        if "/" not in path and not self._files(host):
            return False
        # Most files that are asked for are scripts, or are not there: then nothing else counts.
        found, identity = (path, _identity(path)) if "/" in path else self._look_up(path)
        if identity is None or identity[3] < _SMALLEST:
            return False
        for program in self._files(host):
            known = _identity(program)
            if known is None or known[3] != identity[3]:
                continue
            if known[:2] == identity[:2] or _digest(program, known) == _digest(found, identity):
                return True
        return False

    def _files(self, host: HostProfile) -> list[str]:
        """Where the program of a host stands on this machine, in every version."""
        files = self._hosts.get(host.name)
        if files is None:
            named, identity = self._look_up(host.program)
            files = [named, *_started_by(named)] if identity else []
            for pattern in host.program_files:
                files += self._versions(pattern.replace("~", self._home, 1))
            self._hosts[host.name] = files
        return files

    def _look_up(self, name: str) -> tuple[str, FileIdentity | None]:
        """Find a program by its name, like `shutil.which`."""
        for folder in self._search:
            path = f"{folder}/{name}"
            if not self._look.has(path):
                continue
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(found.st_mode) and found.st_mode & _EXECUTABLE:
                return path, _identity_of(found)
        return name, None

    def _versions(self, pattern: str) -> tuple[str, ...]:
        """Return the files that a pattern means; only its last part may be one."""
        changed = self._look.stamp(os.path.dirname(pattern))
        return () if changed is None else _listed(pattern, changed)


@lru_cache(maxsize=64)
def _listed(pattern: str, changed: FolderStamp) -> tuple[str, ...]:
    """`changed`: when a name last came into the folder, or left it."""
    return tuple(glob(pattern))


def _started_by(script: str) -> list[str]:
    """Return the files that a short script names, which starts the program: `exec /opt/agent`."""
    identity = _identity(script)
    if identity is None or identity[3] >= _SMALLEST:
        return []
    try:
        with open(script, encoding="utf-8") as file:
            named = _PATH.findall(file.read())
    except (OSError, ValueError):
        return []
    return [path for path in named if not _INTERPRETER.search(path)]


def _identity(path: str) -> FileIdentity | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return _identity_of(found)


def _identity_of(found: os.stat_result) -> FileIdentity:
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)
def _digest(path: str, identity: FileIdentity) -> bytes:
    """A checksum of blocks all over a file: such a program has hundreds of megabytes."""
    size = identity[3]
    sum_ = blake2b(digest_size=16)
    try:
        with open(path, "rb") as file:
            for number in range(_BLOCKS):
                file.seek(number * max(size - _BLOCK, 0) // (_BLOCKS - 1))
                sum_.update(file.read(_BLOCK))
    except OSError:
        return os.urandom(16)  # equal to nothing
    return sum_.digest()
