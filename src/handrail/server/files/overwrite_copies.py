"""Copies files that no checkpoint holds into the trash, before an action overwrites them."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from glob import iglob
from itertools import islice

import msgspec

from handrail.checkpoint import CheckpointError, CheckpointStore
from handrail.checkpoint.git.user_git import user_git
from handrail.checkpoint.git.user_repository import repository_directories
from handrail.checkpoint.save.coverage import path_within
from handrail.config.checkpoints import MEGABYTE
from handrail.model.event import Event, FilesCopied
from handrail.review.judgment.checkpoint_cover import CheckpointCover, IrreplaceableFile
from handrail.server.files.trash_copies import batch_name, copy_file, prune_copies
from handrail.server.threads.keyed_executor import KeyedExecutor
from handrail.supervise.decision.checkpoint_request import (
    CheckpointRequest,
    CheckpointResult,
    CopyRequest,
    Save,
)
from handrail.words.amounts import size

_GIT_SECONDS = 5.0
_MAX_COMMITS = 3
_MAX_FILES = 200
_MAX_COVERED = 20_000
_MAX_OWN = 2_000
_PRUNE_EVERY = 25
_SMALL_INDEX = MEGABYTE
_LARGE_INDEX = 32 * MEGABYTE
"""Bytes of the user's index that are searched at once, and in a lane."""
_SECONDS = 12.0
"""The host waits 15 s for an answer."""

Look = tuple[int, int, int, int]


class OverwrittenFile(msgspec.Struct, frozen=True):
    """A file that is there, and that an action overwrites."""

    path: str
    whole: bool
    size: int
    changed: float
    """When it was last changed; nobody can set this time."""


class _CopyBatch(msgspec.Struct):
    """The copies before one action."""

    folder: str
    limit: int
    quota: int
    files: list[str] = []
    bytes: int = 0

    def take(self, file: OverwrittenFile) -> str:
        """Copy a file; gives the reason where that is not possible."""
        if file.size > self.limit:
            most = size(self.limit)
            return f"it has {size(file.size)}, too much for a copy (the limit is {most})"
        if self.bytes + file.size > self.quota:
            return "the copies before this action are too large together"
        target = self.folder + file.path
        try:
            if not os.path.lexists(target):
                copy_file(file.path, target)
        except OSError as error:
            return f"it could not be copied ({error.strerror or error})"
        self.files.append(file.path)
        self.bytes += file.size
        return ""


