"""Review in process, and beside it what it is built on and could be compared with."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import bashlex
import tree_sitter
import tree_sitter_bash
from benchmarks.corpus import Corpus, Line
from benchmarks.measure import Spread, Table, best_of, spread_cells

from handrail.config import Config
from handrail.model import Action
from handrail.review import Reviewer
from handrail.shell import UnreadableError, read

SCOPE = ("/testbed/**", "/workspace/**")
_HOME = {"HOME": "/home/test"}


def review_table(corpus: Corpus, rounds: int) -> Table:
    """All of it, on the same commands, in the same run."""
    table = Table(
        "One command, in process",
        ("what", "p50", "p90", "p99", "max", "p50, review = 1", "not parsed"),
        note=f"Best of {rounds} rounds for each of {corpus.origin}; every round begins with a new "
        "Reviewer. *Not parsed*: commands with an error raised or found; the reader still reads "
        "the rest of those.",
    )
    with _folder() as folder:
        starts: dict[str, Callable[[], Callable[[Line], object]]] = {
            "**review**": _fresh,
            "review, project on this disk": lambda: _on_disk(folder),
            "review, seen before": lambda: _warm(corpus),
            "read (effects, no verdict)": lambda: _read,
            "parse (tree-sitter alone)": lambda: _parse,
            "shlex.split": lambda: _split,
            "bashlex.parse": lambda: _bashlex,
        }
        spreads = {
            name: Spread.of(best_of(rounds, corpus.lines, start).values())
            for name, start in starts.items()
        }
    base = spreads["**review**"].p50
    failures = _failures(corpus)
    for name, spread in spreads.items():
        table.add(name, *spread_cells(spread), f"{spread.p50 / base:.2f}", failures.get(name, ""))
    return table


def _fresh() -> Callable[[Line], object]:
    reviewer = Reviewer(Config(scope=SCOPE), environ=_HOME)
    return lambda line: reviewer.review(Action("Bash", {"command": line.command}, line.cwd))


def _on_disk(folder: str) -> Callable[[Line], object]:
    reviewer = Reviewer(Config(scope=(folder,)), environ=_HOME)
    return lambda line: reviewer.review(Action("Bash", {"command": line.command}, folder))


def _warm(corpus: Corpus) -> Callable[[Line], object]:
    work = _fresh()
    for line in corpus.lines[:1000]:  # as many as the cache keeps by default
        work(line)
    seen = corpus.lines[:1000]
    places = {line: seen[index % len(seen)] for index, line in enumerate(corpus.lines)}
    return lambda line: work(places[line])


def _read(line: Line) -> object:
    try:
        return read(line.command, cwd=line.cwd, environ=_HOME)
    except UnreadableError:
        return None


_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _parse(line: Line) -> tree_sitter.Tree:
    return _PARSER.parse(line.command.encode())


def _split(line: Line) -> object:
    try:
        return shlex.split(line.command)
    except ValueError:
        return None


def _bashlex(line: Line) -> object:
    try:
        return bashlex.parse(line.command)
    except Exception:  # noqa: BLE001 - it raises many kinds, NotImplementedError among them
        return None


def _failures(corpus: Corpus) -> dict[str, str]:
    def share(failed: Callable[[Line], bool]) -> str:
        return f"{sum(map(failed, corpus.lines)) / len(corpus.lines):.1%}"

    return {
        "**review**": share(lambda line: _read(line) is None),
        "read (effects, no verdict)": share(_is_broken),
        "parse (tree-sitter alone)": share(lambda line: _parse(line).root_node.has_error),
        "shlex.split": share(lambda line: _split(line) is None),
        "bashlex.parse": share(lambda line: _bashlex(line) is None),
    }


def _is_broken(line: Line) -> bool:
    try:
        return read(line.command, cwd=line.cwd, environ=_HOME).program.broken
    except UnreadableError:
        return True


@contextmanager
def _folder() -> Iterator[str]:
    """A project that exists, so that links and git's index are looked at."""
    with TemporaryDirectory(dir=Path.home()) as folder:
        (Path(folder) / ".git").mkdir()
        (Path(folder) / "src").mkdir()
        yield folder
