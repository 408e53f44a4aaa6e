"""Times and durations as people read them."""

from time import localtime, strftime


def clock_time(at: float) -> str:
    """Format a time in the local time zone: `14:02:11`."""
    return _local("%H:%M:%S", at) or "??:??:??"


def day(at: float) -> str:
    """Format a date: `Sun 15 Nov 2026`."""
    return _local("%a %d %b %Y", at) or "?"


def date_and_time(at: float) -> str:
    """Format a moment that may be days ago: `15 Nov 14:02`."""
    return _local("%d %b %H:%M", at) or "?"


def moment(at: float, now: float) -> str:
    """Format a moment as short as it is clear: `14:02`, or `15 Nov 14:02` on another day."""
    return (_local("%H:%M", at) or "?") if day(at) == day(now) else date_and_time(at)


def _local(form: str, at: float) -> str:
    try:
        return strftime(form, localtime(at))
    except (OverflowError, OSError, ValueError):  # no such moment: a log may hold anything
        return ""


def duration_in_words(seconds: float) -> str:
    """Format a duration coarsely: `40 s`, `12 min`, `3 h`, `5 d`."""
    seconds = max(seconds, 0.0)  # clocks go back at times
    for unit, length, most in (("s", 1, 60), ("min", 60, 100), ("h", 3600, 48)):
        if seconds < length * most:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds // 86400)} d"


def time_taken(milliseconds: float) -> str:
    """Format the duration of an action: `0.4 s`, `28 s`, `3 min`; "" if it was instant."""
    seconds = milliseconds / 1000
    if seconds < 0.1:
        return ""
    return f"{seconds:.1f} s" if seconds < 10 else duration_in_words(seconds)
