"""The differences that a comparison found, as a unified diff of bounded size."""

from collections.abc import Iterator
from itertools import islice, zip_longest

from handrail.desktop.verify.similarity import CONTEXT, LineSimilarity
from handrail.desktop.verify.text_diff import TextHunk, split_lines

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
        yield from _section(found, group)


def _groups(hunks: list[TextHunk]) -> Iterator[list[TextHunk]]:
    """Differences whose context touches belong together."""
    group: list[TextHunk] = []
    for hunk in hunks:
        if group and hunk.lines.start - group[-1].lines.end > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    yield group


def _section(found: LineSimilarity, group: list[TextHunk]) -> Iterator[str]:
    text = found.expected
    first, last = group[0], group[-1]
    before = _lines_before(text, first.bytes.start)
    after = _lines_behind(text, last.bytes.end)
    start, other = first.lines.start - len(before), first.lines.other_start - len(before)
    here = _range(start, last.lines.end + len(after) - start)
    there = _range(other, last.lines.other_end + len(after) - other)
    yield f"@@ -{here} +{there} @@"
    yield from _shown(" ", before)
    for hunk, following in zip_longest(group, group[1:]):
        _, (begin, end, other_begin, other_end) = hunk
        yield from _shown("-", split_lines(text[begin:end]))
        yield from _shown("+", split_lines(found.actual[other_begin:other_end]))
        equal = split_lines(text[end : following.bytes.start]) if following else after
        yield from _shown(" ", equal)


def _lines_before(text: bytes, end: int) -> list[bytes]:
    start = end
    for _ in range(CONTEXT):
        start = text.rfind(b"\n", 0, max(start - 1, 0)) + 1
    return split_lines(text[start:end])


def _lines_behind(text: bytes, start: int) -> list[bytes]:
    end = start
    for _ in range(CONTEXT):
        end = text.find(b"\n", end) + 1 or len(text)
    return split_lines(text[start:end])


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
