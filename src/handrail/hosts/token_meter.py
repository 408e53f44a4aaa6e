"""The tokens of a session, read from the host's own records while it works."""

from typing import Protocol

import msgspec


class TokenCount(msgspec.Struct):
    """Tokens by their kind, because each kind has its own price."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """Return all of them."""
        return self.input + self.output + self.cache_read + self.cache_write


class TokenReading(msgspec.Struct):
    """What a meter has read so far."""

    models: dict[str, TokenCount] = {}
    """All tokens of the run, sub-agents too, by model."""
    answers: list[int] = []
    """The tokens of each answer to the agent itself since the last reading."""
    cost_usd: float = 0.0
    """The host's own figure for the cost; 0: it has none."""

    @property
    def tokens(self) -> int:
        """Return all tokens."""
        return sum(count.total for count in self.models.values())


class TokenMeter(Protocol):
    """Reads the records of one session. It does I/O: keep it off the path of hooks."""

    def read(self) -> TokenReading:
        """Read on from where the last reading ended, a bounded piece at a time."""
