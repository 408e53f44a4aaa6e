"""Takes a checkpoint: lists what changed, stages it, writes tree, commit, ref and record."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
from msgspec import structs

from handrail.checkpoint.errors import (
    FolderRefusedError,
    GitError,
    GitFailedError,
    NothingSavedError,
)
from handrail.checkpoint.git.commit import EMPTY, IndexChange, index_changes, write_commit
from handrail.checkpoint.git.excludes import ignore_digest
from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import TreeChange
from handrail.checkpoint.git.user_git import user_git
from handrail.checkpoint.git.user_repository import head_of
from handrail.checkpoint.history.repository_state import (
    RepositoryLook,
    read_repository,
    repository_look,
)
from handrail.checkpoint.history.state_files import RepositoryStates
from handrail.checkpoint.path_keys import is_text
from handrail.checkpoint.record import CheckpointInfo, CheckpointRecord, CheckpointTrigger, Coverage
from handrail.checkpoint.records import CheckpointRecords
from handrail.checkpoint.save.index_refresh import refreshing_index
from handrail.checkpoint.save.staging import StagingResult, stage_changes, stage_paths
from handrail.checkpoint.save.work_tree_memory import remember_tree
from handrail.config.checkpoints import Checkpoints as Settings

_MAX_WHY = 200
_USER_SECONDS = 5.0
"""For a look at the user's index."""
_MARKS = frozenset(CheckpointTrigger) - {
    CheckpointTrigger.BEFORE_RESTORE,
    CheckpointTrigger.RESTORED,
}
"""Triggers that reuse the previous checkpoint where nothing has changed."""


_STARTS = frozenset({CheckpointTrigger.PROMPT, CheckpointTrigger.UNATTENDED})
_BOUNDS = _STARTS | {CheckpointTrigger.ITERATION_END}


class SavedCheckpoint(msgspec.Struct, frozen=True):
    """A new checkpoint, or an earlier one if nothing has changed since."""

    record: CheckpointRecord
    is_new: bool = True


class _StagedTree(msgspec.Struct, frozen=True):
    """A written tree, and the changes of the index since."""

    staged: StagingResult
    tree: str
    changes: Sequence[IndexChange] = ()


