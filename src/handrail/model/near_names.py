"""Suggests the name that a person meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(typed: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """Return the known name that is most like a typed one, or ""."""
    return next(iter(get_close_matches(typed, list(known), 1, cutoff)), "")


def did_you_mean(typed: str, known: Iterable[str], otherwise: str = "") -> str:
    """Ask `did you mean …?` about the nearest name; return `otherwise` if no name is near."""
    near = nearest(typed, known)
    return f"did you mean {near}?" if near else otherwise
