"""Copies before something is overwritten that no checkpoint holds: how often, and what they cost.

`python -m benchmarks.overwrites [FOLDER]` prints the tables. FOLDER, or HANDRAIL_RECORDED_RUNS,
has recorded commands (`real_commands_dev.jsonl`).
"""

import argparse
import os
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time

import msgspec
from benchmarks.corpus import Corpus, Line, load_corpus
from benchmarks.measure import Spread, Table, best_of, micro

from handrail.checkpoint import CheckpointStore, checkpoint_folder
from handrail.config import Config
from handrail.config.trash import Trash
from handrail.model import Action
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.overwrites import Overwrite, PossibleOverwrites
from handrail.review.reviewer import ReviewDraft
from handrail.server.files.overwrite_copies import OverwriteCopies
from handrail.server.threads.keyed_executor import KeyedExecutor
from handrail.supervise.decision.checkpoint_request import (
    CheckpointRequest,
    CheckpointUrgency,
    CopyRequest,
)

_FILES = 1_000
_SIZES = {"4 KB": 4_000, "1 MB": 1_000_000, "100 MB": 100_000_000}
_MAX_MB = 50
_PROJECTS = ("/testbed", "/workspace")
"""Where the recorded projects were."""
_IGNORED = """\
*.log
*.local
.env
.venv/
__pycache__/
node_modules/
build/
dist/
data/
*.sqlite
*.bin
"""
"""As many projects have it."""


class _Row(msgspec.Struct, frozen=True):
    """A recorded command, and the run that it belongs to."""

    command: str
    cwd: str | None = None
    run: str = ""

    def inside(self, tree: str) -> str:
        """The command as it would be given in another project."""
        text = self.command
        for place in filter(None, (self.cwd, *_PROJECTS)):
            text = text.replace(place, tree)
        return text


