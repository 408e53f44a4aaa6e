"""Which checkpoints are kept."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from handrail.checkpoint.record import CheckpointRecord, CheckpointTrigger
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

ALWAYS_KEPT = 3
"""Checkpoints of each work tree that are kept whatever their age and size."""

_FILLED = 0.9
"""How much of the quota is left in use, so that it is not reached again at once."""


def expired_checkpoints(
    records: Iterable[CheckpointRecord],
    settings: Settings,
    now: float,
    used_bytes: int,
    gone: Collection[str] = (),
) -> tuple[CheckpointRecord, ...]:
    """The checkpoints to remove, the oldest first.

    `used_bytes`: the size of all of them; `gone`: deleted work trees, which keep no last
    checkpoints.
    """
    oldest_first = sorted(records, key=lambda record: record.number)
    kept = _within_limits(oldest_first, settings, now, gone)
    kept = _within_quota(oldest_first, kept, settings, used_bytes)
    return tuple(record for record in oldest_first if record.number not in kept)


def _within_limits(
    oldest_first: Sequence[CheckpointRecord], settings: Settings, now: float, gone: Collection[str]
) -> set[int]:
    """Numbers of the checkpoints within the limits of age and count."""
    # One from the future is young: a clock that was wrong must not cost anything.
    since = datetime.fromtimestamp(now, UTC) - timedelta(days=settings.keep_days)
    kept: set[int] = set()
    for of_tree in _by_tree(oldest_first).values():
        is_gone = of_tree[0].work_tree in gone
        unnamed = [record for record in of_tree if not record.name]
        young = [record for record in unnamed[-settings.keep :] if record.created_at >= since]
        last = [each for each in of_tree[-ALWAYS_KEPT:] if each.created_at >= since or not is_gone]
        named = [record for record in of_tree if record.name]
        kept |= {record.number for record in (*young, *last, *named)}
    return kept | _held(oldest_first, kept)


def _within_quota(
    oldest_first: Sequence[CheckpointRecord], kept: set[int], settings: Settings, used_bytes: int
) -> set[int]:
    """Drop the oldest until the rest fits the quota."""
    kept = set(kept)
    quota = settings.quota_mb * MEGABYTE
    over = used_bytes - int(_FILLED * quota) if used_bytes > quota else 0
    frees = _frees(oldest_first, used_bytes)
    while over > 0:
        safe = _always(oldest_first) | _held(oldest_first, kept)
        oldest = next((each.number for each in oldest_first if each.number in kept - safe), None)
        if oldest is None:
            break
        kept.discard(oldest)
        over -= frees[oldest]
    return kept


def _frees(oldest_first: Sequence[CheckpointRecord], used_bytes: int) -> dict[int, int]:
    """By number, about how many bytes a removal frees: the size of the next checkpoint's changes.

    Rather too much, so that too few are removed: the size is measured again afterwards.
    """
    share = used_bytes // max(len(oldest_first), 1) + 1
    frees = {record.number: share for record in oldest_first}
    for of_tree in _by_tree(oldest_first).values():
        for record, after in pairwise(of_tree):
            frees[record.number] = max(share, after.bytes)
    return frees


def _always(oldest_first: Sequence[CheckpointRecord]) -> set[int]:
    last = {
        record.number
        for of_tree in _by_tree(oldest_first).values()
        for record in of_tree[-ALWAYS_KEPT:]
    }
    return last | {record.number for record in oldest_first if record.name}


def _held(oldest_first: Sequence[CheckpointRecord], kept: Collection[int]) -> set[int]:
    """Both ends of every restore that can still be undone."""
    held = {
        name
        for record in oldest_first
        if record.number in kept
        and record.moment is CheckpointTrigger.RESTORED
        and not record.redone
        for name in (record.undo, record.back_to)
    }
    return {each.number for each in oldest_first if held & {each.id, each.git_commit}}


def _by_tree(oldest_first: Sequence[CheckpointRecord]) -> dict[str, list[CheckpointRecord]]:
    found: dict[str, list[CheckpointRecord]] = defaultdict(list)
    for record in oldest_first:
        found[record.work_tree].append(record)
    return found
