"""Takes a checkpoint: lists what changed, stages it, writes tree, commit, ref and record."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec
from msgspec import structs

from handrail.checkpoint.errors import (
    GitError,
    GitTooSlowError,
    NothingSavedError,
    RefusedError,
    StoreError,
)
from handrail.checkpoint.git import Git
from handrail.checkpoint.memory import is_text, remember
from handrail.checkpoint.record import About, Coverage, Moment, Record
from handrail.checkpoint.records import Records
from handrail.checkpoint.staging import Staged, stage
from handrail.checkpoint.user_repository import head_of
from handrail.config.checkpoints import Checkpoints as Settings

_MAX_WHY = 200
_DEFAULTS = Settings()
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without any file."""
_MARKS = frozenset(Moment) - {Moment.BEFORE_RESTORE, Moment.RESTORED}
"""Moments that need no checkpoint of their own where nothing has changed."""


class Saved(msgspec.Struct, frozen=True):
    """A checkpoint, which an earlier one may be if nothing has changed since."""

    record: Record
    is_new: bool = True


def save(
    git: Git,
    records: Records,
    about: About,
    now: float,
    also: Iterable[str] = (),
    *,
    settings: Settings = _DEFAULTS,
) -> Saved:
    """Save the work tree; unchanged, it is the checkpoint before unless a person names this one."""
    if not is_text(git.work_tree):
        raise RefusedError(repr(git.work_tree), "its name is not UTF-8")
    staged, tree = _write(git, also, settings)
    last = records.last(git.work_tree)
    if last is not None and not about.name and about.moment in _MARKS:
        held = (last.tree, last.coverage, last.modes)
        if held == (tree, staged.coverage, staged.memory.modes):
            return Saved(_still(last, about, records), is_new=False)
    number = max(records.numbers(), default=0) + 1
    message = about.why[:_MAX_WHY].encode(errors="replace").decode() or about.moment
    commit = git.text("commit-tree", "-m", message, tree)
    git.run("update-ref", f"refs/checkpoints/c{number}", commit)
    files, size = _changed(git, staged, last, tree)
    record = Record(
        **structs.asdict(about),
        number=number,
        created_at=datetime.fromtimestamp(now, UTC),
        git_commit=commit,
        tree=tree,
        work_tree=git.work_tree,
        files=files,
        bytes=size,
        coverage=staged.coverage,
        head=head_of(git.work_tree),
        steps=_step(about),
        modes=staged.memory.modes,
    )
    records.write(record)
    return Saved(record)


def write_tree(
    git: Git, also: Iterable[str] = (), *, settings: Settings = _DEFAULTS
) -> tuple[Coverage, str]:
    """The tree of the files as they are now, and what it holds of them."""
    staged, tree = _write(git, also, settings)
    return staged.coverage, tree


def _write(git: Git, also: Iterable[str], settings: Settings) -> tuple[Staged, str]:
    also = tuple(also)
    try:
        return _write_once(git, also, settings)
    except (GitTooSlowError, StoreError):
        raise
    except GitError:
        # A machine that went down may leave a damaged index: it is only a memory of the tree.
        if not os.path.exists(git.index):
            raise
        os.unlink(git.index)
        return _write_once(git, also, settings)


def _write_once(git: Git, also: Iterable[str], settings: Settings) -> tuple[Staged, str]:
    staged = stage(git, settings, also)
    tree = git.text("write-tree")
    if tree == _EMPTY and staged.wanted:
        why = "there was no time" if staged.coverage.unfinished else _reason(staged.coverage)
        raise NothingSavedError(git.work_tree, why)
    memory = structs.replace(staged.memory, tree=tree)
    if memory != staged.memory_before:
        remember(git, memory)
    return staged, tree


def _reason(coverage: Coverage) -> str:
    return coverage.left_out[0].why if coverage.left_out else "git took none of it in"


def _changed(git: Git, staged: Staged, last: Record | None, tree: str) -> tuple[int, int]:
    """How many files are other than in the checkpoint before, and how much they are together."""
    before = last.tree if last else ""
    if staged.memory_before.tree == before and (staged.files or tree == before):
        return staged.files, staged.bytes
    # The index has been brought up to date since the checkpoint before, for a preview say.
    paths = git.paths("diff-tree", "-r", "-z", "--name-only", before or _EMPTY, tree)
    return len(paths), sum(_size(os.path.join(git.work_tree, path)) for path in paths)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _still(last: Record, about: About, records: Records) -> Record:
    """The checkpoint before, after which there was one more step that changed nothing."""
    record = structs.replace(last, steps=last.steps | _step(about))
    if record != last:
        records.write(record, durable=False)
    return record


def _step(about: About) -> dict[str, int]:
    return {about.run: about.step} if about.run else {}