class CheckpointWriter(msgspec.Struct, frozen=True):
    """Takes one checkpoint of a work tree."""

    git: Git
    records: CheckpointRecords
    about: CheckpointInfo
    now: float
    settings: Settings = Settings()
    look: RepositoryLook | None = None
    """How the user's repository looked when the checkpoint was asked for; None: as it looks now."""

    def __post_init__(self) -> None:
        if not is_text(self.git.work_tree):
            raise FolderRefusedError(repr(self.git.work_tree), "its name is not UTF-8")

    def save(
        self, also: Iterable[str] = (), *, is_late: Callable[[], bool] = lambda: False
    ) -> SavedCheckpoint:
        """Save all files; reuse the previous checkpoint if nothing changed and none is named.

        `also`: paths to save even if they are ignored; `is_late`: whether files may have changed
        since the request.
        """
        also = tuple(also)
        try:
            return self._save(also, is_late, direct=True)
        except GitFailedError:  # the store is not what it was: git finds out what is left
            return self._save(also, is_late, direct=False)

    def _save(
        self, also: Sequence[str], is_late: Callable[[], bool], *, direct: bool
    ) -> SavedCheckpoint:
        git = self.git
        last = self.records.last(git.work_tree)
        repository = self._keep_repository()
        index = self._fill(also, last, direct=direct)
        with refreshing_index(git, index.staged.direct) as is_renewed:
            saved = self._save_index(index, last, repository, late=is_late())
            with suppress(OSError):  # the checkpoint is there
                if is_renewed():
                    remember_tree(git, saved.record.tree)
                    return saved
        if index.staged.direct:
            # Files that were changed just now may be other by now.
            with suppress(GitError, OSError):
                stage_paths(git, self.settings, index.staged.direct.paths)
        return saved

    def write_tree(self, also: Sequence[str]) -> tuple[Coverage, str]:
        """Write the tree of the files as they are now; also says how much of them it holds."""
        git = self.git
        index = self._fill(also, self.records.last(git.work_tree), direct=False)
        tree = git.text("write-tree") if index.changes else index.tree
        _check_not_empty(git, index.staged, tree)
        return index.staged.coverage, tree

    def _fill(
        self, also: Sequence[str], last: CheckpointRecord | None, *, direct: bool
    ) -> _StagedTree:
        git = self.git
        try:
            return self._fill_once(also, last, direct=direct)
        except GitFailedError:
            # A machine that went down may leave a damaged index: it is only a memory of the tree.
            if not os.path.exists(git.index):
                raise
            os.unlink(git.index)
            staged = stage_changes(git, self.settings, also, cold=True)
            return _StagedTree(staged, git.text("write-tree"))

    def _fill_once(
        self, also: Sequence[str], last: CheckpointRecord | None, *, direct: bool
    ) -> _StagedTree:
        git, base = self.git, last.tree if last else ""
        staged = stage_changes(git, self.settings, also, last=base, direct=direct)
        if last is None and not staged.is_cold:  # nearly all trees are there
            return _StagedTree(staged, git.text("write-tree"))
        base = base or EMPTY
        changes = staged.direct.changes if staged.direct else index_changes(git, base)
        return _StagedTree(staged, base, changes)

    def _keep_repository(self) -> str:
        """Keep the state of the user's repository; gives its name, empty if it just changed."""
        git = self.git
        look = self.look or repository_look(git.work_tree)
        state = read_repository(user_git(git.work_tree, _USER_SECONDS, git.environ))
        if look != repository_look(git.work_tree):  # by somebody else, or halfway
            return ""
        return RepositoryStates(os.path.dirname(git.directory)).keep(state)

    def _save_index(
        self, index: _StagedTree, last: CheckpointRecord | None, repository: str, *, late: bool
    ) -> SavedCheckpoint:
        about, ignored = self.about, ignore_digest(self.git)
        beside = (last.include, last.ignoring, last.repository) if last else None
        is_same = beside == (self.settings.include, ignored, repository)
        if last and is_same and _is_still(last, index, about):
            return SavedCheckpoint(_with_step(last, about, self.records), is_new=False)
        is_all = not last or index.tree != last.tree
        counted = (index.staged.files, index.staged.bytes) if is_all else _count(self.git, index)
        return SavedCheckpoint(self._write(index, ignored, counted, repository, late=late))

    def save_restored(
        self, last: CheckpointRecord, changes: Sequence[TreeChange]
    ) -> CheckpointRecord | None:
        """Save restored files only; None: they cannot be saved like that."""
        staged = stage_paths(self.git, self.settings, [each.path for each in changes])
        if staged.coverage.left_out:
            return None
        staged = structs.replace(staged, coverage=last.coverage)
        index = _StagedTree(staged, last.tree, [IndexChange.of(each) for each in changes])
        counted, repository = _count(self.git, index), self._keep_repository()
        return self._write(index, ignore_digest(self.git), counted, repository)

    def _write(
        self,
        index: _StagedTree,
        ignored: str,
        counted: tuple[int, int],
        repository: str,
        *,
        late: bool = False,
    ) -> CheckpointRecord:
        """`counted`: files, and bytes in them."""
        git, about = self.git, self.about
        number = max(self.records.numbers(), default=0) + 1
        message = about.why[:_MAX_WHY] or about.moment
        ref = f"refs/checkpoints/c{number}"
        written = write_commit(git, ref, index.tree, index.changes, message, self.now)
        _check_not_empty(git, index.staged, written.tree)
        files, size = counted
        record = CheckpointRecord(
            **structs.asdict(about),
            number=number,
            created_at=datetime.fromtimestamp(self.now, UTC),
            git_commit=written.commit,
            tree=written.tree,
            work_tree=git.work_tree,
            files=files,
            bytes=size,
            coverage=index.staged.coverage,
            include=self.settings.include,
            ignoring=ignored,
            head=head_of(git.work_tree),
            repository=repository,
            steps=_step(about),
            modes=index.staged.modes,
            links=index.staged.links,
            late=late,
        )
        self.records.write(record)
        return record


def _check_not_empty(git: Git, staged: StagingResult, tree: str) -> None:
    if tree == EMPTY and staged.wanted:
        reasons = [each.why for each in staged.coverage.left_out]
        raise NothingSavedError(git.work_tree, reasons[0] if reasons else "git took nothing in")


def _is_still(last: CheckpointRecord, index: _StagedTree, about: CheckpointInfo) -> bool:
    """Whether the previous checkpoint still matches, so that it can be reused."""
    is_same = not index.changes and index.tree == last.tree
    staged = index.staged
    held = (staged.coverage, staged.modes, staged.links)
    is_mark = not about.name and about.moment in _MARKS and not _begins(last, about)
    return is_same and not last.late and held == (last.coverage, last.modes, last.links) and is_mark


def _begins(last: CheckpointRecord, about: CheckpointInfo) -> bool:
    """Whether a new iteration begins: `undo --iteration` needs a checkpoint at its start."""
    is_known = last.run == about.run and last.moment in _BOUNDS
    return about.moment in _STARTS and not is_known


def _count(git: Git, index: _StagedTree) -> tuple[int, int]:
    """Count the changed files and their bytes."""
    there = [change.path for change in index.changes if not change.is_gone]
    return len(index.changes), sum(_size(os.fsencode(git.work_tree), path) for path in there)


def _size(work_tree: bytes, path: bytes) -> int:
    try:
        return os.lstat(os.path.join(work_tree, path)).st_size
    except OSError:
        return 0


def _with_step(
    last: CheckpointRecord, about: CheckpointInfo, records: CheckpointRecords
) -> CheckpointRecord:
    """Note one more step in the previous checkpoint: it changed nothing."""
    record = structs.replace(last, steps=last.steps | _step(about))
    if record != last:
        records.write(record, durable=False)
    return record


def _step(about: CheckpointInfo) -> dict[str, int]:
    return {about.run: about.step} if about.run else {}
