"""What has to be done so that a work tree is as it was, and what is left alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from handrail.checkpoint.absence import Gaps, uncertain
from handrail.checkpoint.differences import Change, differences, entries
from handrail.checkpoint.folders import Folders
from handrail.checkpoint.git import Git
from handrail.checkpoint.record import Coverage, Record
from handrail.checkpoint.theirs import (
    Modes,
    Stretch,
    changed_permissions,
    says_conflict,
    stretches_since,
    touched,
)
from handrail.checkpoint.way import Spared, Way

_NOT_OURS = frozenset({"", ".", ".."})
_REPOSITORY = ".git"
_FORBIDDEN = "it is part of a repository itself"
_MEANWHILE = "changed while you were looking"
_UNSAVED = "what is there now cannot be saved"


class Now(msgspec.Struct, frozen=True):
    """The files as they are."""

    tree: str
    coverage: Coverage
    at: datetime
    records: Sequence[Record] = ()
    """The checkpoints so far, the newest first."""
    modes: Modes = {}
    by: tuple[str, ...] | None = None
    """The runs that worked since the last one; without any, a person did. None: not known."""
    meanwhile: frozenset[str] = frozenset()
    """Files that are other than a person has seen them before."""


class Plan(msgspec.Struct, frozen=True):
    """The way from how the files are to how they were."""

    changes: tuple[Change, ...]
    spared: tuple[Spared, ...] = ()
    uncertain: tuple[str, ...] = ()
    """Of those spared: nobody knows whether they were there."""


def make_plan(git: Git, way: Way, now: Now, *, over: bool) -> Plan:
    """What is put back; `over`: also what others have changed since."""
    back, wanted = _wanted(git, way, now)
    folders = Folders(git.work_tree)
    spared = {each.path: each for each in _spared(way, now, wanted, folders, over=over)}
    left = [each.change for each in wanted if each.change.path not in spared]
    gone = [each.path for each in left if each.deletes]
    unknown = uncertain(git, way.target, gone, {each.path: each for each in back})
    going = set(gone).difference(unknown)
    blocked = {
        each.path: why
        for each in left
        if not each.deletes and (why := folders.in_the_way(each.path, going))
    }
    for path, why in (unknown | blocked).items():
        spared[path] = Spared(path, why)
    changes = tuple(each for each in left if each.path not in spared)
    return Plan(changes, tuple(spared[path] for path in sorted(spared)), tuple(unknown))


def _spared(
    way: Way, now: Now, wanted: Sequence["_Wanted"], folders: Folders, *, over: bool
) -> Iterator[Spared]:
    gaps = Gaps(now.coverage.left_out)
    for each in wanted:
        path = each.change.path
        if _is_forbidden(path):
            yield Spared(path, _FORBIDDEN)
        elif each.change.creates and folders.holds_file(path):
            why = gaps.why(path)
            yield Spared(path, f"{_UNSAVED}: {why}" if why else _UNSAVED)
        elif path in now.meanwhile:
            yield Spared(path, _MEANWHILE, conflict=True)
        elif not over and (conflict := each.conflict(way, now.at)):
            yield Spared(path, conflict, conflict=True)


class _Wanted(msgspec.Struct, frozen=True):
    """A path that is to be put back, and what became of it."""

    change: Change
    as_in_base: bool
    met: Sequence[Stretch]

    def conflict(self, way: Way, at: datetime) -> str | None:
        """Why it is somebody else's by now; None: it is not."""
        return says_conflict(way, self.met, at, as_in_base=self.as_in_base)


def _wanted(git: Git, way: Way, now: Now) -> tuple[list[Change], list[_Wanted]]:
    """Everything that differs from the target, and that which the way takes back."""
    target, base = way.target.tree, way.base.tree if way.base else now.tree
    stretches = stretches_since(way.target, now.records, (now.tree, now.modes), now.by)
    if not way.run and not any(each.by for each in stretches):
        # No agent has worked at all: people take back what people did.
        stretches = [msgspec.structs.replace(each, by=None) for each in stretches]
    pairs = [(each.older, each.newer) for each in stretches]
    back, undone, *changed = differences(git, (now.tree, target), (base, target), *pairs)
    met = touched(stretches, [{each.path for each in part} for part in changed])
    states = {each.path: (each.old_mode, each.old_blob) for each in undone}
    wanted = [
        _Wanted(each, states[each.path] == (each.old_mode, each.old_blob), met.get(each.path, ()))
        for each in back
        if each.path in states
    ]
    other = _other_permissions(way, now).difference(each.path for each in back)
    base_modes = way.base.modes if way.base else now.modes
    for each in entries(git, sorted(other)):
        path = each.path
        as_in_base = base_modes.get(path) == now.modes.get(path)
        wanted.append(_Wanted(each, as_in_base, met.get(path, ())))
    return back, wanted


def _other_permissions(way: Way, now: Now) -> frozenset[str]:
    """Files whose permissions the way takes back."""
    found = changed_permissions(way.target.modes, now.modes)
    return found & changed_permissions(way.target.modes, way.base.modes) if way.base else found


def _is_forbidden(path: str) -> bool:
    """Whether git would not save such a path; nothing else may have it written either."""
    names = path.casefold().split("/")
    return _REPOSITORY in names or not _NOT_OURS.isdisjoint(names)
