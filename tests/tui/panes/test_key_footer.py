"""The keys at the bottom: whole words, as many as there is room for."""

import pytest

from tests.tui.sample_log import DOCS, SampleLog
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow
ALL = (
    "⏎ details a decide p pause s steer u undo x stop ? help / filter d redirect e escalate "
    "c checkpoint f freeze i interrupt K cancel q quit"
)
PALETTE = "▏^p palette"
WIDTHS = (40, 72, 80, 100, 110, len(ALL) - 1, len(ALL), 140, 146, len(ALL) + 12, 200, 60)


def test_no_key_is_cut_at_any_width(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        assert stand.app.watching.chosen == DOCS
        for width in WIDTHS:
            await stand.pilot.resize_terminal(width, 30)
            keys = expected(width)
            await stand.until(lambda keys=keys: bool(stand.lines[-1] == keys))  # type: ignore[misc]

    at_screen(book, work, size=(140, 45))


def expected(width: int) -> str:
    """As many whole keys as fit; the palette only beside all of them."""
    if width >= len(ALL) + 1 + len(PALETTE) + 1:
        return f"{ALL} ".ljust(width - len(PALETTE) - 1) + PALETTE
    cut = ALL[:width]
    while cut and not _is_whole(cut):
        cut = cut[:-1]
    return cut.rstrip()


def _is_whole(text: str) -> bool:
    """Whether a text ends after a pair of a key and its word."""
    rest = ALL[len(text) :]
    return (not rest or rest.startswith(" ")) and len(text.split()) % 2 == 0 and text[-1] != " "
