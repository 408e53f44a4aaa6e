"""What the tokens of a model cost."""

import pytest

from handrail.config.prices import ModelPrice, price_of

SONNET = ModelPrice(3.0, 15.0, 0.3, 3.75)
OTHER = ModelPrice(1.0, 2.0)
PRICES = {"claude-*": OTHER, "claude-sonnet-*": SONNET}


def test_each_kind_of_token_has_its_price() -> None:
    cost = SONNET.cost_usd(read=1_000_000, written=0, cache_read=0, cache_write=0)
    assert cost == pytest.approx(3.0)
    cost = SONNET.cost_usd(read=0, written=100_000, cache_read=1_000_000, cache_write=1_000_000)
    assert cost == pytest.approx(1.5 + 0.3 + 3.75)


def test_a_cache_without_a_price_costs_as_much_as_reading() -> None:
    cost = OTHER.cost_usd(read=0, written=0, cache_read=1_000_000, cache_write=1_000_000)
    assert cost == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("claude-sonnet-4-5", SONNET),
        ("claude-haiku-4-5", OTHER),
        ("gpt-9", None),
        ("", None),
    ],
)
def test_the_longest_name_that_fits_counts(model: str, price: ModelPrice | None) -> None:
    assert price_of(model, PRICES) is price
