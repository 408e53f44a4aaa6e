"""A file of 5 MB beside what a session should have made of it: Handrail, diff -u and difflib."""

import subprocess
import tempfile
from collections.abc import Callable
from difflib import SequenceMatcher, unified_diff
from functools import partial
from pathlib import Path
from time import perf_counter

import msgspec
from benchmarks.measure import Table, best_of, milli

from handrail.desktop.verify.recorder import edit_operations
from handrail.desktop.verify.session import EditedFile, EditSession
from handrail.desktop.verify.session_reading import read_session
from handrail.desktop.verify.verifier import SessionVerifier

_LINES = 110_000
_NAME = "text.py"
_DIFFERENCES = (0, 1, 10, 100, 1_000)
_PLACES = 1_000
"""Where blocks of lines are damaged."""
_BLOCKS = {
    "3 lines gone": (3, 0), "2 lines replaced": (2, 2), "10 lines replaced": (10, 10),
    "40 lines replaced": (40, 40),
}  # fmt: skip
"""How many lines go in one place, and how many others come."""
_MOST_FOR_DIFFLIB = 10
"""With a hundred it takes seconds, with a thousand minutes."""
_PIECE = 4_000
"""Characters; with 20,000, difflib takes half a minute."""
_SLOW_ROUNDS = 2
_OURS = "Handrail"

Way = Callable[[], object]


def verify_tables(rounds: int) -> list[Table]:
    """The time to find and show the differences, by their number and by their kind."""
    return [_by_number(rounds), _by_kind(rounds)]


def _by_number(rounds: int) -> Table:
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = _lines()
        expected = "".join(lines).encode()
        for number in _DIFFERENCES:
            actual = _damaged(lines, number).encode()
            for name, took in _times(Path(folder), expected, actual, rounds, number).items():
                found.setdefault(name, []).append(took)
    by_characters = _by_characters(expected[:_PIECE].decode())
    return _table(found, len(expected), by_characters, rounds)


def _by_kind(rounds: int) -> Table:
    table = Table(
        f"Verify the same file, damaged in {_PLACES:,} places",
        ("damage in each place", _OURS, "diff -u"),
        note=f"Best of {rounds} rounds; in brackets relative to diff -u in the same run. Worst for "
        "Handrail is damage between equal lines that are few: there it searches.",
    )
    lines = _lines()
    expected = "".join(lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        kinds = {
            **{name: _with_blocks(lines, gone, new) for name, (gone, new) in _BLOCKS.items()},
            "a line moved by 10": _with_moves(lines),
            "every third line replaced": _with_thirds(lines),
        }
        for name, text in kinds.items():
            ways = _ways(Path(folder), expected, text.encode())
            took = best_of(rounds, [_OURS, "diff -u"], partial(_caller, ways))
            base = took["diff -u"]
            table.add(name, *(f"{milli(each / 1e6)} ({each / base:.2f})" for each in took.values()))
    return table


def _caller(ways: dict[str, Way]) -> Callable[[str], object]:
    return lambda name: ways[name]()


def _lines() -> list[str]:
    return [f"value_{n} = compute({n}, {n * n % 977})  # a line\n" for n in range(_LINES)]


def _with_blocks(lines: list[str], gone: int, new: int) -> str:
    damaged = list(lines)
    for at in reversed(range(0, _LINES, _LINES // _PLACES)):
        damaged[at + 50 : at + 50 + gone] = [f"other {at} {n}\n" for n in range(new)]
    return "".join(damaged)


def _with_moves(lines: list[str]) -> str:
    damaged = list(lines)
    for at in range(0, _LINES, _LINES // _PLACES):
        damaged.insert(at + 60, damaged.pop(at + 50))
    return "".join(damaged)


def _with_thirds(lines: list[str]) -> str:
    return "".join(f"other {n}\n" if n % 3 == 0 else line for n, line in enumerate(lines))


def _damaged(lines: list[str], number: int) -> str:
    damaged = list(lines)
    for n in range(number):
        damaged[(n * 2 + 1) * _LINES // (2 * number)] = "something else\n"
    return "".join(damaged)


def _times(
    folder: Path, expected: bytes, actual: bytes, rounds: int, number: int
) -> dict[str, float]:
    whole = _whole_session(SessionVerifier(str(folder)), expected)
    fast = {
        **_ways(folder, expected, actual),
        "Handrail, with reading and rebuilding the session": whole,
    }
    slow: dict[str, Way] = {}
    if number <= _MOST_FOR_DIFFLIB:
        slow["difflib by lines"] = lambda: _by_lines(expected, folder / _NAME)
    return {
        **best_of(rounds, list(fast), lambda: lambda name: fast[name]()),
        **best_of(_SLOW_ROUNDS, list(slow), lambda: lambda name: slow[name]()),
    }


def _ways(folder: Path, expected: bytes, actual: bytes) -> dict[str, Way]:
    wanted, found = folder / "expected", folder / _NAME
    wanted.write_bytes(expected)
    found.write_bytes(actual)
    verifier = SessionVerifier(str(folder))
    return {
        _OURS: lambda: verifier.compare(_NAME, expected),
        "diff -u": lambda: _by_diff(wanted, found),
    }


def _whole_session(verifier: SessionVerifier, expected: bytes) -> Way:
    """A session of a thousand operations that ends at the expected text."""
    text = expected.decode()
    lines = text.splitlines(keepends=True)
    for at in range(0, len(lines), len(lines) // 330):
        lines[at] = "# to be replaced\n"
    original = "".join(lines)
    file = EditedFile(_NAME, edit_operations(original, text), original)
    data = msgspec.json.encode(EditSession((file,)))
    return lambda: verifier.verify(read_session(data, "session"))


def _by_diff(wanted: Path, found: Path) -> bytes:
    return subprocess.run(["diff", "-u", wanted, found], check=False, capture_output=True).stdout


def _by_lines(expected: bytes, found: Path) -> tuple[float, list[str]]:
    """The ratio and the diff, as the library gives them."""
    one = expected.decode().splitlines(keepends=True)
    other = found.read_text().splitlines(keepends=True)
    return SequenceMatcher(None, one, other).ratio(), list(unified_diff(one, other))


def _by_characters(text: str) -> float:
    before = perf_counter()
    SequenceMatcher(
        None, text, f"{text[: _PIECE // 2]}?{text[_PIECE // 2 + 5 :]}", autojunk=False
    ).ratio()
    return perf_counter() - before


def _table(found: dict[str, list[float]], size: int, by_characters: float, rounds: int) -> Table:
    counts = (f"{number:,}" for number in _DIFFERENCES)
    table = Table(
        f"Verify a file of {size / 1e6:.1f} MB",
        ("way", *(f"{count} lines differ" for count in counts)),
        note=f"{_LINES:,} lines; the file is read, compared, and the diff made. Best of {rounds} "
        f"rounds, for difflib of {_SLOW_ROUNDS}; in brackets relative to diff -u in the same run. "
        f"difflib by lines was tried up to {_MOST_FOR_DIFFLIB} differences, for it takes minutes "
        f"with a thousand. By characters without autojunk it takes {milli(by_characters)} for "
        f"{_PIECE / 1000:.0f} KB, and four times that for twice as much: not tried here.",
    )
    base = found["diff -u"]
    for name, times in found.items():
        shown = f"**{name}**" if name == _OURS else name
        cells = [
            f"{milli(took / 1e6)} ({took / other:.2f})"
            for took, other in zip(times, base, strict=False)
        ]
        table.add(shown, *cells, *["–"] * (len(base) - len(cells)))
    return table
