"""The merges between a checkpoint and now: which can be taken back, and in which order."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.merges.merge_outcome import FastForwarded, Merged, NotTakenBack
from handrail.fleet.merges.merging import Merging

_AFTER = "{} has commits that came after its merge"


class MergeChain(NamedTuple):
    """Merges in the order in which they can be taken back, and those that stay."""

    back: tuple[FastForwarded | Merged, ...]
    stays: dict[str, str]
    """By task, the reason."""


def merges_since(
    now: FleetState, then: FleetState, merging: Merging
) -> list[FastForwarded | Merged]:
    """Return the merges that a branch holds now and that were not made then."""
    found = []
    for name, task in now.tasks.items():
        done = _merge_of(task) or merging.made(name)
        before = then.tasks.get(name)
        was = _merge_of(before) if before is not None else None
        if done is None or (was is not None and was.commit == done.commit):
            continue
        if merging.holds(done.target, done.commit):
            found.append(done)
    return found


def merges_undone(now: FleetState, then: FleetState, merging: Merging) -> list[Merged]:
    """Return the merges of then that no branch holds any more, in the order to make them again."""
    found = [
        done
        for name, task in then.tasks.items()
        if name in now.tasks
        and (done := _merge_of(task)) is not None
        and not merging.holds(done.target, done.commit)
    ]
    return list(_oldest_first(found))


def merge_chain(merges: Iterable[FastForwarded | Merged], tips: Mapping[str, str]) -> MergeChain:
    """Order merges by the commits of their branches; `tips`: where each branch is now."""
    left, at, back = list(merges), dict(tips), []
    while last := next((each for each in left if at.get(each.target) == each.commit), None):
        left.remove(last)
        back.append(last)
        at[last.target] = last.before
    return MergeChain(tuple(back), {each.task: _AFTER.format(each.target) for each in left})


def take_back(merging: Merging, chain: MergeChain) -> dict[str, str]:
    """Take the merges back; return those that stay, by task, and why."""
    stays = dict(chain.stays)
    for done in chain.back:
        outcome = merging.take_back(done)
        if isinstance(outcome, NotTakenBack):
            stays[done.task] = outcome.why
    return stays


def _merge_of(task: TaskState) -> Merged | None:
    merge = task.merge
    if merge is None or merge.outcome != "merged" or not merge.commit or not merge.before:
        return None
    return Merged(task=task.task.id, target=merge.target, before=merge.before, commit=merge.commit)


def _oldest_first(merges: list[Merged]) -> Iterator[Merged]:
    """Yield each merge after the one that it was made on."""
    left = list(merges)
    while left:
        made = {each.commit for each in left}
        first = next((each for each in left if each.before not in made), left[0])
        left.remove(first)
        yield first
