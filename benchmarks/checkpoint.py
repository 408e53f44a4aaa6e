"""Checkpoints of generated trees, and beside them what one would do without.

`python -m benchmarks.checkpoint` prints the tables; `--files` says of which trees.
"""

import argparse
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

import msgspec
from benchmarks.machine import machine_lines
from benchmarks.measure import Table, milli
from benchmarks.trees import Repository, let_rest, make_repository
from benchmarks.without import Without, fresh

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    RestoreTarget,
    SavedCheckpoint,
    UndoLevel,
    checkpoint_folder,
)

Result = TypeVar("Result")
SIZES = (1_000, 10_000, 100_000)
_MIDDLE, _HUGE = 10_000, 100_000
_SOME, _MANY = 50, 5_000
_INNER = 500
_LARGE = "large.bin"
_BLOCK = 512
"""Bytes in which `st_blocks` counts, everywhere."""
_SECONDS = 600.0
"""For a checkpoint: longer than any takes, because one that is cut off says nothing."""

OWN = "handrail"
STASH, ASIDE, COPY = "`git stash -u` and back", "`git add -A` and commit", "`cp -a`"
ADD = "`git add -A` into nothing"
POP, CHECKOUT = "`git stash pop`", "`git checkout HEAD -- .`"
_WARM = {10_000: 0.060, 100_000: 0.350}
_SEEDED, _COLD = {100_000: 1.0}, {100_000: 8.0}
_RESTORED = 0.200


class _Sheet:
    """A table of times: a row for each case, a column for each way to do it."""

    def __init__(self, title: str, beside: Sequence[str], note: str) -> None:
        self._title, self._beside, self._note = title, beside, note
        self._rows: dict[str, dict[str, list[float]]] = {}
        self._targets: dict[str, float] = {}

    def times(self, row: str, way: str) -> list[float]:
        return self._rows.setdefault(row, {}).setdefault(way, [])

    def measure(
        self, row: str, way: str, work: Callable[[], Result], target: float | None = None
    ) -> Result:
        """Do it once, and keep how long that took."""
        began = perf_counter()
        result = work()
        self.times(row, way).append(perf_counter() - began)
        if target is not None:
            self._targets[row] = target
        return result

    def table(self) -> Table:
        table = Table(
            self._title, ("what", "target", "p50", "best", *self._beside), note=self._note
        )
        for row, ways in self._rows.items():
            own = ways[OWN]
            target = f"≤ {milli(self._targets[row])}" if row in self._targets else ""
            beside = (_compared(ways.get(way, []), median(own)) for way in self._beside)
            table.add(row, target, milli(median(own)), milli(min(own)), *beside)
        return table


def _compared(times: Sequence[float], own: float) -> str:
    return f"{milli(median(times))}, {median(times) / own:.1f} ×" if times else ""


class _Room(msgspec.Struct, frozen=True):
    """Bytes in files, and what they take on the disk."""

    bytes: int
    disk: int

    def cells(self, before: "_Room | None" = None) -> tuple[str, str]:
        """In all, or since then."""
        then = before or _Room(0, 0)
        return _size(self.bytes - then.bytes), _size(self.disk - then.disk)


class _Store:
    """Checkpoints of a work tree, in a state folder of their own."""

    def __init__(self, state: Path, tree: Path, environ: dict[str, str]) -> None:
        self.folder = Path(checkpoint_folder(str(state), str(tree)))
        self.checkpoints = CheckpointStore(str(self.folder), str(tree), environ=environ)

    def save(self) -> SavedCheckpoint:
        return self.checkpoints.save(CheckpointInfo(), seconds=_SECONDS)

    def check_first(self, saved: SavedCheckpoint, files: int) -> None:
        """Everything is in it."""
        argv = ["git", "--git-dir", str(self.folder / "git"), "ls-tree", "-r", saved.record.tree]
        found = subprocess.run(argv, check=True, capture_output=True).stdout.count(b"\n")
        _check("files in a first checkpoint", found, files)
        _check("coverage", saved.record.coverage.complete, True)

    @property
    def room(self) -> _Room:
        """What its files take, without the index, which is written anew each time."""
        found = [
            os.stat(os.path.join(folder, name))
            for folder, _, names in os.walk(self.folder)
            for name in names
            if not name.startswith("index-")
        ]
        disk = sum(each.st_blocks * _BLOCK for each in found)
        return _Room(sum(each.st_size for each in found), disk)


