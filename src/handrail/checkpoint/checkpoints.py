"""Saves a work tree and puts it back."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from handrail.checkpoint.blobs import open_blobs
from handrail.checkpoint.errors import (
    GitError,
    GitTooSlowError,
    NoSuchCheckpointError,
    NotRestoredError,
)
from handrail.checkpoint.git import Git, join_paths
from handrail.checkpoint.plan import Plan, make_plan
from handrail.checkpoint.private import Private, key_of
from handrail.checkpoint.staging import LeftOut, stage
from handrail.checkpoint.tree import Tree
from handrail.checkpoint.work_tree import check_work_tree

SECONDS = 30.0
"""How long saving or restoring may take."""
_MAX_WHY = 200
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class Saved(msgspec.Struct, frozen=True):
    """A checkpoint of a work tree."""

    commit: str
    files: int
    """How many are other than in the checkpoint before; 0: it is that one."""
    left_out: tuple[LeftOut, ...] = ()
    """What it does not hold, beside ignored files."""


class Restored(msgspec.Struct, frozen=True):
    """A work tree that is as it was."""

    undo: str
    """The checkpoint that was taken just before, which undoes it."""
    changed: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Ignored at that time, so nobody knows whether they were there: not deleted."""
    left_out: tuple[LeftOut, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that is other than it was."""
        return self.changed + self.created + self.deleted


class Checkpoints:
    """The checkpoints of a project, in a private folder outside of its work trees.

    One process at a time; the repository of the user is not touched by any of it.
    """

    def __init__(
        self, folder: str, environ: Mapping[str, str] = os.environ, *, seconds: float = SECONDS
    ) -> None:
        self._private = Private(folder, environ)
        self._environ = environ
        self._seconds = seconds

    def save(self, work_tree: str, why: str) -> Saved:
        """Save every file that is not ignored; an unchanged tree is the checkpoint before."""
        with self._private.open(self._real(work_tree), self._seconds) as git:
            return _save(git, why)

    def restore(self, work_tree: str, commit: str) -> Restored:
        """Put back what differs from a checkpoint; what is there now is saved first."""
        with self._private.open(self._real(work_tree), self._seconds) as git:
            target = _find(git, commit)
            now = _save(git, f"before going back to {commit}", _unknown(git, target))
            plan = make_plan(git, now.commit, target)
            _forget(git, plan.kept)
            _apply(git, plan, now.commit)
            _verify(git, plan, target, now.commit)
        return Restored(
            now.commit,
            tuple(each.path for each in plan.changes if not (each.creates or each.deletes)),
            tuple(each.path for each in plan.changes if each.creates),
            tuple(each.path for each in plan.changes if each.deletes),
            plan.kept,
            now.left_out,
        )

    def _real(self, work_tree: str) -> str:
        return check_work_tree(work_tree, self._environ)


class _Last(msgspec.Struct, frozen=True):
    commit: str = ""
    tree: str = ""


def _save(git: Git, why: str, also: Iterable[str] = ()) -> Saved:
    left_out, tree = _write_tree(git, also)
    last = _last(git)
    if tree == last.tree:
        return Saved(last.commit, 0, left_out)
    commit = git.text("commit-tree", "-m", why[:_MAX_WHY], tree)
    _point(git, commit)
    if last.tree:
        changed = git.paths("diff-tree", "-r", "-z", "--name-only", last.tree, tree)
    else:
        changed = git.paths("ls-tree", "-r", "-z", "--name-only", tree)
    return Saved(commit, len(changed), left_out)


def _write_tree(git: Git, also: Iterable[str]) -> tuple[tuple[LeftOut, ...], str]:
    try:
        return stage(git, also), git.text("write-tree")
    except GitTooSlowError:
        raise
    except GitError:
        # A machine that went down may leave a damaged index: it is only a memory of the tree.
        if not os.path.exists(git.index):
            raise
        os.unlink(git.index)
        return stage(git, also), git.text("write-tree")


def _last(git: Git) -> _Last:
    """The last checkpoint of the work tree."""
    ref = f"refs/last/{key_of(git.work_tree)}"
    return _Last(*git.text("for-each-ref", "--format=%(objectname) %(tree)", ref).split())


def _point(git: Git, commit: str) -> None:
    """Name a commit, so that it stays, and as the last one. Each has a name of its own."""
    key = key_of(git.work_tree)
    names = (f"refs/checkpoints/{key}/{commit}", f"refs/last/{key}")
    lines = "".join(f"update {name} {commit}\n" for name in names)
    git.run("update-ref", "--stdin", given=lines.encode())


def _find(git: Git, commit: str) -> str:
    if not _COMMIT.fullmatch(commit):
        raise NoSuchCheckpointError(commit)
    try:
        return git.text("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    except GitTooSlowError:
        raise
    except GitError:
        raise NoSuchCheckpointError(commit) from None


def _unknown(git: Git, target: str) -> set[str]:
    """Paths of a commit that the index does not know: they may be there, and ignored by now."""
    then = git.paths("ls-tree", "-r", "-z", "--name-only", target)
    return set(then).difference(git.paths("ls-files", "-z"))


def _forget(git: Git, paths: Sequence[str]) -> None:
    if paths:
        git.run("update-index", "--force-remove", "-z", "--stdin", given=join_paths(paths))


def _apply(git: Git, plan: Plan, undo: str) -> None:
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
        raise NotRestoredError(failed, undo, why)


def _verify(git: Git, plan: Plan, target: str, undo: str) -> None:
    """Compare the files with the checkpoint; what others did meanwhile elsewhere is theirs."""
    mine = {each.path for each in plan.changes}
    try:
        _, tree = _write_tree(git, mine)
        differs = git.paths("diff-tree", "-r", "-z", "--name-only", tree, target)
    except GitError as error:
        raise NotRestoredError(sorted(mine), undo, f"not compared: {error}") from None
    if wrong := mine.intersection(differs):
        raise NotRestoredError(sorted(wrong), undo, "changed while it was restored")
    if not differs:
        _point(git, target)
