"""The keys at the bottom of the screen."""

from collections.abc import Sequence
from itertools import accumulate

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

_PALETTE = "-command-palette"
_GAP = 1
_PALETTE_EDGES = 1
"""Its border and its padding, less the gap that the other keys have."""


class KeyFooter(Footer):
    """As many keys as fit whole, the most important first; the help page has them all."""

    _composed_for = 0

    def compose(self) -> ComposeResult:
        """Leave out what does not fit, the command palette first."""
        keys = list(super().compose())
        own = [each for each in keys if not each.has_class(_PALETTE)]
        last = [each for each in keys if each.has_class(_PALETTE)]
        self._composed_for = room = self.app.size.width
        shown = _fitting(own, room)
        yield from shown
        taken = sum(map(_columns, (*shown, *last))) + _PALETTE_EDGES
        if len(shown) == len(own) and taken <= room:
            yield from last

    def on_resize(self, event: Resize) -> None:
        """Choose the keys anew for another width; new keys alone are a resize, too."""
        if event.size.width != self._composed_for:
            self.call_after_refresh(self.recompose)


def _fitting(keys: Sequence[Widget], room: int) -> list[Widget]:
    ends = accumulate(map(_columns, keys))
    return [key for key, end in zip(keys, ends, strict=True) if end - _GAP <= room]


def _columns(key: Widget) -> int:
    assert isinstance(key, FooterKey)
    return cell_len(f"{key.key_display} {key.description}") + _GAP
