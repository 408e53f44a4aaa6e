"""Plans the way back of a repository: what an agent changed, and nobody else since."""

from collections.abc import Collection, Mapping
from typing import TypeVar

import msgspec

from handrail.checkpoint.history.repository_state import RepositoryState, StashEntry

HEAD, INDEX, STASH = "HEAD", "the index", "the stash"
_SINCE = "it was changed since"
_OVER = "it was under way and cannot be begun again"
_SHORT = 8
_REF = "ref: "
K = TypeVar("K")
V = TypeVar("V")


class RefChange(msgspec.Struct, frozen=True):
    """One branch, tag or note that goes back."""

    name: str
    now: str
    """Its commit; empty: there is none."""
    then: str
    """The commit that it goes back to; empty: it is deleted."""


class SparedPart(msgspec.Struct, frozen=True):
    """A part of the repository that differs and is left alone."""

    name: str
    why: str


class GitUndoPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What goes back in a repository."""

    refs: tuple[RefChange, ...] = ()
    head: str = ""
    """What HEAD becomes; empty: it stays."""
    head_now: str = ""
    drop: tuple[StashEntry, ...] = ()
    """Entries of the stash that are taken off, the newest first."""
    store: tuple[StashEntry, ...] = ()
    """Entries that are put on again, the oldest first."""
    quit: tuple[str, ...] = ()
    """Merges and the like that are not under way any more."""
    index: tuple[str, ...] = ()
    """Keys of the paths that go back in the index."""
    spared: tuple[SparedPart, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not (self.refs or self.head or self.drop or self.store or self.quit or self.index)

    @property
    def lines(self) -> tuple[str, ...]:
        """The changes in words, one line each."""
        lines = [_ref_line(each) for each in self.refs]
        if self.head:
            lines.append(f"HEAD: {_shown(self.head_now)} → {_shown(self.head)}")
        lines += [f"stash: drops {each.message or each.commit[:_SHORT]}" for each in self.drop]
        lines += [
            f"stash: brings back {each.message or each.commit[:_SHORT]}" for each in self.store
        ]
        lines += [f"{each}: is not under way any more" for each in self.quit]
        if self.index:
            number = len(self.index)
            lines.append(f"index: {number} path{'' if number == 1 else 's'} as staged before")
        return tuple(lines)


def plan_git_undo(
    before: RepositoryState,
    after: RepositoryState,
    now: RepositoryState,
    *,
    others: Mapping[str, str],
    elsewhere: Collection[str] = (),
) -> GitUndoPlan:
    """Plan what goes back to `before`: only what is still as it was `after` the undone part.

    `others`: by name, who else has changed a part in between; `elsewhere`: refs that other work
    trees have checked out.
    """
    spared: list[SparedPart] = []
    refs: list[RefChange] = []
    for name in _differing(before.refs, after.refs):
        change = RefChange(name, now.refs.get(name, ""), before.refs.get(name, ""))
        if change.now == change.then:
            continue
        if why := _kept_by(name, others, is_same=change.now == after.refs.get(name, "")):
            spared.append(SparedPart(name, why))
        elif name in elsewhere:
            spared.append(SparedPart(name, "another work tree has it checked out"))
        else:
            refs.append(change)
    head = ""
    if before.head not in (after.head, now.head):
        if why := _kept_by(HEAD, others, is_same=now.head == after.head):
            spared.append(SparedPart(HEAD, why))
        else:
            head = before.head
    stays = (head or now.head).removeprefix(_REF)
    # Before its first commit, a branch is checked out without being there.
    unborn = before.head.removeprefix(_REF) if not before.commit else ""
    for each in [each for each in refs if not each.then and stays == each.name != unborn]:
        refs.remove(each)
        spared.append(SparedPart(each.name, "it is checked out"))
    drop, store = _stash_plan(before, after, now, others, spared)
    begun = set(after.under_way) - set(before.under_way)
    spared += [SparedPart(name, _OVER) for name in before.under_way if name not in now.under_way]
    return GitUndoPlan(
        tuple(refs),
        head,
        now.head if head else "",
        drop,
        store,
        tuple(sorted(begun.intersection(now.under_way))),
        spared=tuple(spared),
    )


def _stash_plan(
    before: RepositoryState,
    after: RepositoryState,
    now: RepositoryState,
    others: Mapping[str, str],
    spared: list[SparedPart],
) -> tuple[tuple[StashEntry, ...], tuple[StashEntry, ...]]:
    if before.stashes in (after.stashes, now.stashes):
        return (), ()
    if why := _kept_by(STASH, others, is_same=now.stashes == after.stashes):
        spared.append(SparedPart(STASH, why))
        return (), ()
    same = 0
    for old, new in zip(reversed(before.stashes), reversed(now.stashes), strict=False):
        if old != new:
            break
        same += 1
    drop = now.stashes[: len(now.stashes) - same]
    return drop, before.stashes[: len(before.stashes) - same][::-1]


def changed_parts(older: RepositoryState, newer: RepositoryState) -> set[str]:
    """The names of the parts that differ between two states."""
    found = set(_differing(older.refs, newer.refs))
    parts = {
        HEAD: older.head != newer.head,
        STASH: older.stashes != newer.stashes,
        # Another commit changes the index, too; whoever staged nothing finds nothing staged.
        INDEX: (older.staged, older.commit) != (newer.staged, newer.commit),
    }
    return found | {name for name, differs in parts.items() if differs}


def _differing(one: Mapping[K, V], other: Mapping[K, V]) -> list[K]:
    return [key for key in {**one, **other} if one.get(key) != other.get(key)]


def _kept_by(name: str, others: Mapping[str, str], *, is_same: bool) -> str:
    """Why a part is left alone; empty: it goes back."""
    return others.get(name, "") or ("" if is_same else _SINCE)


def _ref_line(change: RefChange) -> str:
    kind, _, name = change.name.removeprefix("refs/").partition("/")
    what = f"{_KINDS.get(kind, kind)} {name}"
    if not change.then:
        return f"{what}: deleted, it was at {change.now[:_SHORT]}"
    if not change.now:
        return f"{what}: back at {change.then[:_SHORT]}"
    return f"{what}: {change.now[:_SHORT]} → {change.then[:_SHORT]}"


_KINDS = {"heads": "branch", "tags": "tag", "notes": "notes"}


def _shown(head: str) -> str:
    name = head.removeprefix(f"{_REF}refs/heads/")
    return name if name != head else head[:_SHORT]