def _check(what: str, found: object, expected: object) -> None:
    """What was measured must have been done."""
    if found != expected:
        raise RuntimeError(f"{what}: {found}, not {expected}")


def _check_further(saved: SavedCheckpoint, changes: int) -> None:
    _check("whether it is new", saved.is_new, changes > 0)
    if changes:
        _check("changes in a checkpoint", saved.record.files, changes)


class _Bench:
    """All that is measured, one tree after the other."""

    def __init__(self, root: Path, rounds: int) -> None:
        self._root, self._rounds = root, rounds
        self._environ = _environ(root)
        self._first = _Sheet("Checkpoints: the first of a tree", (ADD, COPY), _FIRST_NOTE)
        self._warm = _Sheet("Checkpoints: a further one", (STASH, ASIDE, COPY), _WARM_NOTE)
        self._back = _Sheet("Checkpoints: going back", (POP, CHECKOUT), _BACK_NOTE)
        self._room = Table("Checkpoints: the room they take", _ROOM_HEAD, note=_ROOM_NOTE)

    @property
    def tables(self) -> list[Table]:
        return [self._first.table(), self._warm.table(), self._back.table(), self._room]

    def measure(self, files: int) -> None:
        """Everything on a tree of so many files."""
        tree = make_repository(self._root / f"shop-{files}", files, self._environ)
        without = Without(tree, self._root)
        os.sync()
        self._begin(tree, without)
        store = self._store(tree.path)
        store.save()
        for changes in (0, 1, _SOME, _MANY):
            if changes < files:
                self._go_on(tree, without, store, changes)
        self._go_back(tree, without, store, _SOME)
        if files == _MIDDLE:
            self._go_back(tree, without, store, _MANY)
            self._fill(tree, without)
            self._leave_out(tree, store)
            self._nest(tree)
        if files == _HUGE:
            self._link(tree)

    def _store(self, tree: Path) -> _Store:
        return _Store(fresh(self._root, "state"), tree, self._environ)

    def _begin(self, tree: Repository, without: Without) -> None:
        """First checkpoints: by the index of the repository, and from nothing."""
        files = len(tree.files)
        few = 1 if files >= _HUGE else 3
        seeded, cold = f"{files:,} files", f"{files:,} files, no repository"
        tree.change(_SOME)
        for _ in range(self._rounds):
            self._take_first(seeded, tree.path, files, _SEEDED.get(files))
        with _hidden(tree.path / ".git", self._root / "hidden"):
            for _ in range(few):
                self._take_first(cold, tree.path, files, _COLD.get(files))
                self._first.measure(cold, ADD, without.add_everything)
                self._first.measure(cold, COPY, without.copy)
        for way in (ADD, COPY):
            self._first.times(seeded, way).extend(self._first.times(cold, way))
        without.commit()
        os.sync()

    def _take_first(self, row: str, tree: Path, files: int, target: float | None = None) -> _Store:
        store = self._store(tree)
        saved = self._first.measure(row, OWN, store.save, target)
        store.check_first(saved, files)
        if len(self._first.times(row, OWN)) == 1:
            self._room.add(f"{row}, the first", "", *store.room.cells(), "")
        return store

    def _go_on(self, tree: Repository, without: Without, store: _Store, changes: int) -> None:
        """Checkpoints after so many changes."""
        files = len(tree.files)
        row = f"{files:,} files, {changes:,} changed"
        target = _WARM.get(files) if changes <= _SOME else None
        rounds, compared = self._counts(files, changes)
        before, written = store.room, 0
        for number in range(rounds):
            written += tree.change(changes).bytes
            # First of all: git's objects of the same changes could be borrowed.
            _check_further(self._warm.measure(row, OWN, store.save, target), changes)
            if number < compared:
                self._warm.measure(row, ASIDE, without.commit_aside)
                self._warm.measure(row, STASH, without.stash_and_back)
                without.commit()
                _check_further(store.save(), 0)  # what was stashed looks changed, and is not
        without.commit()
        self._warm.times(row, COPY).extend(self._first.times(f"{files:,} files", COPY))
        if changes >= _SOME:
            self._add_growth(f"{row}, {rounds} times", written, before, store.room)

    def _counts(self, files: int, changes: int) -> tuple[int, int]:
        """How often it is measured, and how often what it is compared with."""
        rounds = min(self._rounds, 3) if changes >= _MANY else self._rounds
        return rounds, min(rounds, 2) if files >= _HUGE else rounds

    def _add_growth(self, row: str, written: int, before: _Room, now: _Room) -> None:
        ratio = f"{(now.bytes - before.bytes) / written:.2f}"
        self._room.add(row, _size(written), *now.cells(before), ratio)

    def _go_back(self, tree: Repository, without: Without, store: _Store, changes: int) -> None:
        """Looking, going back, and undoing that."""
        files = f"{len(tree.files):,} files"
        look, back, again = (f"{files}, {what} {changes:,}" for what in _STEPS)
        rounds, compared = self._counts(len(tree.files), changes)
        first = _WARM[_HUGE] if len(tree.files) >= _HUGE else 0.0
        target = first + _RESTORED if changes == _SOME else None
        own = store.checkpoints
        for number in range(rounds):
            way = RestoreTarget(UndoLevel.CHECKPOINT, store.save().record)
            done = tree.change(changes)
            seen = self._back.measure(look, OWN, partial(own.preview, way))
            _check("files in a preview", len(seen.items), changes)
            tree.change_again(done)
            restored = self._back.measure(back, OWN, partial(own.restore, way), target)
            _check("files restored", len(restored.items), changes)
            _check("tree afterwards", restored.after.tree, way.target.tree)
            redo = RestoreTarget(UndoLevel.REDO, restored.undo, restored.after)
            redone = self._back.measure(again, OWN, partial(own.restore, redo))
            _check("files restored again", len(redone.items), changes)
            if number < compared:
                without.stash()
                self._back.measure(back, POP, without.pop)
            self._back.measure(back, CHECKOUT, without.check_out)
            tree.went_back(done)

    def _fill(self, tree: Repository, without: Without) -> None:
        """Many checkpoints in a row, before and after they are packed."""
        store = self._store(tree.path)
        store.save()
        before, written = store.room, 0
        for _ in range(_SERIES):
            written += tree.change(_SOME).bytes
            _check_further(store.save(), _SOME)
        row = f"{len(tree.files):,} files, {_SOME} changed, {_SERIES} times"
        self._add_growth(row, written, before, store.room)
        store.checkpoints.tidy()
        self._room.add("… tidied, with all that was borrowed", "", *store.room.cells(), "")
        without.commit()

    def _leave_out(self, tree: Repository, store: _Store) -> None:
        store.save()
        with (tree.path / _LARGE).open("wb") as file:
            file.truncate(1_000_000_000)
        row = f"{len(tree.files):,} files, {_SOME} changed, a new one of 1 GB"
        for _ in range(self._rounds):
            tree.change(_SOME)
            saved = self._warm.measure(row, OWN, store.save)
            _check_further(saved, _SOME)
            _check("left out", [each.path for each in saved.record.coverage.left_out], [_LARGE])
        (tree.path / _LARGE).unlink()

    def _nest(self, tree: Repository) -> None:
        """Repositories inside the work tree."""
        inner = [
            make_repository(tree.path / "vendor" / name, _INNER, self._environ)
            for name in ("one", "two")
        ]
        files = len(tree.files) + 2 * _INNER
        row = f"{files:,} files, {2 * _INNER:,} of them in 2 repositories inside"
        store = [self._take_first(row, tree.path, files) for _ in range(self._rounds)][-1]
        for _ in range(self._rounds):
            for each in (tree, *inner):
                each.change(_SOME)
            saved = self._warm.measure(f"{row}, {3 * _SOME} changed", OWN, store.save)
            _check_further(saved, 3 * _SOME)

    def _link(self, tree: Repository) -> None:
        linked = fresh(self._root, "linked")
        tree.git("worktree", "add", "-q", "--detach", str(linked))
        let_rest(tree.path / ".git" / "worktrees" / linked.name / "index")
        files = len(tree.files)
        for _ in range(self._rounds):
            row = f"{files:,} files, linked worktree"
            self._take_first(row, linked, files, _SEEDED.get(files))