class OverwriteCopies:
    """Decides in the supervision thread whether something may need a copy; copies in a lane."""

    def __init__(
        self,
        lanes: KeyedExecutor,
        home: str,
        environ: Mapping[str, str],
        record: Callable[[str, Event], None],
        clock: Callable[[], float],
    ) -> None:
        self._lanes = lanes
        self._trash = os.path.join(home, "trash")
        self._environ = environ
        self._record = record
        self._clock = clock
        self._covered: dict[str, tuple[int, ...]] = {}
        """Files that checkpoints take in, as long as the ignore lists above them are the same."""
        self._own: dict[tuple[str, str], Look] = {}
        """By run and path, how a file looks that the run itself has overwritten."""
        self._begun: dict[tuple[str, int], tuple[str, ...]] = {}
        """By run and step, the copied files that an action is about to overwrite."""
        self._new = 0

    # In the supervision thread

    def candidates(
        self, request: CheckpointRequest, work_tree: str, max_mb: int
    ) -> tuple[OverwrittenFile, ...]:
        """The files that the action overwrites and that checkpoints may not take in."""
        if request.copies is None:
            return ()
        found: list[OverwrittenFile] = []
        for each in request.copies.overwrites.files:
            if each.glob:
                continue
            file = _look_at(each.path, whole=each.whole)
            own = self._own.get((request.run, each.path))
            if file is None or (own is not None and own == _signature(each.path)):
                continue
            is_small = file.size <= max_mb * MEGABYTE
            if not is_small or not self._is_covered(each.path, work_tree):
                found.append(file)
        return tuple(found)

    def _is_covered(self, path: str, work_tree: str) -> bool:
        """Whether checkpoints certainly take in a file, as far as that can be told at once."""
        lists = ignore_lists(work_tree, path)
        if self._covered.get(path) == lists:
            return True
        inside = path.removeprefix(f"{work_tree}/")
        is_tracked = inside != path and bool(_tracked(work_tree, (inside,), _SMALL_INDEX))
        if is_tracked:
            self._remember({path: lists})
        return is_tracked

    def _remember(self, covered: Mapping[str, tuple[int, ...]]) -> None:
        if len(self._covered) > _MAX_COVERED:
            self._covered.clear()
        self._covered.update(covered)

    def before(
        self,
        request: CheckpointRequest,
        files: Sequence[OverwrittenFile],
        checkpoints: CheckpointStore,
        save: Save | None,
    ) -> Save:
        """How to copy files before an action, and then to save the others; for the event loop."""

        async def work() -> CheckpointResult:
            lost = await self._copy_in_time(request, files, checkpoints)
            saved = await save() if save is not None else CheckpointResult()
            if not lost:
                return saved
            kept = saved.kept or CheckpointCover("", complete=False)
            kept = msgspec.structs.replace(kept, irreplaceable=lost)
            return msgspec.structs.replace(saved, kept=kept)

        return work

    # In the event loop

    async def _copy_in_time(
        self,
        request: CheckpointRequest,
        files: Sequence[OverwrittenFile],
        checkpoints: CheckpointStore,
    ) -> tuple[IrreplaceableFile, ...]:
        # Beside the checkpoints: a slow one must not hold up every edit.
        lane = f"{checkpoints.work_tree} copies"
        job = self._lanes.put(lane, lambda: self.copy(request, files, checkpoints))
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(job)), _SECONDS)
        except TimeoutError:
            why = f"it was not copied within {_SECONDS:g} s; try again"
            return tuple(
                IrreplaceableFile(each.path, why)
                for each in files
                if request.copies is not None and _is_lost(each, request.copies)
            )

    def ended(self, run: str, step: int) -> None:
        """Note how the files look that an action overwrote: that much is the run's own work."""
        # A copy of the keys: lanes add some meanwhile.
        for key in [key for key in list(self._begun) if key[0] == run and key[1] <= step]:
            for path in self._begun.pop(key):
                look = _signature(path)
                if look is not None:
                    self._own[run, path] = look
        while len(self._own) > _MAX_OWN:
            del self._own[next(iter(self._own))]

    # In a lane

    def copy(
        self,
        request: CheckpointRequest,
        files: Sequence[OverwrittenFile],
        checkpoints: CheckpointStore,
    ) -> tuple[IrreplaceableFile, ...]:
        """Copy what no checkpoint takes in; gives the files that must not be replaced."""
        asked = request.copies
        if asked is None:
            return ()
        settings, work_tree = asked.settings, checkpoints.work_tree
        others = (*_matching(asked), *self._checked_out(asked, work_tree))
        all_files = {each.path: each for each in (*files, *others)}
        lost: list[IrreplaceableFile] = []
        folder = os.path.join(self._trash, batch_name(asked.action))
        batch = _CopyBatch(folder, settings.max_file_mb * MEGABYTE, settings.quota_mb * MEGABYTE)
        for each in self._uncovered(list(all_files.values()), checkpoints):
            why = batch.take(each)
            if why and _is_lost(each, asked):
                lost.append(IrreplaceableFile(each.path, why))
        if batch.files:
            step = request.step + 1
            self._begun[request.run, step] = tuple(batch.files)
            name, names = os.path.basename(folder), tuple(batch.files)
            self._record(request.run, FilesCopied(self._clock(), step, name, names, batch.bytes))
            self._prune(batch)
        return tuple(lost)

    def _prune(self, batch: _CopyBatch) -> None:
        self._new += 1
        if self._new >= _PRUNE_EVERY or batch.bytes * _PRUNE_EVERY > batch.quota:
            self._new = 0
            prune_copies(self._trash, batch.quota)

    def _uncovered(
        self, files: Sequence[OverwrittenFile], checkpoints: CheckpointStore
    ) -> list[OverwrittenFile]:
        work_tree = checkpoints.work_tree
        inside: dict[str, OverwrittenFile] = {}
        found: list[OverwrittenFile] = []
        for each in files:
            path = path_within(work_tree, os.path.realpath(each.path))
            if path is None or ".git" in path.split("/"):
                found.append(each)
            else:
                inside[path] = each
        large = checkpoints.max_file_bytes
        tracked = _tracked(work_tree, inside, _LARGE_INDEX)
        unknown = {
            path: each for path, each in inside.items() if path not in tracked or each.size > large
        }
        lists = {each.path: ignore_lists(work_tree, each.path) for each in inside.values()}
        if unknown:
            sizes = [each.size for each in unknown.values()]
            try:
                names = checkpoints.uncovered_paths(list(unknown), sizes)
            except (CheckpointError, OSError):  # then nothing of it is saved
                names = set(unknown)
            # In the order of the action, so that the same action copies in the same order.
            found += [each for path, each in unknown.items() if path in names]
        covered = {each.path for each in inside.values()} - {each.path for each in found}
        self._remember({path: lists[path] for path in covered})
        return found

    def _checked_out(self, asked: CopyRequest, work_tree: str) -> Iterable[OverwrittenFile]:
        """Files in the way of commits that git checks out: it overwrites ignored ones unasked."""
        git = user_git(work_tree, _GIT_SECONDS, self._environ)
        options = ("-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", "HEAD")
        for commit in asked.overwrites.commits[:_MAX_COMMITS]:
            try:
                paths = git.paths("diff-tree", *options, commit, "--", good=(0, 128))
            except (CheckpointError, OSError):
                continue
            there = (_look_at(os.path.join(work_tree, path), whole=True) for path in paths)
            yield from [each for each in there if each is not None][:_MAX_FILES]


