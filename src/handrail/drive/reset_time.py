"""Find out when a service can be used again, from the words of its refusal."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo

_FURTHEST = timedelta(days=32)
"""The longest limits are those of a month; a later moment was misread."""
_JUST_PASSED = timedelta(hours=12)
"""A time of day that passed less than this ago was today, not tomorrow. Hosts repeat an old
message at times, and asking once more costs little; a wrong "tomorrow" costs a day."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_UNIT = r"(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d)"
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"

_EPOCH = re.compile(r"(?:\||resets?_at[\"']?: ?[\"']?)(\d{10})(?:\d{3})?\b")
_IN_SECONDS = re.compile(rf"resets?_in_seconds[\"']?: ?({_NUMBER})")
_RETRY_AFTER = re.compile(
    rf"retry[-_ ]?(?:after|delay)(?P<ms>[-_ ]?ms)?[\"']?\s{{0,3}}[:=]?\s{{0,3}}[\"']?"
    rf"(?:(?P<number>{_NUMBER})\s?(?P<unit>{_UNIT})?\b"
    r"|(?P<date>[a-z]{3}, \d{2} [a-z]{3} \d{4} \d{2}:\d{2}:\d{2} gmt))",
    re.IGNORECASE,
)
_AFTER_A_WHILE = re.compile(
    rf"(?:again|retry|resets?|available) in "
    rf"((?:{_NUMBER}\s?{_UNIT}\b[\s,]{{0,3}}(?:and )?){{1,5}})",
    re.IGNORECASE,
)
_PIECE = re.compile(rf"({_NUMBER})\s?({_UNIT})", re.IGNORECASE)
_ISO = re.compile(
    r"(?:resets?|again|until)(?: at| on)? (\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2})?"
    r"(?:\.\d{1,6})?(?:z|[+-]\d{2}:?\d{2})?)",
    re.IGNORECASE,
)
_AT = re.compile(
    r"(?:resets?|again|until)(?: at| on)? "
    rf"(?:(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?(?: (?P<year>\d{{4}}),?)?"
    r"(?: at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?:\s?(?P<half>am|pm))?\b"
    rf"(?: on (?P<late_day>\d{{1,2}}) (?P<late_month>{_MONTH}))?"
    r"(?: ?\((?P<zone>[a-z_]{1,20}(?:/[a-z0-9_+-]{1,30}){0,2})\))?",
    re.IGNORECASE,
)


def find_reset_time(text: str, now: float, zone: tzinfo | None = None) -> float:
    """Return when the service says that it can be used again; 0.0: it does not say.

    `zone`: of a time of day without a zone; None: this machine's.
    """
    words = " ".join(text.split())
    here = datetime.fromtimestamp(now, UTC).astimezone(zone)
    for read in _READERS:
        try:
            at = read(words, here)
        except (ValueError, OverflowError, OSError):  # the 31st of June, the year 0
            continue
        if at is not None and here < at <= here + _FURTHEST:
            return at.timestamp()
    return 0.0


def _epoch(words: str, _here: datetime) -> datetime | None:
    found = _EPOCH.search(words)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _in_seconds(words: str, here: datetime) -> datetime | None:
    found = _IN_SECONDS.search(words)
    return here + timedelta(seconds=float(found[1])) if found else None


def _retry_after(words: str, here: datetime) -> datetime | None:
    found = _RETRY_AFTER.search(words)
    if found is None:
        return None
    if found["date"]:
        return parsedate_to_datetime(found["date"])
    unit = "ms" if found["ms"] else _short_unit(found["unit"] or "s")
    return here + timedelta(seconds=float(found["number"]) * _UNITS[unit])


def _after_a_while(words: str, here: datetime) -> datetime | None:
    found = _AFTER_A_WHILE.search(words)
    if found is None:
        return None
    pieces = _PIECE.findall(found[1])
    return here + timedelta(
        seconds=sum(float(number) * _UNITS[_short_unit(unit)] for number, unit in pieces)
    )


def _short_unit(unit: str) -> str:
    unit = unit.lower()
    return "ms" if unit.startswith(("ms", "milli")) else unit[0]


def _iso(words: str, here: datetime) -> datetime | None:
    found = _ISO.search(words)
    if found is None:
        return None
    at = datetime.fromisoformat(found[1].upper())
    return at if at.tzinfo else at.replace(tzinfo=here.tzinfo)


def _at(words: str, here: datetime) -> datetime | None:
    for found in _AT.finditer(words):
        if found["half"] or found["minute"]:
            return _moment(found, here.astimezone(_zone(found["zone"]) or here.tzinfo))
    return None


def _moment(found: "re.Match[str]", here: datetime) -> datetime:
    hour = int(found["hour"])
    if found["half"] and hour <= 12:
        hour = hour % 12 + 12 * (found["half"].lower() == "pm")
    at = here.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
    month = found["month"] or found["late_month"]
    if month is None:
        passed = here - at
        return at + timedelta(days=1) if passed > _JUST_PASSED else at
    at = at.replace(
        year=int(found["year"] or here.year),
        month=_MONTHS.index(month[:3].lower()) + 1,
        day=int(found["day"] or found["late_day"]),
    )
    if not found["year"] and here - at > timedelta(days=180):  # said in December about January
        at = at.replace(year=here.year + 1)
    return at


def _zone(name: str | None) -> tzinfo | None:
    """Return a zone by its name; None: this machine does not know it."""
    try:
        return ZoneInfo(name) if name else None
    except (LookupError, ValueError, OSError):
        return None


_READERS: tuple[Callable[[str, datetime], datetime | None], ...] = (
    _epoch,
    _in_seconds,
    _retry_after,
    _after_a_while,
    _iso,
    _at,
)
