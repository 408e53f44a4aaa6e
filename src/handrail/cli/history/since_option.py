"""The value of --since."""

import re
from datetime import datetime

import click

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])", re.ASCII)


def read_since(text: str, now: float) -> float:
    """Read a time such as `10m`, `2h`, `2026-11-15` or `2026-11-15 14:00`."""
    if found := _SPAN.fullmatch(text.strip()):
        return now - float(found[1]) * _UNITS[found[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(
            f"--since {text}: use 10m, 2h, 3d, 2026-11-15 or '2026-11-15 14:00'"
        ) from None
