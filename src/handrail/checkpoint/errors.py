"""What can go wrong with checkpoints.

CheckpointError
├── FolderRefusedError     this folder is not saved: too large a thing, or no folder at all
├── NoSuchCheckpointError  there is no checkpoint with this id
├── BusyError              another process saves or restores, and does not come to an end
├── GitError               git is missing, or did not do its work
│   ├── GitFailedError     git failed because of what it read: an index, an object, a file
│   ├── GitTooSlowError    git was ended because it took too long
│   └── CheckpointStoreError the folder of the checkpoints cannot be written: full, or not ours
├── DamagedCheckpointError what was saved cannot be read any more
├── NothingSavedError      there are files, and none of them could be saved
├── BadIncludeError        the patterns of `checkpoints.include` cannot be used
├── NothingToUndoError     no checkpoints lie around what is to be undone
├── FilesChangedError      the files are not those that a preview has shown
└── NotRestoredError       some files are not as they were
    ├── EditedMeanwhileError nothing is changed: files are not as the checkpoint before has them
    └── UnwritableError    nothing is changed: not all can be written, and all or nothing was asked
"""

from collections.abc import Sequence

_MAX_NAMED = 5


class CheckpointError(Exception):
    """A work tree could not be saved or restored."""


class FolderRefusedError(CheckpointError, ValueError):
    """This folder is not saved."""

    def __init__(self, work_tree: str, why: str) -> None:
        super().__init__(f"{work_tree} is not saved: {why}")
        self.work_tree = work_tree
        self.why = why


class NoSuchCheckpointError(CheckpointError, LookupError):
    """There is no such checkpoint."""

    def __init__(self, commit: str) -> None:
        super().__init__(f"there is no checkpoint {commit!r}")
        self.commit = commit


class BusyError(CheckpointError, TimeoutError):
    """Another process works in the same folder."""

    def __init__(self, folder: str, seconds: float) -> None:
        super().__init__(f"{folder}: another process has used it for {seconds:g} s")
        self.folder = folder


class GitError(CheckpointError):
    """Git could not do it."""

    def __init__(self, command: str, says: str) -> None:
        super().__init__(f"git {command}: {says}")
        self.command = command
        self.says = says


class GitFailedError(GitError):
    """Git failed because of what it read; another attempt may read something else."""


class GitTooSlowError(GitError, TimeoutError):
    """Git was ended because it took too long."""

    def __init__(self, command: str, seconds: float) -> None:
        super().__init__(command, f"not done after {seconds:g} s")


class CheckpointStoreError(GitError):
    """The folder of the checkpoints cannot be written."""

    def __str__(self) -> str:
        return f"checkpoints cannot be written ({self.command}: {self.says})"


class DamagedCheckpointError(CheckpointError):
    """A checkpoint cannot be read any more."""

    def __init__(self, what: str, says: str = "") -> None:
        because = f" ({says})" if says else ""
        super().__init__(f"{what} cannot be read any more: its folder is damaged{because}")
        self.what = what


class NothingSavedError(CheckpointError):
    """There are files, and none of them could be saved: not a checkpoint to go back to."""

    def __init__(self, work_tree: str, why: str) -> None:
        super().__init__(f"nothing of {work_tree} could be saved: {why}")
        self.work_tree = work_tree
        self.why = why


class BadIncludeError(CheckpointError, ValueError):
    """The patterns of `checkpoints.include` cannot be used."""

    def __init__(self, why: str) -> None:
        super().__init__(f"checkpoints.include: {why}")
        self.why = why


class NothingToUndoError(CheckpointError, LookupError):
    """There is nothing that could be undone or redone."""

    def __init__(self, why: str, instead: str, verb: str = "undo") -> None:
        super().__init__(f"nothing to {verb}: {why}; {instead}")
        self.why = why
        self.instead = instead


class FilesChangedError(CheckpointError):
    """Somebody changed files between the preview and the restore."""

    def __init__(self, expected: str) -> None:
        super().__init__("files were changed while you were looking; look again")
        self.expected = expected


class NotRestoredError(CheckpointError):
    """Some files are not as they were in the checkpoint."""

    unchanged = False
    """No file was changed at all."""

    def __init__(self, paths: Sequence[str], undo: str, why: str = "") -> None:
        named = ", ".join(paths[:_MAX_NAMED])
        more = f" and {len(paths) - _MAX_NAMED} more" if len(paths) > _MAX_NAMED else ""
        because = f" ({why})" if why else ""
        super().__init__(f"not restored{because}: {named}{more}")
        self.paths = tuple(paths)
        self.undo = undo
        """The checkpoint of the files before the restore."""


class EditedMeanwhileError(NotRestoredError):
    """Nothing is changed: some files are not as they were just saved."""

    unchanged = True


class UnwritableError(NotRestoredError):
    """Nothing is changed: some files cannot be written, and all or nothing was asked for."""

    unchanged = True

    def __init__(self, paths: Sequence[str], undo: str) -> None:
        super().__init__(paths, undo, "nothing is changed: their folder cannot be written")
