"""Plans a restore: which files change, and which are left alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec

from handrail.checkpoint.git.runner import Git
from handrail.checkpoint.git.tree_diff import TreeChange, tree_changes, tree_entries
from handrail.checkpoint.path_keys import path_key
from handrail.checkpoint.record import CheckpointRecord, Coverage
from handrail.checkpoint.restore.absence import CoverageGaps, possibly_present
from handrail.checkpoint.restore.conflicts import (
    CheckpointInterval,
    Modes,
    changed_permissions,
    changes_by_path,
    conflict_text,
    intervals_since,
)
from handrail.checkpoint.restore.folders import WorkTreeFolders
from handrail.checkpoint.restore.target import RestoreTarget, SparedFile

_NOT_OURS = frozenset({"", ".", ".."})
_REPOSITORY = ".git"
_FORBIDDEN = "it is part of a repository itself"
_MEANWHILE = "changed while you were looking"
_SHUT = "its folder cannot be written"
_UNSAVED = "what is there now cannot be saved"


class CurrentFiles(msgspec.Struct, frozen=True):
    """The files as they are."""

    tree: str
    coverage: Coverage
    at: datetime
    records: Sequence[CheckpointRecord] = ()
    """The checkpoints so far, the newest first."""
    modes: Modes = {}
    by: Sequence[str] | None = None
    """The runs that worked since the last one; none: a person did. None: not known."""
    meanwhile: frozenset[str] = frozenset()
    """Files that changed after a person saw the preview."""


class RestorePlan(msgspec.Struct, frozen=True):
    """The changes of a restore, and the files that it leaves alone."""

    changes: tuple[TreeChange, ...]
    spared: tuple[SparedFile, ...] = ()
    uncertain: tuple[str, ...] = ()
    """Spared files that may have existed at the checkpoint."""


def make_plan(git: Git, way: RestoreTarget, now: CurrentFiles, *, over: bool) -> RestorePlan:
    """Plan a restore; `over`: also overwrite changes of others."""
    back, wanted = _wanted(git, way, now)
    folders = WorkTreeFolders(git.work_tree)
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
    for change in left:
        if change.path not in spared and not folders.is_writable_above(change.path):
            spared[change.path] = SparedFile(change.path, _SHUT, unwritable=True)
    changes = tuple(each for each in left if each.path not in spared)
    return RestorePlan(changes, tuple(spared[path] for path in sorted(spared)), tuple(unknown))


def _spared(
    way: RestoreTarget,
    now: CurrentFiles,
    wanted: Sequence["_WantedPath"],
    folders: WorkTreeFolders,
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
    """A path to restore, and the intervals that changed it."""

    change: TreeChange
    as_in_base: bool
    met: Sequence[CheckpointInterval]

    def conflict(self, way: RestoreTarget, at: datetime) -> str | None:
        """The text of a conflict; None: there is none."""
        return conflict_text(way, self.met, at, as_in_base=self.as_in_base)


def _wanted(
    git: Git, way: RestoreTarget, now: CurrentFiles
) -> tuple[list[TreeChange], list[_WantedPath]]:
    """Everything that differs from the target, and the part that the restore takes back."""
    target, base = way.target.tree, way.base.tree if way.base else now.tree
    intervals = intervals_since(way.target, now.records, (now.tree, now.modes), now.by)
    if not way.run and not any(each.by for each in intervals):
        # No agent has worked at all: people take back what people did.
        intervals = [msgspec.structs.replace(each, by=None) for each in intervals]
    pairs = [(each.older, each.newer) for each in intervals]
    back, undone, *changed = tree_changes(git, (now.tree, target), (base, target), *pairs)
    met = changes_by_path(intervals, [{each.path for each in part} for part in changed])
    states = {each.path: (each.old_mode, each.old_blob) for each in undone}
    wanted = [
        _WantedPath(
            each, states[each.path] == (each.old_mode, each.old_blob), met.get(each.path, ())
        )
        for each in back
        if each.path in states and _is_meant(way, each.path)
    ]
    other = _other_permissions(way, now).difference(each.path for each in back)
    base_modes = way.base.modes if way.base else now.modes
    for each in tree_entries(git, sorted(path for path in other if _is_meant(way, path))):
        path, key = each.path, path_key(each.path)
        as_in_base = base_modes.get(key) == now.modes.get(key)
        wanted.append(_WantedPath(each, as_in_base, met.get(path, ())))
    return back, wanted


def _other_permissions(way: RestoreTarget, now: CurrentFiles) -> frozenset[str]:
    """Files whose permissions the way takes back."""
    found = changed_permissions(way.target.modes, now.modes)
    return found & changed_permissions(way.target.modes, way.base.modes) if way.base else found


def _is_meant(way: RestoreTarget, path: str) -> bool:
    """Whether the way takes this path back, or all."""
    return not way.only or any(path == each or path.startswith(f"{each}/") for each in way.only)


def _is_forbidden(path: str) -> bool:
    """Whether git would not save such a path; nothing else may have it written either."""
    names = path.casefold().split("/")
    return _REPOSITORY in names or not _NOT_OURS.isdisjoint(names)
