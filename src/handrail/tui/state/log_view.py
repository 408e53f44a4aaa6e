"""What the screen knows of the log at one moment."""

import msgspec

from handrail.tui.state.run_overview import RunOverview
from handrail.tui.state.timeline_entry import TimelineEntry


class LogView(msgspec.Struct, frozen=True):
    """Made by the feed in its thread, read by the screen in another: nothing in it changes."""

    runs: tuple[RunOverview, ...] = ()
    run: str = ""
    """The one whose timeline this is."""
    timeline: tuple[TimelineEntry, ...] = ()
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