def _is_lost(file: OverwrittenFile, asked: CopyRequest) -> bool:
    """Whether the work of others would be gone for good: a whole file from before the run."""
    return file.whole and (not asked.began or file.changed < asked.began)


def _matching(asked: CopyRequest) -> Iterable[OverwrittenFile]:
    """The files that words with wildcards mean now, a bounded number."""
    for each in asked.overwrites.files:
        if each.glob:
            there = (_look_at(path, whole=each.whole) for path in iglob(each.path))
            yield from islice((file for file in there if file is not None), _MAX_FILES)


def ignore_lists(work_tree: str, path: str) -> tuple[int, ...]:
    """How the ignore lists above a file look: with the same ones, git ignores the same."""
    folder, found = os.path.dirname(path), [_time(f"{work_tree}/.git/info/exclude")]
    while len(folder) >= len(work_tree):
        found.append(_time(f"{folder}/.gitignore"))
        folder = os.path.dirname(folder) if folder != "/" else ""
    return tuple(found)


def _time(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _look_at(path: str, *, whole: bool) -> OverwrittenFile | None:
    """A file with content; None: there is none."""
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
        return None
    return OverwrittenFile(path, whole, facts.st_size, facts.st_ctime)


def _signature(path: str) -> Look | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _tracked(work_tree: str, paths: Iterable[str], most: int) -> set[str]:
    """The paths that the index of the user names; searched as bytes, that takes no process.

    `most`: an index with more bytes is not searched.
    """
    index = os.path.join(repository_directories(work_tree).own, "index")
    try:
        if os.path.getsize(index) > most:
            return set()
        with open(index, "rb") as file:
            data = file.read()
    except OSError:
        return set()
    return {path for path in paths if _entry(path) in data}


def _entry(path: str) -> bytes:
    """The end of an entry of the index: the length of the name, the name, and a zero."""
    name = os.fsencode(path)
    return bytes(((len(name) >> 8) & 0x0F, len(name) & 0xFF)) + name + b"\0"
