"""Restores files: only the differences, after a checkpoint, compared afterwards."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from time import time_ns

import msgspec

from handrail.checkpoint.errors import (
    CheckpointError,
    DamagedCheckpointError,
    EditedMeanwhileError,
    FilesChangedError,
    GitError,
    GitFailedError,
    NotRestoredError,
    UnwritableError,
)
from handrail.checkpoint.git.blobs import blob_sizes
from handrail.checkpoint.git.runner import Git, GitDeadline, join_paths
from handrail.checkpoint.git.tree_diff import MAX_NAMED, TreeChange, tree_changes
from handrail.checkpoint.git.user_repository import head_of
from handrail.checkpoint.record import CheckpointInfo, CheckpointRecord, CheckpointTrigger
from handrail.checkpoint.records import CheckpointRecords
from handrail.checkpoint.restore.folders import WorkTreeFolders
from handrail.checkpoint.restore.journal import RestoreJournals
from handrail.checkpoint.restore.plan import CurrentFiles, RestorePlan, make_plan
from handrail.checkpoint.restore.safe_work_tree import SafeWorkTree
from handrail.checkpoint.restore.target import (
    FileRestoreAction,
    RestoreItem,
    RestorePreview,
    RestoreResult,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.restore.transaction import RestoreTransaction
from handrail.checkpoint.save.covered_paths import IGNORE_FILE
from handrail.checkpoint.save.work_tree_memory import load_memory
from handrail.checkpoint.save.writer import CheckpointWriter
from handrail.config.checkpoints import Checkpoints as Settings

_TICK_NS = 15_000_000
"""For as long a file may change without looking changed: kernels count time in steps."""
By = Sequence[str] | None
"""The runs that worked since the last checkpoint; none: a person did. None: not known."""


class _Wish(msgspec.Struct, frozen=True):
    """What a caller asked for."""

    way: RestoreTarget
    over: bool
    expects: str
    by: By
    whole: bool


class Restorer:
    """Previews or carries out one restore."""

    def __init__(self, git: Git, records: CheckpointRecords, settings: Settings, at: float) -> None:
        self._git = git
        self._records = records
        self._settings = settings
        self._at = at
        self._journals = RestoreJournals(os.path.dirname(git.directory), git.work_tree)
        self._past = list(records.newest_first(git.work_tree))

    def preview(self, way: RestoreTarget, by: By) -> RestorePreview:
        """Preview a restore; nothing is changed."""
        git = self._git
        unknown = self._unknown(way.target)
        coverage, tree = self._writer(CheckpointInfo()).write_tree(unknown)
        memory = load_memory(git)
        modes = memory.modes if memory else {}
        now = CurrentFiles(tree, coverage, self._when, self._past, modes, by)
        plan = make_plan(git, way, now, over=False)
        return RestorePreview(way, tree, self._items(plan), plan.spared, head_of(git.work_tree))

    def restore(
        self, way: RestoreTarget, *, over: bool, expects: str, by: By, whole: bool = False
    ) -> RestoreResult:
        """Restore the files; raises NotRestoredError, FilesChangedError.

        `whole`: change nothing if one of them cannot be written.
        """
        wish = _Wish(way, over, expects, by, whole)
        began_ns = time_ns()
        try:
            return self._restore(wish)
        except EditedMeanwhileError as error:
            # Git may have taken a changed file for the same. Read anew, it is saved as it is.
            if not self._is_older(error.paths, began_ns):
                raise
            self._forget(error.paths)
            return self._restore(wish, error.paths)

    def _is_older(self, paths: Sequence[str], moment_ns: int) -> bool:
        """Whether these files were changed before a moment, so that nobody changes them now."""
        tree = SafeWorkTree(self._git.work_tree)
        looks = [tree.look(path) for path in paths]
        return all(look is not None and look[-1] < moment_ns - _TICK_NS for look in looks)

    def _restore(self, wish: "_Wish", read_anew: Sequence[str] = ()) -> RestoreResult:
        way = wish.way
        before = self._save_before(way, wish.by, read_anew)
        meanwhile = self._changed_since(wish.expects, before) if wish.expects else frozenset()
        meanwhile = meanwhile.difference(read_anew)
        now = CurrentFiles(
            before.tree, before.coverage, self._when, self._past, before.modes, wish.by, meanwhile
        )
        plan = make_plan(self._git, way, now, over=wish.over)
        if meanwhile and not plan.changes:
            raise FilesChangedError(wish.expects)
        shut = [each.path for each in plan.spared if each.unwritable]
        if shut and wish.whole:
            raise UnwritableError(shut, before.id)
        items = self._items(plan)
        after = before
        if plan.changes:
            tree = SafeWorkTree(self._git.work_tree)
            applying = RestoreTransaction(self._git, tree, self._journals, way.target, before)
            with applying.applied(plan.changes):
                after, wrong = self._save_after(way, before, plan)
            if wrong:
                raise NotRestoredError(wrong, before.id, "changed while it was restored")
        self._journals.settle()
        return RestoreResult(before, after, items, plan.spared, before.coverage.left_out)

    def _changed_since(self, expects: str, before: CheckpointRecord) -> frozenset[str]:
        """The files that changed since a preview: they must not keep others from being restored."""
        if before.tree == expects:
            return frozenset()
        (found,) = tree_changes(self._git, (expects, before.tree))
        paths = frozenset(each.path for each in found)
        if any(os.path.basename(path) == IGNORE_FILE for path in paths):
            raise FilesChangedError(expects)  # other files would be deleted
        return paths

    @property
    def _when(self) -> datetime:
        return datetime.fromtimestamp(self._at, UTC)

    def _save_before(
        self, way: RestoreTarget, by: By, also: Sequence[str] = ()
    ) -> CheckpointRecord:
        known = by if by is not None else [way.run] if way.run else []
        why = f"before going back to {way.target.id}"
        about = CheckpointInfo(CheckpointTrigger.BEFORE_RESTORE, why, by=tuple(known))
        return self._save(about, [*self._unknown(way.target), *also])

    def _save_after(
        self, way: RestoreTarget, before: CheckpointRecord, plan: RestorePlan
    ) -> tuple[CheckpointRecord, list[str]]:
        """Save the result as a checkpoint, and name the files that are wrong."""
        # Files are back, however long it took: that they are compared must not fail for it.
        self._git = self._git.with_deadline(GitDeadline(self._git.deadline.seconds))
        try:
            saved, wrong = self._compare(way, before, plan)
            return self._write_down(way, before, saved), wrong
        except (CheckpointError, OSError) as error:
            paths = [each.path for each in plan.changes]
            why = f"restored, but not compared: {error}"
            raise NotRestoredError(paths, before.id, why) from error

    def _compare(
        self, way: RestoreTarget, before: CheckpointRecord, plan: RestorePlan
    ) -> tuple[CheckpointRecord, list[str]]:
        """Compare the files with the target; changes of others elsewhere do not count."""
        about = CheckpointInfo(CheckpointTrigger.RESTORED, f"went back to {way.target.id}")
        if _is_plain(plan):
            tree = SafeWorkTree(self._git.work_tree)
            wrong = [each.path for each in plan.changes if tree.content(each.path) != each.after]
            saved = None if wrong else self._writer(about).save_restored(before, plan.changes)
            if saved:
                return saved, []
        self._forget(plan.uncertain)
        saved = self._save(about, [each.path for each in plan.changes])
        return saved, self._wrong(plan, before, saved)

    def _write_down(
        self, way: RestoreTarget, before: CheckpointRecord, saved: CheckpointRecord
    ) -> CheckpointRecord:
        steps: dict[str, int] = {}
        for record in self._past:
            steps = record.steps | steps
        after = msgspec.structs.replace(saved, back_to=way.target.id, undo=before.id, steps=steps)
        self._records.write(after)
        redone = self._records.read(way.base.number) if way.base is not None else None
        if way.level is UndoLevel.REDO and redone is not None:
            self._records.write(msgspec.structs.replace(redone, redone=True))
        return after

    def record_repository(self, way: RestoreTarget, done: RestoreResult, repository: str) -> None:
        """Write down the state of the user's repository after it went back with the files."""
        after = done.after
        if after.number == done.undo.number:  # no file was changed
            about = CheckpointInfo(CheckpointTrigger.RESTORED, f"went back to {way.target.id}")
            after = self._write_down(way, done.undo, self._save(about, ()))
        self._records.write(msgspec.structs.replace(after, repository=repository))

    def _save(self, about: CheckpointInfo, also: Sequence[str]) -> CheckpointRecord:
        return self._writer(about).save(also).record

    def _writer(self, about: CheckpointInfo) -> CheckpointWriter:
        return CheckpointWriter(self._git, self._records, about, self._at, self._settings)

    def _unknown(self, target: CheckpointRecord) -> list[str]:
        """Files of a checkpoint that are there, but not known to the index: ignored by now."""
        asked = ("-z", "--name-only", "--diff-filter=D", "--no-renames")
        try:
            then = self._git.paths("diff-index", "--cached", *asked, target.tree)
        except GitError:
            then = self._held(target)  # a damaged index knows nothing
        folders = WorkTreeFolders(self._git.work_tree)
        return [path for path in then if folders.holds_file(path)]

    def _held(self, target: CheckpointRecord) -> list[str]:
        try:
            return self._git.paths("ls-tree", "-r", "-z", "--name-only", target.tree)
        except GitFailedError as error:
            raise DamagedCheckpointError(target.id, error.says.splitlines()[-1]) from error

    def _forget(self, paths: Sequence[str]) -> None:
        """Remove files from the index that the target did not hold: they may be ignored again."""
        if paths:
            given = join_paths(paths)
            self._git.run("update-index", "--force-remove", "-z", "--stdin", given=given)

    def _items(self, plan: RestorePlan) -> tuple[RestoreItem, ...]:
        blobs = [each.old_blob if each.deletes else each.blob for each in plan.changes]
        return tuple(
            RestoreItem(change.path, _does(change), size)
            for change, size in zip(plan.changes, blob_sizes(self._git, blobs), strict=True)
        )

    def _wrong(
        self, plan: RestorePlan, before: CheckpointRecord, after: CheckpointRecord
    ) -> list[str]:
        (found,) = tree_changes(self._git, (before.tree, after.tree))
        states = {each.path: (each.mode, each.blob) for each in found}
        return [
            each.path
            for each in plan.changes
            if states.get(each.path, (each.old_mode, each.old_blob)) != (each.mode, each.blob)
        ]


def _is_plain(plan: RestorePlan) -> bool:
    """Whether the restore is small and changes no ignore list, so that only its files differ."""
    is_small = len(plan.changes) <= MAX_NAMED and not plan.uncertain
    names = {os.path.basename(each.path) for each in plan.changes}
    return is_small and IGNORE_FILE not in names


def _does(change: TreeChange) -> FileRestoreAction:
    if change.deletes:
        return FileRestoreAction.DELETE
    return FileRestoreAction.CREATE if change.creates else FileRestoreAction.CHANGE
