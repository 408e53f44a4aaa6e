"""The use of a run between two measurements, for detectors."""

from typing import NamedTuple


class UsageSample(NamedTuple):
    """The tokens and the memory that Handrail measured."""

    tokens: int = 0
    """New tokens of the whole run."""
    answers: tuple[int, ...] = ()
    """The tokens of each new answer to the agent itself."""
    commands_mb: float = 0.0
    """The present memory of its commands."""
