"""Finds the checkpoints around the action, iteration or task to undo."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from handrail.checkpoint.errors import NothingToUndoError
from handrail.checkpoint.record import CheckpointRecord, CheckpointTrigger
from handrail.checkpoint.restore.target import RestoreTarget, UndoLevel

_WHOLE = frozenset({UndoLevel.ITERATION, UndoLevel.TASK})
_STARTS = frozenset({CheckpointTrigger.PROMPT, CheckpointTrigger.UNATTENDED})
_BOUNDS = _STARTS | {CheckpointTrigger.ITERATION_END}
_AT_WORK = _STARTS | {CheckpointTrigger.BEFORE_ACTION}
"""After such a checkpoint an agent works: the files are other by now, as far as is known."""
_LIST = "see `handrail checkpoints`, and go back to one with `handrail rollback ID`"


def restore_target(
    records: Sequence[CheckpointRecord],
    level: UndoLevel,
    *,
    run: str = "",
    step: int = 0,
    now: str = "",
    repository: str | None = None,
) -> RestoreTarget:
    """Find the target that undoes the last action, iteration, task or restore.

    `records`: of one work tree, the newest first; `run`: whose changes, empty: the last run that
    worked here; `step`: which action; `now`: the tree of the files, if it is known; `repository`:
    the state of the repository now, if changes of it count, too. Skips changes that are undone
    already. Raises NothingToUndoError.
    """
    if not records:
        raise NothingToUndoError("there is no checkpoint yet", "`handrail checkpoint` takes one")
    in_time = [each for each in records if not each.late]
    if repository is not None:
        # A late one may lie in the middle of a commit: half of it would go back.
        known = [each for each in in_time if each.repository]
        if not known:
            raise NothingToUndoError("no checkpoint has recorded a repository", _LIST)
        return _restore_target(known, level, _UndoneBy(run, step, now, repository))
    wanted = _UndoneBy(run, step, now)
    if in_time:
        with suppress(NothingToUndoError):
            return _restore_target(in_time, level, wanted)
    return _restore_target(records, level, wanted)


def restores_run_state(way: RestoreTarget, records: Iterable[CheckpointRecord]) -> bool:
    """Whether a restore brings a run back to where it was: none of its later work is left.

    `records`: of the same work tree.
    """
    if way.level is UndoLevel.CHECKPOINT:
        return True
    if way.level not in _WHOLE:
        return False
    return way.base is None or not any(
        each.number > way.base.number and way.run in each.by for each in records
    )


class _UndoneBy(msgspec.Struct, frozen=True):
    """Whose changes to undo, and how things are now."""

    run: str
    step: int
    now: str
    repository: str | None = None


def _restore_target(
    records: Sequence[CheckpointRecord], level: UndoLevel, wanted: _UndoneBy
) -> RestoreTarget:
    if level is UndoLevel.REDO:
        return _redo(records)
    past = _CheckpointHistory(records, wanted)
    step = wanted.step
    if level is UndoLevel.CHECKPOINT:
        return RestoreTarget(level, records[0], says=f"everything since {records[0].id}")
    if not past.run:
        raise NothingToUndoError("no checkpoint holds a change that an agent made", _LIST)
    if level is UndoLevel.ACTION and step:
        return _one_action(past, step)
    way = next(_WAYS[level](past), None)
    if way is None:
        what = "files or the repository" if past.with_git else "files"
        raise NothingToUndoError(f"no {level} of run {past.run} is left that changed {what}", _LIST)
    return way


class _CheckpointStep(msgspec.Struct, frozen=True):
    """Two successive checkpoints."""

    older: CheckpointRecord
    newer: CheckpointRecord | None
    """None: from the last one until now."""


class _CheckpointHistory:
    """The checkpoints that led to the files now, the newest first.

    After a restore the line continues at the checkpoint that it restored.
    """

    def __init__(self, records: Sequence[CheckpointRecord], wanted: _UndoneBy) -> None:
        self.all = records
        self.with_git = wanted.repository is not None
        """Changes of the repository count, too."""
        self.line = list(_in_effect(records, self.content))
        last = self.line[0]
        now = (wanted.now, wanted.repository) if self.with_git else wanted.now
        self.goes_on = now != self.content(last) if wanted.now else last.moment in _AT_WORK
        """Something was changed since the last checkpoint."""
        self.now: object = now if wanted.now else self.content(last)
        self.undone = {
            each.back_to
            for each, before in zip(self.line, self.line[1:], strict=False)
            if each.back_to and not each.redone and each.back_to != before.id
        }
        """Targets of partial restores: the line goes on past them."""
        self.run = wanted.run or self._last_run()

    def content(self, record: CheckpointRecord) -> object:
        """What a checkpoint holds, to compare it with another."""
        return (record.tree, record.repository) if self.with_git else record.tree

    def parts(self) -> Iterator[_CheckpointStep]:
        """The pairs between which files changed, the newest first."""
        if self.goes_on:
            yield _CheckpointStep(self.line[0], None)
        for newer, older in zip(self.line, self.line[1:], strict=False):
            if self.differ(newer, older) and older.id not in self.undone:
                yield _CheckpointStep(older, newer)

    def differ(self, one: CheckpointRecord, other: CheckpointRecord) -> bool:
        """Whether two checkpoints hold something else."""
        return self.content(one) != self.content(other)

    def is_of_run(self, part: _CheckpointStep) -> bool:
        """Whether the run changed something in it; it may have, if nothing is saved yet."""
        return self.run in part.newer.by if part.newer else True

    def differs_since(self, start: CheckpointRecord) -> bool:
        """Whether the files differ from that checkpoint, as far as is known."""
        return self.goes_on or self.now != self.content(start)

    def _last_run(self) -> str:
        for part in self.parts():
            maker = part.newer or part.older
            if maker.run and (part.newer is None or maker.run in maker.by):
                return maker.run
            if part.newer is not None and maker.by:
                return maker.by[-1]
        return ""


def _in_effect(
    records: Sequence[CheckpointRecord], content: Callable[[CheckpointRecord], object]
) -> Iterator[CheckpointRecord]:
    places = {record.id: place for place, record in enumerate(records)}
    place = 0
    while place < len(records):
        record = records[place]
        yield record
        back = places.get(record.back_to, 0)
        # A restore that spared files, or took back only a part, did not lead back there.
        is_back = back > place and content(records[back]) == content(record)
        place = back if is_back else place + 1


def _until(record: CheckpointRecord, run: str) -> int | None:
    """The last step of a run that left the files like this; None: not known."""
    return record.steps.get(run, record.step if record.run == run else None)


def _since(record: CheckpointRecord, run: str) -> int | None:
    """The first step of a run that left the files like this."""
    return record.step if record.run == run else record.steps.get(run)


def _last_actions(past: _CheckpointHistory) -> Iterator[RestoreTarget]:
    for part in past.parts():
        if past.is_of_run(part):
            yield _action(past, part.older, part.newer)


def _one_action(past: _CheckpointHistory, step: int) -> RestoreTarget:
    run = past.run
    later = [
        each
        for each in past.all
        if not each.back_to and (since := _since(each, run)) is not None and since >= step
    ]
    base = later[-1] if later else None
    for record in past.all:
        until = _until(record, run)
        if until is None or (base is not None and record.number >= base.number):
            continue
        if until < step:
            if base is not None and not past.differ(base, record):
                raise _changed_nothing(past, step, base, record)
            return _action(past, record, base)
        if (since := _since(record, run)) is not None and since < step and not record.back_to:
            raise _changed_nothing(past, step)
    raise NothingToUndoError(f"no checkpoint is from before action {step} of run {run}", _LIST)


def _changed_nothing(
    past: _CheckpointHistory,
    step: int,
    newer: CheckpointRecord | None = None,
    older: CheckpointRecord | None = None,
) -> NothingToUndoError:
    what = "neither files nor the repository" if past.with_git else "no files"
    is_git = newer is not None and older is not None and newer.repository != older.repository
    instead = "add --git to take back its commits, branches and stashes" if is_git else _LIST
    return NothingToUndoError(f"action {step} of run {past.run} changed {what}", instead)


def _action(
    past: _CheckpointHistory, target: CheckpointRecord, base: CheckpointRecord | None
) -> RestoreTarget:
    return RestoreTarget(
        UndoLevel.ACTION, target, base, past.run, _says_actions(past, target, base)
    )


def _says_actions(
    past: _CheckpointHistory, target: CheckpointRecord, base: CheckpointRecord | None
) -> str:
    run = past.run
    first = next(
        (
            until + 1
            for each in past.all
            if each.number <= target.number and (until := _until(each, run)) is not None
        ),
        1,
    )
    last = _since(base, run) if base is not None else None
    if last is None:
        return f"what run {run} did since step {first - 1} ({target.id})"
    if last <= first:
        why = f" ({base.why.removeprefix('after ')})" if base is not None and base.why else ""
        return f"action {last} of run {run}{why}"
    return f"steps {first}-{last} of run {run}: there is no checkpoint between them"


def _iterations(past: _CheckpointHistory) -> Iterator[RestoreTarget]:
    run = past.run
    bounds = [each for each in past.line if each.run == run and each.moment in _BOUNDS]
    end: CheckpointRecord | None = None
    for start in bounds:
        if _is_iteration(past, start, end) and start.id not in past.undone:
            why = f": {start.why}" if start.why and start.moment in _STARTS else ""
            yield RestoreTarget(
                UndoLevel.ITERATION, start, end, run, f"an iteration of run {run}{why}"
            )
        end = start


def _is_iteration(
    past: _CheckpointHistory, start: CheckpointRecord, end: CheckpointRecord | None
) -> bool:
    """Whether the run worked from one to the other; a start is not kept if nothing was new."""
    differs = past.differ(start, end) if end is not None else past.differs_since(start)
    if not differs or start.moment in _STARTS:
        return differs
    if end is not None:
        return end.moment is CheckpointTrigger.ITERATION_END
    return any(past.is_of_run(each) and each.older.number >= start.number for each in past.parts())


def _tasks(past: _CheckpointHistory) -> Iterator[RestoreTarget]:
    run = past.run
    mine = [each for each in past.line if each.run == run or run in each.steps]
    if not mine or mine[-1].id in past.undone:
        return
    start = mine[-1]
    last = next((each for each in past.line if run in each.by), None)
    base = None if past.goes_on else last
    if past.differs_since(start) if base is None else past.differ(base, start):
        says = f"everything that run {run} did"
        if run in start.by:  # what was before is not kept any more
            says += f" since step {_since(start, run) or 0}: no older checkpoint is there"
        yield RestoreTarget(UndoLevel.TASK, start, base, run, says)


def _redo(records: Sequence[CheckpointRecord]) -> RestoreTarget:
    restores = [each for each in records if each.moment is CheckpointTrigger.RESTORED]
    redone = {each.undo for each in restores if each.redone}
    for each in restores:
        if each.redone or each.back_to in redone:  # the second: it is a redo itself
            continue
        target = next((found for found in records if found.id == each.undo), None)
        if target is not None:
            says = f"the changes undone by going back to {each.back_to}"
            return RestoreTarget(UndoLevel.REDO, target, each, says=says)
    raise NothingToUndoError("no undo is left to take back", _LIST, "redo")


_WAYS: dict[UndoLevel, Callable[[_CheckpointHistory], Iterator[RestoreTarget]]] = {
    UndoLevel.ACTION: _last_actions,
    UndoLevel.ITERATION: _iterations,
    UndoLevel.TASK: _tasks,
}