@contextmanager
def _hidden(path: Path, place: Path) -> Iterator[None]:
    path.rename(place)
    try:
        yield
    finally:
        place.rename(path)


def _environ(root: Path) -> dict[str, str]:
    """Settings of nobody, so that everything is measured with the same."""
    (root / "home").mkdir()
    who = {f"GIT_{role}_{what}": "bench@localhost" for role in _ROLES for what in ("NAME", "EMAIL")}
    own = {"HOME": str(root / "home"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    return {"PATH": os.environ["PATH"], **own, **who}


def _size(number: int) -> str:
    return f"{number / 1e6:,.2f} MB" if number < 10_000_000 else f"{number / 1e6:,.0f} MB"


_ROLES = ("AUTHOR", "COMMITTER")
_SERIES = 20
_STEPS = ("a look at going back over", "going back over", "and forth again over")
_ROOM_HEAD = ("after which checkpoints", "changed", "kept", "on the disk", "kept ÷ changed, ≤ 1.2")
_FIRST_NOTE = (
    "The trees are repositories, with 50 files changed since their last commit, or the same "
    "without `.git`. *Into nothing*: an empty index and a git directory of its own. The copy is "
    "one of the files alone, without `.git`. After each time stands how many times longer it is. "
    f"On {_HUGE:,} files without a repository everything runs once."
)
_WARM_NOTE = (
    "Three changes in five rewrite a file, half of these with as many bytes as before; one is a "
    "new file, one a deletion. Each round changes other files, and the benchmark compares the "
    "report of a checkpoint with them. *And back*: `git stash push -u`, then `git stash "
    "pop`. *And commit*: with a copy of the index, `git add -A`, `write-tree`, `commit-tree`. "
    "The copy is the one of the table above. 5 rounds, 3 with 5,000 changes; on 100,000 files "
    "the other tools run twice."
)
_BACK_NOTE = (
    "Going back saves the files before, and compares and saves them afterwards. Up to "
    f"{_MIDDLE:,} files all of it is within the target; with {_HUGE:,} the target of the "
    "checkpoint before it is added. `git stash pop` puts as many changes back, not counting the "
    "`git stash push -u` before; `git checkout` removes no new file and keeps nothing of the old "
    "state."
)
_ROOM_NOTE = (
    "The room of the private folder, without its index. The changed bytes cannot be compressed. "
    "A first checkpoint borrows the objects of the repository; without one, it holds all files."
)


def checkpoint_tables(sizes: Sequence[int], rounds: int) -> list[Table]:
    """All tables, from trees in a temporary folder."""
    with TemporaryDirectory(prefix="handrail-trees-") as folder:
        bench = _Bench(Path(folder).resolve(), rounds)
        for files in sizes:
            bench.measure(files)
        return bench.tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print("\n".join(machine_lines()), end="\n\n")
    for table in checkpoint_tables(given.files or SIZES, given.rounds):
        print(table.plain())


if __name__ == "__main__":
    main()
