"""Stages the changes of a work tree in a private index."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from time import time

import msgspec

from handrail.checkpoint.errors import GitError, GitFailedError, GitTooSlowError
from handrail.checkpoint.files import open_folder
from handrail.checkpoint.git.runner import Git, GitDeadline, join_paths
from handrail.checkpoint.path_keys import path_key, path_of
from handrail.checkpoint.record import Coverage, LeftOut
from handrail.checkpoint.save import index_seed
from handrail.checkpoint.save.changed_paths import (
    UNREADABLE,
    ChangedPaths,
    list_changed_paths,
    list_deleted_paths,
)
from handrail.checkpoint.save.coverage import bounded_coverage
from handrail.checkpoint.save.fast_save import FastChanges, read_fast_changes
from handrail.checkpoint.save.full_scan import FullScan, scan_files
from handrail.checkpoint.save.parallel_index import index_in_parallel
from handrail.checkpoint.save.path_classifier import PathClassifier
from handrail.checkpoint.save.size_limits import CandidateFile, within_limits
from handrail.checkpoint.save.work_tree_memory import (
    MAX_YOUNG,
    YOUNG,
    OddFiles,
    WorkTreeMemory,
    kept_link,
    kept_mode,
    load_memory,
    save_memory,
)
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

NO_TIME = "there was no time for it"
FOR_STAGING = 0.5
"""The share of the time for staging; the rest is for a slow batch and for the commit."""
_FOR_A_BATCH = 0.75
"""Of the time that is left; a batch that takes longer is given up."""
_TAKE_IN = ("--add", "--remove", "--replace")
RENEW = (*_TAKE_IN, "--index-version", "4")
"""An index that is written again and again: names that begin alike take less room."""
_MANY = 10
_AS_PACK = {"core.bigFileThreshold": "1", "pack.compression": "1"}
"""Git streams large files into one pack: much faster than one file each."""
_ONE_PACK_SINCE = (2, 37)
"""Before, it was a pack for each."""
_ALONE = {"core.preloadIndex": "false"}
"""Git would look at files with so many threads that nothing goes on beside it."""
_SECOND_NS = 10**9
_BATCH_FILES = 5_000
_BATCH_BYTES = 16 * MEGABYTE


class StagingResult(msgspec.Struct, frozen=True):
    """The state of the index after staging."""

    files: int
    """How many were taken in, or seen for the first time."""
    bytes: int
    wanted: int
    """How many should have been taken in."""
    coverage: Coverage
    modes: dict[str, int]
    links: dict[str, tuple[int, int]]
    is_cold: bool = False
    """The index began empty."""
    direct: FastChanges | None = None
    """Changes since the last checkpoint that were read without git; the index lacks them."""


def stage_changes(
    git: Git,
    settings: Settings,
    also: Iterable[str] = (),
    *,
    last: str = "",
    cold: bool = False,
    direct: bool = False,
) -> StagingResult:
    """Bring the index up to date.

    `also`: paths to save even if they are ignored; `last`: the tree of the last checkpoint; `cold`:
    start without the user's index; `direct`: a few files may be read directly.
    """
    is_fresh = not os.path.exists(git.index)
    seeded = None if cold else index_seed.seed_index(git)
    memory = None if is_fresh or seeded is not None else load_memory(git)
    unseen = seeded or []
    if seeded is None and not is_fresh and not (last and memory):
        unseen = _known(git)
    since = time() - YOUNG
    scan, listing = _look(git, settings, unseen, since)
    dropped = list_deleted_paths(git, memory.include, settings.include) if memory else []
    is_same = direct and not also and memory is not None and memory.holds(last, git)
    with _staging_pass(git, settings, memory, since) as staging:
        staging.note_scan(scan)
        staged = staging.stage(listing, also, dropped, is_same=is_same)
    return msgspec.structs.replace(staged, is_cold=is_fresh and seeded is None)


def stage_paths(git: Git, settings: Settings, paths: Iterable[str]) -> StagingResult:
    """Bring the index up to date with some paths, whatever else has changed."""
    with _staging_pass(git, settings, load_memory(git), time() - YOUNG) as staging:
        return staging.stage(None, paths, (), is_same=False)


@contextmanager
def _staging_pass(
    git: Git, settings: Settings, memory: WorkTreeMemory | None, since: float
) -> Iterator["_StagingPass"]:
    memory = memory or WorkTreeMemory()
    odd, deadline = (
        OddFiles(memory.modes, memory.links),
        GitDeadline(git.deadline.left * FOR_STAGING),
    )
    with open_folder(git.work_tree) as top:
        classifier = PathClassifier(top, settings)
        yield _StagingPass(git, settings, classifier, memory, since, odd, deadline)


def _look(
    git: Git, settings: Settings, unseen: Sequence[bytes], since: float
) -> tuple[FullScan, ChangedPaths]:
    if not unseen:
        return FullScan(), list_changed_paths(git, settings.include)
    with ThreadPoolExecutor(1) as pool:
        scan = pool.submit(scan_files, git.work_tree, unseen, since)
        listing = list_changed_paths(git.with_settings(_ALONE), settings.include)
        return scan.result(), listing


class _StagingPass(msgspec.Struct):
    """Brings the index up to date once."""

    git: Git
    settings: Settings
    classifier: PathClassifier
    memory: WorkTreeMemory
    since: float
    """Files that changed after this time are young."""
    odd: OddFiles
    deadline: GitDeadline
    young: dict[str, int] = {}
    left_out: list[LeftOut] = []
    removed: list[str] = []
    """Paths that the index must not hold any more."""
    sizes: dict[bytes, int] = {}

    def note_scan(self, scan: FullScan) -> None:
        """Take over the facts of files that the index had from the beginning."""
        self.sizes.update(scan.sizes)
        for path, facts in scan.odd:
            self._note_facts(path, facts)

    def _note_facts(self, path: str, facts: os.stat_result) -> None:
        self.odd.note(path, kept_mode(facts), kept_link(facts))
        self._note_young(path, facts.st_ctime_ns)

    def stage(
        self,
        listed: ChangedPaths | None,
        also: Iterable[str],
        dropped: Sequence[str],
        *,
        is_same: bool,
    ) -> StagingResult:
        """Stage the listed paths, and remove others from the index.

        `listed`: None: nobody has looked for others; `is_same`: the index still equals the last
        checkpoint.
        """
        unseen = self._unseen_edits(listed)
        listing = listed or ChangedPaths()
        if unseen:  # git would take them for unchanged, whatever it is told
            self._update(self.git, "--force-remove", paths=unseen)
        tracked = {*listing.changed, *also, *unseen}
        is_same = is_same and not unseen
        changed = self.classifier.classify(sorted(tracked))
        new = self.classifier.classify(listing.new)
        self.left_out += [*listing.left_out, *changed.left_out, *new.left_out]
        store = os.path.dirname(self.git.index)
        taken = within_limits(changed.files, new.files, self._known, self.settings, store)
        self.left_out += taken.left_out
        self.removed += [*changed.displaced, *dropped]
        files = [*(CandidateFile(path, 0, 0) for path in changed.gone), *taken.files]
        self._note(files)
        is_same = is_same and not self.removed
        is_same = is_same and tracked.isdisjoint(each.path for each in self.left_out)
        top, held = self.classifier.top, listing.changed
        direct = read_fast_changes(top, taken.files, changed.gone, held) if is_same else None
        if direct is None:
            self._add(files)
            self.removed += tracked.intersection(each.path for each in self.left_out)
            self._remove()
        staged = self._done(len(changed.files) + len(new.files))
        return msgspec.structs.replace(staged, direct=direct)

    def _unseen_edits(self, listing: ChangedPaths | None) -> list[str]:
        """Files changed again in the same second: with their size and time, git sees nothing."""
        found: list[str] = []
        if listing is None:
            self.young.update(self.memory.young)
            return found
        for key, changed_ns in self.memory.young.items():
            path = path_of(key)
            with suppress(OSError):
                facts = self.classifier.look(path)
                self._note_facts(path, facts)
                if facts.st_ctime_ns != changed_ns and path not in listing.changed:
                    found.append(path)
        return found

    def _note(self, files: Iterable[CandidateFile]) -> None:
        """Remember permissions before anything is done, or they are lost with this process."""
        for file in files:
            self.odd.note(file.path, file.mode, file.link)
            self._note_young(file.path, file.changed_ns)
        odd = self.odd
        if (odd.modes, odd.links) != (self.memory.modes, self.memory.links):
            self.memory = msgspec.structs.replace(
                self.memory, modes=odd.modes, links=odd.links, young=dict(self.young)
            )
            save_memory(self.git, self.memory)

    def _note_young(self, path: str, changed_ns: int) -> None:
        if changed_ns >= self.since * _SECOND_NS and len(self.young) < MAX_YOUNG:
            self.young[path_key(path)] = changed_ns

    def _add(self, files: Sequence[CandidateFile]) -> None:
        batches = list(_batches(files))
        if len(batches) > 1 and not os.path.exists(self.git.index):
            batches = index_in_parallel(self.git, batches, self._add_batch)
        waiting = batches[::-1]
        is_sound = False
        while waiting:
            batch = waiting.pop()
            try:
                self._add_batch(self.git, batch)
            except GitTooSlowError:
                for late in (batch, *waiting):
                    self.left_out += [LeftOut(file.path, NO_TIME) for file in late]
                return
            except GitFailedError:
                if not is_sound:
                    self._update(self.git)  # raises if it is not the fault of a file
                    is_sound = True
                waiting += self._smaller(batch)

    def _add_batch(self, git: Git, batch: Sequence[CandidateFile]) -> None:
        if not self.deadline.left:
            raise GitTooSlowError("update-index", self.deadline.seconds)
        git = git.with_deadline(GitDeadline(git.deadline.left * _FOR_A_BATCH))
        if len(batch) >= _MANY and git.is_at_least(*_ONE_PACK_SINCE):
            git = git.with_settings(_AS_PACK)
        is_part = git.index != self.git.index
        self._update(git, *(_TAKE_IN if is_part else RENEW), paths=[file.path for file in batch])
        self.sizes.update((os.fsencode(file.path), file.size) for file in batch if file.mode)

    def _smaller(self, batch: Sequence[CandidateFile]) -> list[list[CandidateFile]]:
        """Split a batch that git rejected: without the bad files, or in halves."""
        again = self.classifier.classify(file.path for file in batch)
        self.left_out += again.left_out
        self.removed += again.displaced
        good = [*again.files, *(CandidateFile(path, 0, 0) for path in again.gone)]
        if len(good) < len(batch):
            return [good] if good else []
        if len(good) == 1:
            self.left_out.append(LeftOut(good[0].path, UNREADABLE))
            return []
        half = len(good) // 2
        return [good[half:], good[:half]]

    def _remove(self) -> None:
        if self.removed:
            self._update(self.git, "--force-remove", paths=self.removed)
            self.odd.forget(self.removed)
            for path in self.removed:
                self.sizes.pop(os.fsencode(path), None)

    def _update(self, git: Git, *options: str, paths: Sequence[str] = ()) -> None:
        try:
            git.run("update-index", *options, "-z", "--stdin", given=join_paths(paths))
        except GitError:
            with suppress(FileNotFoundError):  # a git that was killed leaves it
                os.unlink(f"{git.index}.lock")
            raise

    def _done(self, wanted: int) -> StagingResult:
        late = any(each.why == NO_TIME for each in self.left_out)
        memory = msgspec.structs.replace(
            self.memory,
            include=self.settings.include,
            modes=self.odd.modes,
            links=self.odd.links,
            young=dict(self.young),
        )
        if memory != self.memory:
            save_memory(self.git, memory)
        return StagingResult(
            len(self.sizes),
            sum(self.sizes.values()),
            wanted,
            bounded_coverage(self.left_out, self._known, unfinished=late),
            memory.modes,
            memory.links,
        )

    def _known(self) -> list[str]:
        return [os.fsdecode(name) for name in _known(self.git)]


def _known(git: Git) -> list[bytes]:
    return git.run("ls-files", "-z").split(b"\0")[:-1]


def _batches(files: Sequence[CandidateFile]) -> Iterator[list[CandidateFile]]:
    batch: list[CandidateFile] = []
    size = 0
    for file in files:
        if batch and (len(batch) == _BATCH_FILES or size + file.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch
