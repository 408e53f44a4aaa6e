"""Check thresholds that stand in one section and depend on each other."""

from itertools import pairwise


def must_ascend(**thresholds: float) -> None:
    """Raise ValueError unless each threshold is at least the one before it."""
    if any(lower > higher for lower, higher in pairwise(thresholds.values())):
        said = ", ".join(f"{name} {value:g}" for name, value in thresholds.items())
        raise ValueError(f"each threshold must be at least the one before it: {said}")
