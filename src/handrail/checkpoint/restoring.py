"""Puts files back: by the difference only, after a checkpoint, and compared afterwards."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from handrail.checkpoint import journal
from handrail.checkpoint.applying import Applying
from handrail.checkpoint.blobs import sizes
from handrail.checkpoint.differences import Change, differences
from handrail.checkpoint.errors import ChangedMeanwhileError, GitError, NotRestoredError
from handrail.checkpoint.folders import Folders
from handrail.checkpoint.git import Git, join_paths
from handrail.checkpoint.plan import Now, Plan, make_plan
from handrail.checkpoint.record import About, Moment, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.saving import save, write_tree
from handrail.checkpoint.tree import Tree
from handrail.checkpoint.user_repository import head_of
from handrail.checkpoint.way import Does, Item, Level, Preview, Restored, Way
from handrail.config.checkpoints import Checkpoints as Settings

_DEFAULTS = Settings()
By = Sequence[str] | None
"""The runs that worked since the last checkpoint; without any, a person did. None: not known."""


def preview(
    git: Git,
    records: Records,
    way: Way,
    at: float,
    *,
    by: By = None,
    settings: Settings = _DEFAULTS,
) -> Preview:
    """What a restore would do; nothing is changed."""
    journal.sweep(os.path.dirname(git.directory), git.work_tree)
    past = list(records.newest_first(git.work_tree))
    coverage, tree = write_tree(git, _unknown(git, way.target.tree), settings=settings)
    now = Now(tree, coverage, _when(at), past, None if by is None else tuple(by))
    plan = make_plan(git, way, now, over=False)
    return Preview(way, tree, _items(git, plan), plan.spared, head_of(git.work_tree))


def restore(
    git: Git,
    records: Records,
    way: Way,
    at: float,
    *,
    over: bool = False,
    expects: str = "",
    by: By = None,
    settings: Settings = _DEFAULTS,
) -> Restored:
    """Put back what differs.

    `over`: also what others have changed since; `expects`: the tree that a preview has shown.
    """
    journal.sweep(os.path.dirname(git.directory), git.work_tree)
    past = list(records.newest_first(git.work_tree))
    before = _save_before(git, records, way, at, by, settings)
    if expects and before.tree != expects:
        raise ChangedMeanwhileError(expects)
    now = Now(before.tree, before.coverage, _when(at), past, None if by is None else tuple(by))
    plan = make_plan(git, way, now, over=over)
    items = _items(git, plan)
    if not plan.changes:
        return Restored(before, before, items, plan.spared, before.coverage.left_out)
    Applying(git, Tree(git.work_tree), way.target, before).apply(plan.changes)
    after = _save_after(git, records, way, at, before, plan, settings)
    _verify(git, plan, before, after)
    return Restored(before, after, items, plan.spared, before.coverage.left_out)


def _when(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _save_before(
    git: Git, records: Records, way: Way, at: float, by: By, settings: Settings
) -> Record:
    known = by if by is not None else [way.run] if way.run else []
    why = f"before going back to {way.target.id}"
    about = About(Moment.BEFORE_RESTORE, why, by=tuple(known))
    also = _unknown(git, way.target.tree)
    return save(git, records, about, at, also, settings=settings).record


def _save_after(
    git: Git,
    records: Records,
    way: Way,
    at: float,
    before: Record,
    plan: Plan,
    settings: Settings,
) -> Record:
    _forget(git, plan.uncertain)
    about = About(Moment.RESTORED, f"went back to {way.target.id}")
    paths = [each.path for each in plan.changes]
    try:
        saved = save(git, records, about, at, paths, settings=settings).record
    except GitError as error:
        raise NotRestoredError(paths, before.id, f"restored, but not compared: {error}") from error
    steps: dict[str, int] = {}
    for record in records.newest_first(git.work_tree):
        steps = record.steps | steps
    after = msgspec.structs.replace(saved, back_to=way.target.id, undo=before.id, steps=steps)
    records.write(after)
    if way.level is Level.REDO and way.base is not None:
        undone = records.read(way.base.number)
        if undone is not None:
            records.write(msgspec.structs.replace(undone, redone=True))
    return after


def _items(git: Git, plan: Plan) -> tuple[Item, ...]:
    blobs = [each.old_blob if each.deletes else each.blob for each in plan.changes]
    return tuple(
        Item(change.path, _does(change), size)
        for change, size in zip(plan.changes, sizes(git, blobs), strict=True)
    )


def _does(change: Change) -> Does:
    if change.deletes:
        return Does.DELETE
    return Does.CREATE if change.creates else Does.CHANGE


def _unknown(git: Git, target: str) -> list[str]:
    """Files of a tree that are there, but not known to the index: they are ignored by now."""
    asked = ("-z", "--name-only", "--diff-filter=D", "--no-renames")
    try:
        then = git.paths("diff-index", "--cached", *asked, target)
    except GitError:  # a damaged index knows nothing
        then = git.paths("ls-tree", "-r", "-z", "--name-only", target)
    folders = Folders(git.work_tree)
    return [path for path in then if folders.holds_file(path)]


def _forget(git: Git, paths: Sequence[str]) -> None:
    """Take out of the index what is there and was not saved then: it may be ignored again."""
    if paths:
        git.run("update-index", "--force-remove", "-z", "--stdin", given=join_paths(paths))


def _verify(git: Git, plan: Plan, before: Record, after: Record) -> None:
    """Compare the files with the checkpoint; what others did meanwhile elsewhere is theirs."""
    (found,) = differences(git, (before.tree, after.tree))
    states = {each.path: (each.mode, each.blob) for each in found}
    wrong = [each.path for each in plan.changes if states.get(each.path) != (each.mode, each.blob)]
    if wrong:
        raise NotRestoredError(wrong, before.id, "changed while it was restored")
