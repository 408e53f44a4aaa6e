"""Puts files back: by the difference only, after a checkpoint, and compared afterwards."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from handrail.checkpoint.absence import IGNORE_FILE
from handrail.checkpoint.applying import Applying
from handrail.checkpoint.blobs import sizes
from handrail.checkpoint.differences import MAX_NAMED, Change, differences
from handrail.checkpoint.errors import (
    ChangedMeanwhileError,
    CheckpointError,
    DamagedError,
    GitError,
    GitTooSlowError,
    NotRestoredError,
)
from handrail.checkpoint.folders import Folders
from handrail.checkpoint.git import Deadline, Git, join_paths
from handrail.checkpoint.journal import Journals
from handrail.checkpoint.memory import recall
from handrail.checkpoint.plan import Now, Plan, make_plan
from handrail.checkpoint.record import About, Moment, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.saving import Saving, write_tree
from handrail.checkpoint.tree import Tree
from handrail.checkpoint.user_repository import head_of
from handrail.checkpoint.way import Does, Item, Level, Preview, Restored, Way
from handrail.config.checkpoints import Checkpoints as Settings

By = Sequence[str] | None
"""The runs that worked since the last checkpoint; without any, a person did. None: not known."""


class Restoring:
    """One look at what a restore would do, or one restore."""

    def __init__(self, git: Git, records: Records, settings: Settings, at: float) -> None:
        self._git = git
        self._records = records
        self._settings = settings
        self._at = at
        self._journals = Journals(os.path.dirname(git.directory), git.work_tree)
        self._past = list(records.newest_first(git.work_tree))

    def preview(self, way: Way, by: By) -> Preview:
        """What a restore would do; nothing is changed."""
        git = self._git
        unknown = self._unknown(way.target)
        coverage, tree = write_tree(git, self._records, self._settings, unknown)
        memory = recall(git)
        modes = memory.modes if memory else {}
        now = Now(tree, coverage, self._when, self._past, modes, _tuple(by))
        plan = make_plan(git, way, now, over=False)
        return Preview(way, tree, self._items(plan), plan.spared, head_of(git.work_tree))

    def restore(self, way: Way, *, over: bool, expects: str, by: By) -> Restored:
        """Put back what differs; raises NotRestoredError, ChangedMeanwhileError."""
        before = self._save_before(way, by)
        meanwhile = self._changed_since(expects, before) if expects else frozenset()
        modes, since = before.modes, _tuple(by)
        now = Now(before.tree, before.coverage, self._when, self._past, modes, since, meanwhile)
        plan = make_plan(self._git, way, now, over=over)
        if meanwhile and not plan.changes:
            raise ChangedMeanwhileError(expects)
        items = self._items(plan)
        after = before
        if plan.changes:
            tree = Tree(self._git.work_tree)
            applying = Applying(self._git, tree, self._journals, way.target, before)
            with applying.applied(plan.changes):
                after, wrong = self._save_after(way, before, plan)
            if wrong:
                raise NotRestoredError(wrong, before.id, "changed while it was restored")
        self._journals.settle()
        return Restored(before, after, items, plan.spared, before.coverage.left_out)

    def _changed_since(self, expects: str, before: Record) -> frozenset[str]:
        """Files that somebody changes all the time need not keep others from being put back."""
        if before.tree == expects:
            return frozenset()
        (found,) = differences(self._git, (expects, before.tree))
        paths = frozenset(each.path for each in found)
        if any(os.path.basename(path) == IGNORE_FILE for path in paths):
            raise ChangedMeanwhileError(expects)  # other files would be deleted
        return paths

    @property
    def _when(self) -> datetime:
        return datetime.fromtimestamp(self._at, UTC)

    def _save_before(self, way: Way, by: By) -> Record:
        known = by if by is not None else [way.run] if way.run else []
        why = f"before going back to {way.target.id}"
        about = About(Moment.BEFORE_RESTORE, why, by=tuple(known))
        return self._save(about, self._unknown(way.target))

    def _save_after(self, way: Way, before: Record, plan: Plan) -> tuple[Record, list[str]]:
        """The checkpoint of what came of it, and what is not as it should be."""
        # Files are back, however long it took: that they are compared must not fail for it.
        self._git = self._git.within(Deadline(self._git.deadline.seconds))
        try:
            saved, wrong = self._compare(way, before, plan)
            return self._write_down(way, before, saved), wrong
        except (CheckpointError, OSError) as error:
            paths = [each.path for each in plan.changes]
            why = f"restored, but not compared: {error}"
            raise NotRestoredError(paths, before.id, why) from error

    def _compare(self, way: Way, before: Record, plan: Plan) -> tuple[Record, list[str]]:
        """Compare files with the checkpoint; what others did meanwhile elsewhere is theirs."""
        about = About(Moment.RESTORED, f"went back to {way.target.id}")
        if _is_plain(plan):
            tree = Tree(self._git.work_tree)
            wrong = [each.path for each in plan.changes if tree.content(each.path) != each.after]
            saving = Saving(self._git, self._records, about, self._at, self._settings)
            saved = None if wrong else saving.save_restored(before, plan.changes)
            if saved:
                return saved, []
        self._forget(plan.uncertain)
        saved = self._save(about, [each.path for each in plan.changes])
        return saved, self._wrong(plan, before, saved)

    def _write_down(self, way: Way, before: Record, saved: Record) -> Record:
        steps: dict[str, int] = {}
        for record in self._past:
            steps = record.steps | steps
        after = msgspec.structs.replace(saved, back_to=way.target.id, undo=before.id, steps=steps)
        self._records.write(after)
        if way.level is Level.REDO and way.base is not None:
            self._note_redone(way.base)
        return after

    def _save(self, about: About, also: Sequence[str]) -> Record:
        saving = Saving(self._git, self._records, about, self._at, self._settings)
        return saving.save(also).record

    def _note_redone(self, record: Record) -> None:
        found = self._records.read(record.number)
        if found is not None:
            self._records.write(msgspec.structs.replace(found, redone=True))

    def _unknown(self, target: Record) -> list[str]:
        """Files of a checkpoint that are there, but not known to the index: ignored by now."""
        asked = ("-z", "--name-only", "--diff-filter=D", "--no-renames")
        try:
            then = self._git.paths("diff-index", "--cached", *asked, target.tree)
        except GitError:
            then = self._held(target)  # a damaged index knows nothing
        folders = Folders(self._git.work_tree)
        return [path for path in then if folders.holds_file(path)]

    def _held(self, target: Record) -> list[str]:
        try:
            return self._git.paths("ls-tree", "-r", "-z", "--name-only", target.tree)
        except GitTooSlowError:
            raise
        except GitError as error:
            raise DamagedError(target.id, error.says.splitlines()[-1]) from error

    def _forget(self, paths: Sequence[str]) -> None:
        """Take out of the index what is there and was not saved then: it may be ignored again."""
        if paths:
            given = join_paths(paths)
            self._git.run("update-index", "--force-remove", "-z", "--stdin", given=given)

    def _items(self, plan: Plan) -> tuple[Item, ...]:
        blobs = [each.old_blob if each.deletes else each.blob for each in plan.changes]
        return tuple(
            Item(change.path, _does(change), size)
            for change, size in zip(plan.changes, sizes(self._git, blobs), strict=True)
        )

    def _wrong(self, plan: Plan, before: Record, after: Record) -> list[str]:
        (found,) = differences(self._git, (before.tree, after.tree))
        states = {each.path: (each.mode, each.blob) for each in found}
        return [
            each.path
            for each in plan.changes
            if states.get(each.path, (each.old_mode, each.old_blob)) != (each.mode, each.blob)
        ]


def _tuple(by: By) -> tuple[str, ...] | None:
    return None if by is None else tuple(by)


def _is_plain(plan: Plan) -> bool:
    """Whether nothing but its files can be other by it: they are few, and say nothing of others."""
    is_small = len(plan.changes) <= MAX_NAMED and not plan.uncertain
    names = {os.path.basename(each.path) for each in plan.changes}
    return is_small and IGNORE_FILE not in names


def _does(change: Change) -> Does:
    if change.deletes:
        return Does.DELETE
    return Does.CREATE if change.creates else Does.CHANGE
