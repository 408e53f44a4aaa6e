"""Facts about a work tree that its index cannot hold, kept between checkpoints."""

import os
import stat
from collections.abc import Iterable, Mapping

import msgspec

from handrail.checkpoint.files import read_json, replace_file
from handrail.checkpoint.git.index_file import checksum_of
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.path_keys import path_key
from handrail.checkpoint.save.file_signature import file_signature
from handrail.model.decodable import decodable

MAX_ODD = 10_000
MAX_YOUNG = 1_000
YOUNG = 2.0
"""Seconds."""
_UMASK = "Umask:"


@decodable
class WorkTreeMemory(msgspec.Struct, frozen=True, omit_defaults=True):
    """Facts beside the index; if they are lost, every file is looked at again."""

    include: tuple[str, ...] = ()
    """The patterns by which ignored files came into the index."""
    modes: dict[str, int] = {}
    """Permissions that git cannot hold, by the key of a path."""
    links: dict[str, tuple[int, int]] = {}
    """Files with several names, by the key of a path: inode, and how many names it has."""
    young: dict[str, int] = {}
    """Files that were just changed, by the key of a path, with the time in nanoseconds: git counts
    whole seconds, so it sees no second change in the same one."""
    tree: str = ""
    """The tree of the index, as long as index and store have this signature."""
    look: tuple[int | str, ...] = ()

    def holds(self, tree: str, git: Git) -> bool:
        """Whether the index is certainly the same as a tree."""
        return bool(tree) and self.tree == tree and self.look == _look_of(git)


def load_memory(git: Git) -> WorkTreeMemory | None:
    """Read the memory of an index; None: there is none."""
    return read_json(_place(git), WorkTreeMemory) if os.path.exists(git.index) else None


def save_memory(git: Git, memory: WorkTreeMemory) -> None:
    """Write the memory for the next time."""
    replace_file(_place(git), msgspec.json.encode(memory))


def usual_modes() -> frozenset[int]:
    """The modes of new files, executable or not; others are remembered."""
    mask = _umask()
    return frozenset(stat.S_IFREG | bits & ~mask for bits in (0o666, 0o777))


def remember_tree(git: Git, tree: str) -> None:
    """Remember that the index equals a tree."""
    memory = load_memory(git)
    if memory and not memory.holds(tree, git):
        save_memory(git, msgspec.structs.replace(memory, tree=tree, look=_look_of(git)))


def kept_mode(facts: os.stat_result) -> int:
    """The mode to keep: without the rights of others, which a new file would not give again."""
    mode = facts.st_mode
    if mode & stat.S_ISUID and facts.st_uid != os.geteuid():
        mode &= ~stat.S_ISUID
    if mode & stat.S_ISGID and facts.st_gid != os.getegid():
        mode &= ~stat.S_ISGID
    return mode


def kept_link(facts: os.stat_result) -> tuple[int, int] | None:
    """Inode and number of names of a file with several names; None: it has one."""
    is_linked = facts.st_nlink > 1 and stat.S_ISREG(facts.st_mode)
    return (facts.st_ino, facts.st_nlink) if is_linked else None


class OddFiles:
    """Facts of files that differ from those of a new file."""

    def __init__(
        self, modes: Mapping[str, int], links: Mapping[str, tuple[int, int]] | None = None
    ) -> None:
        self._modes = dict(modes)
        self._links = dict(links or {})
        self._usual = usual_modes()

    def note(self, path: str, mode: int, link: tuple[int, int] | None = None) -> None:
        """Note the mode of a file, and its inode if it has several names."""
        key = path_key(path)
        if stat.S_ISREG(mode) and mode not in self._usual:
            self._modes[key] = stat.S_IMODE(mode)
        elif self._modes:
            self._modes.pop(key, None)
        if link:
            self._links[key] = link
        elif self._links:
            self._links.pop(key, None)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone."""
        for path in paths if self._modes or self._links else ():
            self._modes.pop(path_key(path), None)
            self._links.pop(path_key(path), None)

    @property
    def modes(self) -> dict[str, int]:
        """The unusual modes by the key of a path, a bounded number."""
        return {key: self._modes[key] for key in sorted(self._modes)[:MAX_ODD]}

    @property
    def links(self) -> dict[str, tuple[int, int]]:
        """The files with several names by the key of a path, a bounded number."""
        return {key: self._links[key] for key in sorted(self._links)[:MAX_ODD]}


def _look_of(git: Git) -> tuple[int | str, ...]:
    packs = os.path.join(git.directory, "objects", "pack")
    # Times may say little: some file systems count whole seconds.
    return (
        checksum_of(git.index),
        *(file_signature(git.index) or ()),
        *(file_signature(packs) or ()),
    )


def _place(git: Git) -> str:
    folder, name = os.path.split(git.index)
    return os.path.join(folder, "memory" + name.removeprefix("index"))


def _umask() -> int:
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith(_UMASK):
                    return int(line.removeprefix(_UMASK), 8)
    except OSError:
        pass
    mask = os.umask(0o077)  # only by setting it can it be read here
    os.umask(mask)
    return mask
