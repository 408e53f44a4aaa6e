"""The `prices` section of `handrail.yaml`: what the tokens of a model cost."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated

from msgspec import Meta, Struct

_MILLION = 1_000_000

Dollars = Annotated[float, Meta(ge=0)]


class ModelPrice(Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens of a model."""

    input: Annotated[Dollars, Meta(description="Tokens that it reads.")]
    output: Annotated[Dollars, Meta(description="Tokens that it writes.")]
    cache_read: Annotated[
        Dollars | None, Meta(description="Tokens that it reads from a cache; none: as `input`.")
    ] = None
    cache_write: Annotated[
        Dollars | None, Meta(description="Tokens that it keeps in a cache; none: as `input`.")
    ] = None

    def cost_usd(self, *, read: int, written: int, cache_read: int, cache_write: int) -> float:
        """Return the cost of so many tokens."""
        from_cache = self.input if self.cache_read is None else self.cache_read
        to_cache = self.input if self.cache_write is None else self.cache_write
        total = (
            read * self.input
            + written * self.output
            + cache_read * from_cache
            + cache_write * to_cache
        )
        return total / _MILLION


def price_of(model: str, prices: Mapping[str, ModelPrice]) -> ModelPrice | None:
    """Return the price of a model, by the longest name that fits; None: there is none."""
    fitting = [name for name in prices if fnmatchcase(model, name)]
    return prices[max(fitting, key=len)] if fitting else None
