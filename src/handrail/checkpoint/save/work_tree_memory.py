"""Facts about a work tree that its index cannot hold, kept between checkpoints."""

import os
import stat
from collections.abc import Iterable, Mapping

import msgspec

from handrail.checkpoint.files import read_json, replace_file
from handrail.checkpoint.git.index_file import checksum_of
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.save.file_signature import file_signature
from handrail.model.decodable import decodable

MAX_MODES = 10_000
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
    """Permissions that git cannot hold, by path."""
    young: tuple[str, ...] = ()
    """Files that were just changed: git sees no other permissions in the same second."""
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


class FileModes:
    """Permissions that differ from those of a new file."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self._odd = dict(known)
        self._usual = usual_modes()

    def note(self, path: str, mode: int) -> None:
        """Note the mode of a file."""
        if stat.S_ISREG(mode) and mode not in self._usual:
            self._odd[path] = stat.S_IMODE(mode)
        elif self._odd:
            self._odd.pop(path, None)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone."""
        for path in paths if self._odd else ():
            self._odd.pop(path, None)

    @property
    def all(self) -> dict[str, int]:
        """The unusual modes by path, a bounded number; only names that are text."""
        named = sorted(path for path in self._odd if is_text(path))
        return {path: self._odd[path] for path in named[:MAX_MODES]}


def _look_of(git: Git) -> tuple[int | str, ...]:
    packs = os.path.join(git.directory, "objects", "pack")
    # Times may say little: some file systems count whole seconds.
    return (
        checksum_of(git.index),
        *(file_signature(git.index) or ()),
        *(file_signature(packs) or ()),
    )


def is_text(path: str) -> bool:
    """Whether a path can be written down: a file's name may be any bytes."""
    return path.isascii() or path == path.encode(errors="ignore").decode()


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
