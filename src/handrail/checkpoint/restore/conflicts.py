"""Conflicts: files that somebody else has changed since a checkpoint."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

import msgspec

from handrail.checkpoint.path_keys import path_of
from handrail.checkpoint.record import CheckpointRecord, CheckpointTrigger
from handrail.checkpoint.restore.target import RestoreTarget

Modes = Mapping[str, int]
"""Permissions that are not the usual ones, by the key of a path."""
_UNITS = ((86_400, "day"), (3_600, "h"), (60, "min"))


class CheckpointInterval(msgspec.Struct, frozen=True):
    """From one checkpoint to the next, or from the last one until now."""

    older: str
    """A tree."""
    newer: str
    number: int
    """Of the checkpoint at its end, or of the one that would come next."""
    record: CheckpointRecord | None = None
    """The checkpoint at its end; None: now."""
    by: tuple[str, ...] | None = None
    """The runs that worked in it; none: a person did. None: not known."""
    permissions: frozenset[str] = frozenset()
    """Files whose permissions became other ones."""

    def is_of_others(self, run: str) -> bool:
        """Whether the run had no part in it; without a run, whether no agent had."""
        if self.by is None or (self.record and self.record.moment is CheckpointTrigger.RESTORED):
            return False
        return run not in self.by if run else not self.by


def intervals_since(
    target: CheckpointRecord,
    records: Iterable[CheckpointRecord],
    now: tuple[str, Modes],
    by: Sequence[str] | None,
) -> list[CheckpointInterval]:
    """The intervals from a checkpoint until now, the oldest first.

    `records`: the newest first; `now`: tree and permissions; `by`: the runs since the last
    checkpoint, None: not known.
    """
    found: list[CheckpointInterval] = []
    last = target
    for record in reversed([each for each in records if each.number > target.number]):
        other = changed_permissions(last.modes, record.modes)
        found.append(
            CheckpointInterval(last.tree, record.tree, record.number, record, record.by, other)
        )
        last = record
    tree, modes = now
    other = changed_permissions(last.modes, modes)
    if last.tree != tree or other:
        since = tuple(by) if by is not None else None
        found.append(
            CheckpointInterval(last.tree, tree, last.number + 1, by=since, permissions=other)
        )
    return found


def changed_permissions(old: Modes, new: Modes) -> frozenset[str]:
    """Files whose permissions are not the same."""
    return frozenset(path_of(key) for key in {*old, *new} if old.get(key) != new.get(key))


ChangesByPath = dict[str, list[CheckpointInterval]]
"""By path, when it was changed."""


def changes_by_path(
    intervals: Sequence[CheckpointInterval], changed: Sequence[Collection[str]]
) -> ChangesByPath:
    """The intervals that changed each path; those that a restore took back do not count."""
    lives: dict[str, list[tuple[int, list[CheckpointInterval]]]] = {}
    for interval, paths in zip(intervals, changed, strict=True):
        back_to = _number(interval.record)
        for path in {*paths, *interval.permissions}:
            life = lives.setdefault(path, [(0, [])])
            if back_to is None:
                met = [*life[-1][1], interval]
            else:  # it is again as it was then
                met = next(then for number, then in reversed(life) if number <= back_to)
            life.append((interval.number, met))
    return {path: life[-1][1] for path, life in lives.items()}


def _number(record: CheckpointRecord | None) -> int | None:
    """Of the checkpoint that a restore went back to."""
    if record is None or record.moment is not CheckpointTrigger.RESTORED:
        return None
    digits = record.back_to.removeprefix("c")
    return int(digits) if digits.isdecimal() else 0


def conflict_text(
    way: RestoreTarget, met: Sequence[CheckpointInterval], at: datetime, *, as_in_base: bool
) -> str | None:
    """The text of a conflict about a path; None: there is none.

    `met`: the intervals that changed it; `as_in_base`: it is as it was at the end of the undone
    part.
    """
    until = way.base.number if way.base else None
    for interval in reversed(met):
        is_within = until is None or interval.number <= until
        if is_within and interval.is_of_others(way.run):
            return interval_text(interval, at)
    if as_in_base:
        return None
    later = [each for each in met if until is not None and each.number > until]
    return interval_text(later[-1], at) if later else "changed since by you or another program"


def interval_text(interval: CheckpointInterval, at: datetime) -> str:
    """Who changed something, and when."""
    if interval.by is None:
        return "changed since the last checkpoint"
    who = " and ".join(f"run {run}" for run in interval.by) or "a person"
    if interval.record is None:
        return f"changed by {who} since the last checkpoint"
    return f"changed by {who} (in {interval.record.id}, {_age(interval.record.created_at, at)})"


def _age(then: datetime, now: datetime) -> str:
    seconds = (now - then).total_seconds()
    for size, name in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            plural = "s" if name == "day" and count > 1 else ""
            return f"{count} {name}{plural} ago"
    return "just now"
