"""The journal of a restore, so that a killed restore leaves nothing behind."""

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from handrail.checkpoint.files import read_json, replace_file, work_tree_key
from handrail.checkpoint.restore.safe_work_tree import SafeWorkTree
from handrail.model.decodable import decodable

_MARK = ".handrail-"
_BACK = "back"


@decodable
class InterruptedRestore(msgspec.Struct, frozen=True):
    """A restore that was killed while it changed files: some are as they were, some are not."""

    target: str
    """The target: restoring it again finishes the work."""
    undo: str
    """The checkpoint of the files before the restore."""


@decodable
class RestoreJournal(msgspec.Struct, frozen=True):
    """The temporary files and new folders of a restore."""

    token: str
    target: str
    undo: str
    fresh: tuple[bytes, ...] = ()
    """Temporary files; as bytes, because a file's name need not be text."""
    back: tuple[bytes, ...] = ()
    """Temporary files for putting the old content back after a failure."""
    made: tuple[bytes, ...] = ()
    """Folders that were not there."""
    is_changing: bool = False
    """Files in their places are changed; before that, nothing is."""

    @classmethod
    def of(
        cls,
        target: str,
        undo: str,
        beside: Iterable[str],
        around: Iterable[str],
        made: Iterable[str],
    ) -> "RestoreJournal":
        """`beside`: for each file that is written, the folder of its temporary one.

        `around`: every folder that may get one if files have to be put back.
        """
        token = secrets.token_hex(6)
        fresh = (_temporary(folder, token, str(place)) for place, folder in enumerate(beside))
        back = (_temporary(folder, token, _BACK) for folder in around)
        return cls(token, target, undo, _bytes(fresh), _bytes(back), _bytes(made))

    @property
    def fresh_paths(self) -> list[str]:
        """The temporary files."""
        return [os.fsdecode(path) for path in self.fresh]

    def back_path(self, folder: str) -> str:
        """The temporary file for old content in a folder."""
        return _temporary(folder, self.token, _BACK)

    def clear(self, work_tree: str) -> None:
        """Remove temporary files, and folders that are empty."""
        tree = SafeWorkTree(work_tree)
        for path in map(os.fsdecode, (*self.fresh, *self.back)):
            if os.path.basename(path).startswith(f"{_MARK}{self.token}-"):
                with suppress(OSError):
                    tree.discard(path)
        for folder in sorted(self.made, reverse=True):
            tree.remove_folder(os.fsdecode(folder))


class RestoreJournals:
    """The journal of a work tree, and the note about its last killed restore."""

    def __init__(self, folder: str, work_tree: str) -> None:
        """`folder`: the private one of the project."""
        key = work_tree_key(work_tree)
        self._work_tree = work_tree
        self._under_way = os.path.join(folder, f"restoring-{key}.json")
        self._note = os.path.join(folder, f"interrupted-{key}.json")

    def write(self, journal: RestoreJournal) -> None:
        """Write a journal down so that it is there after a crash."""
        replace_file(self._under_way, msgspec.json.encode(journal), durable=True)

    def clear(self, journal: RestoreJournal) -> None:
        """Remove the temporary files of a restore, and its journal."""
        journal.clear(self._work_tree)
        self.end()

    def end(self) -> None:
        """Remove the journal of a finished restore."""
        with suppress(OSError):  # then it is swept the next time
            os.unlink(self._under_way)

    @property
    def is_quiet(self) -> bool:
        """No restore is under way or was killed."""
        return not os.path.exists(self._under_way) and not os.path.exists(self._note)

    def interrupted(self) -> InterruptedRestore | None:
        """The last killed restore, until another one succeeds."""
        return read_json(self._note, InterruptedRestore)

    def settle(self) -> None:
        """Forget the killed restore before this one."""
        with suppress(OSError):  # most often there is none
            os.unlink(self._note)

    def sweep(self) -> None:
        """Clean up after a killed restore; the caller holds the lock."""
        if not os.path.exists(self._under_way):
            return
        journal = read_json(self._under_way, RestoreJournal)
        if journal is not None:
            journal.clear(self._work_tree)
            if journal.is_changing:
                note = InterruptedRestore(journal.target, journal.undo)
                replace_file(self._note, msgspec.json.encode(note), durable=True)
        os.unlink(self._under_way)


def _bytes(paths: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(map(os.fsencode, paths))


def _temporary(folder: str, token: str, name: str) -> str:
    return os.path.join(folder, f"{_MARK}{token}-{name}")
