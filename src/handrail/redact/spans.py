"""Secret parts of a text, and the markers that replace them."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple

from handrail.redact.patterns import TOKEN_KINDS

NAMED_KINDS = ("password", "token", "secret", "key", "credentials", "authorization", "cookie")
OTHER_KINDS = ("private key", "env value", "known value", "nested too deep", "unreadable")
_KINDS = {
    *NAMED_KINDS,
    *OTHER_KINDS,
    *(kind for kind in TOKEN_KINDS),
}


def redaction_marker(kind: str) -> str:
    """Return the marker for a kind of secret."""
    return f"[redacted: {kind}]"


MARKER = re.compile(r"\[redacted: (?:" + "|".join(map(re.escape, sorted(_KINDS))) + r")\]")
ALL_MARKERS = "".join(redaction_marker(kind) for kind in sorted(_KINDS))


class SecretSpan(NamedTuple):
    """A secret part of a text, and its kind."""

    start: int
    end: int
    kind: str


def replace_spans(text: str, spans: Iterable[SecretSpan]) -> str:
    """Replace every span with a marker; join spans that overlap."""
    old = [found.span() for found in MARKER.finditer(text)] if "[redacted: " in text else []
    merged: list[SecretSpan] = []
    for span in sorted(span for span in spans if span.end > span.start):
        start, end = _over_markers(old, span.start, span.end) if old else span[:2]
        if old and marker_at(old, start) == (start, end):
            continue
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(SecretSpan(start, end, span.kind))
    parts: list[str] = []
    at = 0
    for span in merged:
        parts += text[at : span.start], redaction_marker(span.kind)
        at = span.end
    return "".join((*parts, text[at:]))


def _over_markers(old: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """Widen the span where it would cut a marker in two."""
    for other in (start, end - 1):
        if cut := marker_at(old, other):
            start, end = min(start, cut[0]), max(end, cut[1])
    return start, end


def marker_at(old: list[tuple[int, int]], at: int) -> tuple[int, int] | None:
    """Return the marker of an earlier redaction at this place."""
    index = bisect_right(old, at, key=_start) - 1
    return old[index] if index >= 0 and at < old[index][1] else None


_start = itemgetter(0)
