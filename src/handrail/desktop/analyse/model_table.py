"""What is known about models: their prices, and the size of the pictures that they take."""

import re
from collections.abc import Mapping
from math import ceil

import msgspec

from handrail.config.prices import ModelPrice, price_of
from handrail.desktop.errors import AnalysisError

_PATCH = 28
"""A model reads a picture in squares of so many pixels, a token each."""

KNOWN_PRICES: Mapping[str, ModelPrice] = {
    "claude-haiku-5-5*": ModelPrice(input=0.10, output=0.50),
    "claude-sonnet-5-5*": ModelPrice(input=2, output=10),
    "claude-opus-5-5*": ModelPrice(input=4, output=20),
    "claude-fable-5-2*": ModelPrice(input=8, output=40),
    "claude-haiku-4-5*": ModelPrice(input=1, output=5),
    "claude-sonnet-4-[56]*": ModelPrice(input=3, output=15),
    "claude-opus-4-[56]*": ModelPrice(input=5, output=25),
}
"""US dollars for a million tokens; `prices` in handrail.yaml comes first."""


class PictureLimit(msgspec.Struct, frozen=True):
    """The largest picture that a model sees as it is; it shrinks larger ones by itself."""

    edge: int
    """Pixels of the longer edge."""
    tokens: int

    def holds(self, width: int, height: int) -> bool:
        """Return whether a picture stays as it is."""
        return max(width, height) <= self.edge and picture_tokens(width, height) <= self.tokens


_SMALL = PictureLimit(edge=1568, tokens=1568)
_LARGE = PictureLimit(edge=2576, tokens=4784)
_TAKES_LARGE = re.compile(r"claude-(?:opus-4-[78]|[a-z]+-5)(?:-|$)")


def price_of_model(model: str, prices: Mapping[str, ModelPrice]) -> ModelPrice:
    """Return the price of a model; raises AnalysisError if nobody knows it."""
    price = price_of(model, prices) or price_of(model, KNOWN_PRICES)
    if price is None:
        raise AnalysisError(
            f"the price of {model} is unknown, so desktop.max_cost_usd cannot be kept: name it "
            "under `prices` in handrail.yaml"
        )
    return price


def picture_limit(model: str) -> PictureLimit:
    """Return the largest picture for a model."""
    return _LARGE if _TAKES_LARGE.match(model) else _SMALL


def picture_tokens(width: int, height: int) -> int:
    """Return how many tokens a picture has."""
    return ceil(width / _PATCH) * ceil(height / _PATCH)
