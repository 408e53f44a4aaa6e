"""Moments and spans of time as people write and read them."""

import re
from datetime import datetime
from time import localtime, strftime

import click

from handrail.tui.moments import span, took

__all__ = ["clock", "day", "read_since", "span", "took"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)


def clock(at: float) -> str:
    """`14:02:11`, where this machine is."""
    return _local("%H:%M:%S", at)


def day(at: float) -> str:
    """`Sun 15 Nov 2026`."""
    return _local("%a %d %b %Y", at)


def _local(form: str, at: float) -> str:
    try:
        return strftime(form, localtime(at))
    except (OverflowError, OSError, ValueError):  # no such moment: a log may hold anything
        return "?"


def read_since(text: str, now: float) -> float:
    """The moment that `10m`, `2h`, `2026-11-15` or `2026-11-15 14:00` means."""
    if found := _SPAN.fullmatch(text.strip()):
        return now - float(found[1]) * _UNITS[found[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(
            f"--since {text}: say 10m, 2h, 3d, 2026-11-15 or '2026-11-15 14:00'"
        ) from None