class _Scratch:
    """A repository with files, and a daemon's copies beside it."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "shop"
        (self.tree / "src").mkdir(parents=True)
        for number in range(_FILES):
            (self.tree / "src" / f"{number}.py").write_text(f"value = {number}\n" * 20)
        (self.tree / ".gitignore").write_text(_IGNORED)
        self.environ = {"HOME": str(folder), "PATH": os.environ["PATH"]}
        for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "start")):
            person = ("-c", "user.name=x", "-c", "user.email=x@example.invalid")
            subprocess.run(["git", *person, *words], cwd=self.tree, env=self.environ, check=True)
        self.home = str(folder / "state")
        self.lanes = KeyedExecutor()
        self.copies = OverwriteCopies(
            self.lanes, self.home, self.environ, lambda run, event: None, time
        )
        tree = str(self.tree)
        self.store = CheckpointStore(checkpoint_folder(self.home, tree), tree, environ=self.environ)

    def request(self, key: str, overwrites: PossibleOverwrites) -> CheckpointRequest:
        wanted = CopyRequest(key, overwrites, Trash(), 1.0)
        return CheckpointRequest("run", str(self.tree), 0, CheckpointUrgency.QUIET, copies=wanted)

    def look(self, path: str) -> int:
        """What the supervision thread does about one file that is overwritten."""
        wanted = self.request("t", PossibleOverwrites((Overwrite(path),)))
        return len(self.copies.candidates(wanted, str(self.tree), _MAX_MB))

    def copy(self, path: str, key: str) -> None:
        """What a lane does about it."""
        wanted = self.request(key, PossibleOverwrites((Overwrite(path),)))
        files = self.copies.candidates(wanted, str(self.tree), _MAX_MB)
        self.copies.copy(wanted, files, self.store)


def overwrite_tables(corpus: Corpus, rows: list[_Row], rounds: int) -> list[Table]:
    """How often something is copied, and what that costs."""
    with TemporaryDirectory() as folder:
        scratch = _Scratch(Path(folder))
        return [
            _share_table(rows or _rows_of(corpus), scratch),
            _cost_table(corpus, scratch, rounds),
        ]


def _rows_of(corpus: Corpus) -> list[_Row]:
    return [_Row(line.command, line.cwd, str(at)) for at, line in enumerate(corpus.lines)]


def _share_table(rows: list[_Row], scratch: _Scratch) -> Table:
    """Of recorded commands, those that may overwrite something."""
    written: dict[str, set[str]] = defaultdict(set)
    names = copies = ignored = 0
    for row in rows:
        found = [
            each.path
            for each in _draft(row.inside(str(scratch.tree)), str(scratch.tree)).overwrites().files
        ]
        names += bool(found)
        before = [path for path in found if path not in written[row.run]]
        copies += bool(before)
        ignored += bool(before) and bool(_ignored(before, scratch))
        written[row.run].update(found)
    table = Table(
        "Recorded commands that may overwrite a file",
        ("commands", "number", "share"),
        note="The recorded projects are not at hand: every named file counts as there before the "
        "run, unless an earlier command of the same run wrote it. So the last row is the most that "
        "can be copied, in a project with a usual `.gitignore`. Build, cache and log places, and "
        "appending, do not count.",
    )
    for name, number in (
        ("all", len(rows)),
        ("write a file that they name", names),
        ("… that the run did not write before", copies),
        ("… and that git ignores: **copied at most**", ignored),
    ):
        table.add(name, f"{number:,}", f"{100 * number / max(len(rows), 1):.1f}%")
    return table


def _ignored(paths: list[str], scratch: _Scratch) -> set[str]:
    inside = [path for path in paths if path.startswith(f"{scratch.tree}/")]
    named = [os.path.relpath(path, scratch.tree) for path in inside]
    return scratch.store.uncovered_paths(named, [1] * len(named)) if named else set()


def _cost_table(corpus: Corpus, scratch: _Scratch, rounds: int) -> Table:
    """The added time: in the supervision thread, and in a lane beside it."""
    table = Table(
        "Before something is overwritten",
        ("what", "p50", "p99"),
        note=f"In a repository of {_FILES:,} files. The first rows are the supervision thread's, "
        "for each call that does more than read; the others wait in a lane of their own. A file "
        "system with reflinks copies in constant time.",
    )
    drafts = {line: _draft(line.command, str(scratch.tree)) for line in corpus.lines}
    spread = Spread.of(best_of(rounds, corpus.lines, lambda: _asking(drafts, scratch)).values())
    table.add("a recorded command: does it overwrite something?", *_cells(spread))
    paths = [str(scratch.tree / "src" / f"{number}.py") for number in range(_FILES)]
    first = Spread.of([_timed(lambda path=path: scratch.look(path)) for path in paths])
    table.add("a tracked file, the first time", *_cells(first))
    again = Spread.of(best_of(rounds, paths, lambda: scratch.look).values())
    table.add("a tracked file, afterwards", *_cells(again))
    scratch.store.uncovered_paths(["x.local"], [1])
    for name, size in _SIZES.items():
        times = list(_copying(scratch, size, 5 * rounds if size < 10_000_000 else rounds))
        table.add(f"an ignored file of {name}: copied", *_cells(Spread.of(times)))
    return table


def _asking(drafts: dict[Line, ReviewDraft], scratch: _Scratch) -> Callable[[Line], object]:
    def ask(line: Line) -> object:
        wanted = scratch.request("t", drafts[line].overwrites())
        return scratch.copies.candidates(wanted, str(scratch.tree), _MAX_MB)

    return ask


def _copying(scratch: _Scratch, size: int, times: int) -> Iterator[float]:
    path = scratch.tree / "big.local"
    for number in range(times):
        path.write_bytes(os.urandom(min(size, 1_000_000)) * max(size // 1_000_000, 1))
        yield _timed(lambda number=number: scratch.copy(str(path), f"c{size}n{number}"))


def _draft(command: str, tree: str) -> ReviewDraft:
    action = Action("Bash", {"command": command}, tree, id="t1")
    return _REVIEWERS.setdefault(tree, Reviewer(Config(scope=(tree,)))).begin(action, History())


_REVIEWERS: dict[str, Reviewer] = {}


def _timed(work: Callable[[], object]) -> float:
    """Microseconds."""
    began = perf_counter()
    work()
    return (perf_counter() - began) * 1e6


def _cells(spread: Spread) -> tuple[str, str]:
    return micro(spread.p50), micro(spread.p99)


def recorded_rows(folder: str) -> list[_Row]:
    """The recorded commands in a folder; none where there is no such file."""
    path = Path(folder) / "real_commands_dev.jsonl"
    if not folder or not path.exists():
        return []
    return [msgspec.json.decode(line, type=_Row) for line in path.read_bytes().splitlines()]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.environ.get("HANDRAIL_RECORDED_RUNS", ""))
    for table in overwrite_tables(load_corpus(), recorded_rows(parser.parse_args().folder), 5):
        print(table.plain(), flush=True)


if __name__ == "__main__":
    main()
