"""What the screen knows of the log at one moment."""

import msgspec

from handrail.tui.entry import Entry
from handrail.tui.overview import Overview


class View(msgspec.Struct, frozen=True):
    """Made by the feed in its thread, read by the screen in another: nothing in it changes."""

    runs: tuple[Overview, ...] = ()
    run: str = ""
    """The one whose timeline this is."""
    timeline: tuple[Entry, ...] = ()
    cut: bool = False
    """The timeline has a longer past."""
    loading: int = 0
    """Runs that were not read yet."""
    left_out: int = 0
    """Runs that would be too many to show."""
    problem: str = ""
    """Why the log cannot be read now; what is shown is then from before."""
    is_first: bool = False
    """Nothing was read yet."""
