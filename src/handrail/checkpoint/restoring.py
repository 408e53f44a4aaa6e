"""Puts files back: by the difference only, after a checkpoint, and compared afterwards."""

from collections.abc import Sequence

from handrail.checkpoint.blobs import open_blobs
from handrail.checkpoint.errors import ChangedMeanwhileError, GitError, NotRestoredError
from handrail.checkpoint.git import Git, join_paths
from handrail.checkpoint.plan import Change, Plan, make_plan
from handrail.checkpoint.record import About, Moment, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.saving import save, write_tree
from handrail.checkpoint.tree import Tree
from handrail.checkpoint.way import Does, Item, Preview, Restored, Spared, Way

_IGNORED = "it was ignored then, so nobody knows whether it was there"


def preview(git: Git, records: Records, way: Way) -> Preview:
    """What a restore would do; nothing is changed."""
    _, tree = write_tree(git, _unknown(git, way.target.tree))
    plan = make_plan(git, tree, way.target.tree)
    return Preview(way, tree, _items(plan), _spared(plan))


def restore(
    git: Git, records: Records, way: Way, now: float, *, over: bool = False, expects: str = ""
) -> Restored:
    """Put back what differs.

    `over`: also what others have changed since; `expects`: the tree that a preview has shown.
    """
    target = way.target
    about = About(Moment.BEFORE_RESTORE, f"before going back to {target.id}", run=way.run)
    before = save(git, records, about, now, _unknown(git, target.tree)).record
    if expects and before.tree != expects:
        raise ChangedMeanwhileError(expects)
    plan = make_plan(git, before.tree, target.tree)
    _forget(git, plan.kept)
    _apply(git, plan, before)
    _verify(git, plan, target, before)
    about = About(Moment.RESTORED, f"went back to {target.id}", run=way.run)
    after = save(git, records, about, now).record
    return Restored(before, after, _items(plan), _spared(plan), before.coverage.left_out)


def _items(plan: Plan) -> tuple[Item, ...]:
    return tuple(Item(change.path, _does(change)) for change in plan.changes)


def _does(change: Change) -> Does:
    if change.deletes:
        return Does.DELETE
    return Does.CREATE if change.creates else Does.CHANGE


def _spared(plan: Plan) -> tuple[Spared, ...]:
    return tuple(Spared(path, _IGNORED) for path in plan.kept)


def _unknown(git: Git, target: str) -> set[str]:
    """Paths of a tree that the index does not know: they may be there, and ignored by now."""
    then = git.paths("ls-tree", "-r", "-z", "--name-only", target)
    return set(then).difference(git.paths("ls-files", "-z"))


def _forget(git: Git, paths: Sequence[str]) -> None:
    if paths:
        git.run("update-index", "--force-remove", "-z", "--stdin", given=join_paths(paths))


def _apply(git: Git, plan: Plan, undo: Record) -> None:
    tree = Tree(git.work_tree)
    failed: list[str] = []
    why = ""
    with open_blobs(git) as read:
        # First deleted, then written: a folder may be in the place of a file, or the other way.
        for change in sorted(plan.changes, key=lambda each: not each.deletes):
            try:
                if change.deletes:
                    tree.delete(change.path)
                else:
                    tree.write(change.path, change.mode, read(change.blob))
            except (OSError, GitError) as error:
                failed.append(change.path)
                why = why or str(error)
    if failed:
        raise NotRestoredError(failed, undo.id, why)


def _verify(git: Git, plan: Plan, target: Record, undo: Record) -> None:
    """Compare the files with the checkpoint; what others did meanwhile elsewhere is theirs."""
    mine = {each.path for each in plan.changes}
    try:
        _, tree = write_tree(git, mine)
        differs = git.paths("diff-tree", "-r", "-z", "--name-only", tree, target.tree)
    except GitError as error:
        raise NotRestoredError(sorted(mine), undo.id, f"not compared: {error}") from None
    if wrong := mine.intersection(differs):
        raise NotRestoredError(sorted(wrong), undo.id, "changed while it was restored")
