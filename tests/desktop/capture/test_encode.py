"""A picture costs little to keep and to send, and keeps its proportions."""

import os
from io import BytesIO

import pytest
from PIL import Image

from handrail.desktop.capture.encode import LARGEST, MOST_BYTES, encode_screenshot
from handrail.desktop.capture.screenshot import JPEG


def _plain(width: int, height: int) -> Image.Image:
    return Image.new("RGB", (width, height), (200, 30, 60))


def _noise(width: int, height: int) -> Image.Image:
    """The picture that takes most room."""
    return Image.frombytes("RGB", (width, height), os.urandom(3 * width * height))


@pytest.mark.parametrize(
    ("size", "encoded"),
    [
        ((1920, 1080), (1920, 1080)),
        ((640, 480), (640, 480)),
        ((3840, 2160), (1920, 1080)),
        ((5120, 1440), (1920, 540)),
        ((1080, 1920), (608, 1080)),
        ((1921, 1080), (1920, 1079)),
        ((1, 1), (1, 1)),
        ((6000, 1), (1920, 1)),
    ],
)
def test_a_picture_fits_and_keeps_its_proportions(
    size: tuple[int, int], encoded: tuple[int, int]
) -> None:
    shot = encode_screenshot(_plain(*size), 12.5)
    assert (shot.width, shot.height) == encoded
    assert Image.open(BytesIO(shot.data)).size == encoded
    assert shot.scale == pytest.approx(encoded[0] / size[0])
    assert (shot.media_type, shot.at) == (JPEG, 12.5)


def test_a_plain_picture_has_quality_85_and_its_colour() -> None:
    plain = _plain(1920, 1080)
    expected = BytesIO()
    plain.save(expected, "JPEG", quality=85)
    shot = encode_screenshot(plain, 0)
    assert shot.data == expected.getvalue()
    pixel = Image.open(BytesIO(shot.data)).getpixel((900, 500))
    assert isinstance(pixel, tuple)
    assert all(abs(is_ - was) <= 3 for is_, was in zip(pixel, (200, 30, 60), strict=True))


def test_a_busy_picture_loses_quality_before_size() -> None:
    shot = encode_screenshot(_noise(900, 900), 0)
    assert len(shot.data) <= MOST_BYTES
    assert (shot.width, shot.height, shot.scale) == (900, 900, 1.0)


def test_the_busiest_picture_becomes_smaller_too() -> None:
    shot = encode_screenshot(_noise(*LARGEST), 0)
    assert len(shot.data) <= MOST_BYTES
    assert shot.width < LARGEST[0]
    assert shot.width / shot.height == pytest.approx(16 / 9, rel=0.01)
    assert shot.scale == shot.width / LARGEST[0]
