"""Details as labels on the left and text beside them."""

from collections.abc import Iterable

from handrail.tui.text import Line, StyledSpan, clip_line, pad, wrap

_LABEL = 11
_MAX_CHARS = 20_000


class FieldLines:
    """Collects the lines of a detail pane."""

    def __init__(self, width: int) -> None:
        self.lines: list[Line] = []
        self._width = max(width, _LABEL + 10)

    def title(self, *spans: StyledSpan) -> None:
        """Add a line without a label."""
        self.lines.append(clip_line((StyledSpan(" "), *spans), self._width))

    def add(self, label: str, texts: str | Iterable[str], style: str = "", limit: int = 0) -> None:
        """Add a label and paragraphs, at most `limit` lines; add nothing without text."""
        given = [texts] if isinstance(texts, str) else texts
        found = [
            line
            for text in given
            for part in text[:_MAX_CHARS].splitlines()
            for line in wrap(part.expandtabs(4), self._width - _LABEL - 1)
        ]
        if limit and len(found) > limit:
            found[limit:] = [f"… {len(found) - limit} more lines"]
        head = pad(f" {label}", _LABEL)
        for line in found:
            self.lines.append((StyledSpan(head, "bold"), StyledSpan(line, style)))
            head = " " * _LABEL
