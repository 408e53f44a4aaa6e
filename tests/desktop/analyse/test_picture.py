"""The size of a picture for a model."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from handrail.desktop.analyse.model_table import KNOWN_PRICES, picture_limit, picture_tokens
from handrail.desktop.analyse.picture import fit_picture
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.errors import AnalysisError
from tests.desktop.analyse.screens import screenshot

pytestmark = pytest.mark.slow

MODELS = ["claude-haiku-5-5", "claude-sonnet-4-5"]


@given(st.integers(1, 3_000), st.integers(1, 3_000), st.sampled_from(MODELS))
def test_no_picture_is_larger_than_the_model_sees_it(width: int, height: int, model: str) -> None:
    limit = picture_limit(model)
    shot = screenshot(width, height)
    sent = fit_picture(shot, limit)
    assert limit.holds(sent.width, sent.height)
    with Image.open(io.BytesIO(sent.data)) as image:
        assert image.size == (sent.width, sent.height)
    assert (sent.data is shot.data) == limit.holds(width, height)


def test_a_picture_that_fits_stays_as_it_is() -> None:
    shot = screenshot(1920, 1080, scale=0.5)
    sent = fit_picture(shot, picture_limit("claude-opus-5-5"))
    assert (sent.data, sent.scale) == (shot.data, 0.5)


@pytest.mark.parametrize(
    ("model", "edge"),
    [
        ("claude-haiku-5-5", 2576),
        ("claude-opus-4-7", 2576),
        ("claude-sonnet-5", 2576),
        ("claude-fable-5-2", 2576),
        ("claude-haiku-4-5", 1568),
        ("claude-haiku-4-5-20251001", 1568),
        ("claude-opus-4-6", 1568),
        ("somebody-else-1", 1568),
    ],
)
def test_a_model_has_its_limit(model: str, edge: int) -> None:
    assert picture_limit(model).edge == edge


def test_a_screen_has_the_measured_number_of_tokens() -> None:
    assert picture_tokens(1920, 1080) == 2691


def test_garbage_in_place_of_a_picture_is_an_error() -> None:
    garbage = Screenshot(b"\xff\xd8 no picture", 4_000, 3_000, at=0.0)
    with pytest.raises(AnalysisError, match="the picture cannot be read"):
        fit_picture(garbage, picture_limit("claude-haiku-4-5"))


def test_a_huge_picture_is_an_error() -> None:
    with pytest.raises(AnalysisError, match="too much to send"):
        fit_picture(Screenshot(b"x" * 6_000_000, 10, 10, at=0.0), picture_limit(""))


def test_the_known_prices_have_no_free_model() -> None:
    assert all(price.input > 0 and price.output > 0 for price in KNOWN_PRICES.values())
