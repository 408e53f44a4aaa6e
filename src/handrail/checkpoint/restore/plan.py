"""What has to be done so that a work tree is as it was, and what is left alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import TreeChange, tree_changes, tree_entries
from handrail.checkpoint.record import CheckpointRecord, Coverage
from handrail.checkpoint.restore.absence import CoverageGaps, possibly_present
from handrail.checkpoint.restore.conflicts import (
    CheckpointInterval,
    Modes,
    changed_permissions,
    conflict_text,
    intervals_since,
    touched,
)
from handrail.checkpoint.restore.folders import Folders
from handrail.checkpoint.restore.target import RestoreTarget, SparedFile

_NOT_OURS = frozenset({"", ".", ".."})
_REPOSITORY = ".git"
_FORBIDDEN = "it is part of a repository itself"
_MEANWHILE = "changed while you were looking"
_UNSAVED = "what is there now cannot be saved"


class CurrentFiles(msgspec.Struct, frozen=True):
    """The files as they are."""

    tree: str
    coverage: Coverage
    at: datetime
    records: Sequence[CheckpointRecord] = ()
    """The checkpoints so far, the newest first."""
    modes: Modes = {}
    by: tuple[str, ...] | None = None
    """The runs that worked since the last one; without any, a person did. None: not known."""
    meanwhile: frozenset[str] = frozenset()
    """Files that are other than a person has seen them before."""


class RestorePlan(msgspec.Struct, frozen=True):
    """The way from how the files are to how they were."""

    changes: tuple[TreeChange, ...]
    spared: tuple[SparedFile, ...] = ()
    uncertain: tuple[str, ...] = ()
    """Of those spared: nobody knows whether they were there."""


def make_plan(git: Git, way: RestoreTarget, now: CurrentFiles, *, over: bool) -> RestorePlan:
    """What is put back; `over`: also what others have changed since."""
    back, wanted = _wanted(git, way, now)
    folders = Folders(git.work_tree)
    spared = {each.path: each for each in _spared(way, now, wanted, folders, over=over)}
    left = [each.change for each in wanted if each.change.path not in spared]
    gone = [each.path for each in left if each.deletes]
    unknown = possibly_present(git, way.target, gone, {each.path: each for each in back})
    going = set(gone).difference(unknown)
    blocked = {
        each.path: why
        for each in left
        if not each.deletes and (why := folders.in_the_way(each.path, going))
    }
    for path, why in (unknown | blocked).items():
        spared[path] = SparedFile(path, why)
    changes = tuple(each for each in left if each.path not in spared)
    return RestorePlan(changes, tuple(spared[path] for path in sorted(spared)), tuple(unknown))


def _spared(
    way: RestoreTarget,
    now: CurrentFiles,
    wanted: Sequence["_WantedPath"],
    folders: Folders,
    *,
    over: bool,
) -> Iterator[SparedFile]:
    gaps = CoverageGaps(now.coverage.left_out)
    for each in wanted:
        path = each.change.path
        if _is_forbidden(path):
            yield SparedFile(path, _FORBIDDEN)
        elif each.change.creates and folders.holds_file(path):
            why = gaps.why(path)
            yield SparedFile(path, f"{_UNSAVED}: {why}" if why else _UNSAVED)
        elif path in now.meanwhile:
            yield SparedFile(path, _MEANWHILE, conflict=True)
        elif not over and (conflict := each.conflict(way, now.at)):
            yield SparedFile(path, conflict, conflict=True)


class _WantedPath(msgspec.Struct, frozen=True):
    """A path that is to be put back, and what became of it."""

    change: TreeChange
    as_in_base: bool
    met: Sequence[CheckpointInterval]

    def conflict(self, way: RestoreTarget, at: datetime) -> str | None:
        """Why it is somebody else's by now; None: it is not."""
        return conflict_text(way, self.met, at, as_in_base=self.as_in_base)


def _wanted(
    git: Git, way: RestoreTarget, now: CurrentFiles
) -> tuple[list[TreeChange], list[_WantedPath]]:
    """Everything that differs from the target, and that which the way takes back."""
    target, base = way.target.tree, way.base.tree if way.base else now.tree
    stretches = intervals_since(way.target, now.records, (now.tree, now.modes), now.by)
    if not way.run and not any(each.by for each in stretches):
        # No agent has worked at all: people take back what people did.
        stretches = [msgspec.structs.replace(each, by=None) for each in stretches]
    pairs = [(each.older, each.newer) for each in stretches]
    back, undone, *changed = tree_changes(git, (now.tree, target), (base, target), *pairs)
    met = touched(stretches, [{each.path for each in part} for part in changed])
    states = {each.path: (each.old_mode, each.old_blob) for each in undone}
    wanted = [
        _WantedPath(
            each, states[each.path] == (each.old_mode, each.old_blob), met.get(each.path, ())
        )
        for each in back
        if each.path in states
    ]
    other = _other_permissions(way, now).difference(each.path for each in back)
    base_modes = way.base.modes if way.base else now.modes
    for each in tree_entries(git, sorted(other)):
        path = each.path
        as_in_base = base_modes.get(path) == now.modes.get(path)
        wanted.append(_WantedPath(each, as_in_base, met.get(path, ())))
    return back, wanted


def _other_permissions(way: RestoreTarget, now: CurrentFiles) -> frozenset[str]:
    """Files whose permissions the way takes back."""
    found = changed_permissions(way.target.modes, now.modes)
    return found & changed_permissions(way.target.modes, way.base.modes) if way.base else found


def _is_forbidden(path: str) -> bool:
    """Whether git would not save such a path; nothing else may have it written either."""
    names = path.casefold().split("/")
    return _REPOSITORY in names or not _NOT_OURS.isdisjoint(names)
