"""The differences that a comparison found, as a unified diff of bounded size."""

from collections.abc import Iterator
from itertools import islice

from handrail.desktop.verify.line_diff import Hunk
from handrail.desktop.verify.similarity import CONTEXT, LineSimilarity

MAX_DIFF_LINES = 200
MAX_LINE = 500
_NO_BREAK = "\\ No newline at end of file"


def unified_diff(path: str, found: LineSimilarity) -> tuple[str, ...]:
    """Return a diff from the expected text to the actual one; "" at its end: it is cut."""
    if not found.hunks:
        return ()
    lines = list(islice(_lines(path, found), MAX_DIFF_LINES + 1))
    if len(lines) > MAX_DIFF_LINES:
        lines[-1] = f"… the diff goes on; only its first {MAX_DIFF_LINES} lines are here"
    return tuple(lines)


def _lines(path: str, found: LineSimilarity) -> Iterator[str]:
    yield f"--- expected/{path}"
    yield f"+++ actual/{path}"
    for group in _groups(found.hunks):
        first, last = group[0], group[-1]
        before = min(CONTEXT, first.start, first.other_start)
        after = min(CONTEXT, len(found.expected) - last.end)
        start, other = first.start - before, first.other_start - before
        end, other_end = last.end + after, last.other_end + after
        here = _range(found.first_line + start, end - start)
        there = _range(found.first_line + other, other_end - other)
        yield f"@@ -{here} +{there} @@"
        for hunk in group:
            yield from _shown(" ", found.expected[start : hunk.start])
            yield from _shown("-", found.expected[hunk.start : hunk.end])
            yield from _shown("+", found.actual[hunk.other_start : hunk.other_end])
            start = hunk.end
        yield from _shown(" ", found.expected[start:end])


def _groups(hunks: list[Hunk]) -> Iterator[list[Hunk]]:
    """Differences whose context touches belong together."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    yield group


def _range(before: int, length: int) -> str:
    """A range as `diff -u` writes it: an empty one names the line before it."""
    start = before + 1 if length else before
    return str(start) if length == 1 else f"{start},{length}"


def _shown(sign: str, lines: list[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.removesuffix(b"\n").decode("utf-8", "backslashreplace")
        cut = f"{text[:MAX_LINE]}… ({len(text):,} characters)" if len(text) > MAX_LINE else text
        yield sign + cut
        if not line.endswith(b"\n"):
            yield _NO_BREAK
