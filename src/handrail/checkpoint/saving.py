"""Takes a checkpoint: lists what changed, stages it, writes tree, commit, ref and record."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from handrail.checkpoint.errors import GitError, GitTooSlowError
from handrail.checkpoint.git import Git
from handrail.checkpoint.record import About, Coverage, LeftOut, Moment, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.staging import stage

_MAX_WHY = 200


class Saved(msgspec.Struct, frozen=True):
    """A checkpoint, which an earlier one may be if nothing has changed since."""

    record: Record
    is_new: bool = True


def save(git: Git, records: Records, about: About, now: float, also: Iterable[str] = ()) -> Saved:
    """Save the work tree; unchanged, it is the checkpoint before unless a person names this one."""
    left_out, tree = write_tree(git, also)
    last = records.last(git.work_tree)
    if last is not None and last.tree == tree and not about.name and about.moment in _MARKS:
        record = msgspec.structs.replace(last, steps=last.steps | _step(about))
        if record != last:
            records.write(record, durable=False)
        return Saved(record, is_new=False)
    number = max(records.numbers(), default=0) + 1
    commit = git.text("commit-tree", "-m", about.why[:_MAX_WHY] or about.moment, tree)
    git.run("update-ref", f"refs/checkpoints/c{number}", commit)
    if last is not None:
        changed = git.paths("diff-tree", "-r", "-z", "--name-only", last.tree, tree)
    else:
        changed = git.paths("ls-tree", "-r", "-z", "--name-only", tree)
    record = Record(
        **msgspec.structs.asdict(about),
        number=number,
        created_at=datetime.fromtimestamp(now, UTC),
        git_commit=commit,
        tree=tree,
        work_tree=git.work_tree,
        files=len(changed),
        coverage=Coverage(left_out),
        steps=_step(about),
    )
    records.write(record)
    return Saved(record)


_MARKS = frozenset(Moment) - {Moment.BEFORE_RESTORE, Moment.RESTORED}
"""Moments that need no checkpoint of their own where nothing has changed."""


def write_tree(git: Git, also: Iterable[str] = ()) -> tuple[tuple[LeftOut, ...], str]:
    """The tree of the files as they are now, and what is not in it."""
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


def _step(about: About) -> dict[str, int]:
    return {about.run: about.step} if about.run else {}
