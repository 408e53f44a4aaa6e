"""Marks in a picture: they can be read, and hide no title."""

from io import BytesIO

import pytest
from PIL import Image

from handrail.desktop.capture.annotate import annotate
from handrail.desktop.capture.encode import encode_screenshot
from handrail.desktop.windows import Area

SIZE = (640, 400)
LONG = "dialog 0.97  Do you want to save the changes before closing? All of them will be lost."


def marked(place: Area | None, text: str) -> Image.Image:
    """What is red in an empty picture after it was marked."""
    shot = annotate(encode_screenshot(Image.new("RGB", SIZE), 1.0), place, text)
    picture = Image.open(BytesIO(shot.data)).convert("RGB")
    assert picture.size == SIZE
    return picture.getchannel("R").point(lambda value: 255 if value > 128 else 0)


@pytest.mark.parametrize("place", [None, Area(400, 100, 200, 100), Area(0, 0, *SIZE)])
@pytest.mark.parametrize("text", ["normal 0.97", LONG, LONG * 3])
def test_a_mark_lies_within_the_picture(place: Area | None, text: str) -> None:
    labels = marked(place, text).crop((5, 0, SIZE[0] - 5, SIZE[1])).getbbox()
    assert labels is not None
    right = marked(None, text).getbbox()
    assert right is not None
    assert right[2] < SIZE[0], "the text has an end that can be read"


def test_the_text_stands_below_the_window() -> None:
    red = marked(Area(100, 100, 200, 100), LONG)
    assert red.crop((0, 0, SIZE[0], 99)).getbbox() is None, "the title is still to be seen"
    assert red.crop((0, 205, *SIZE)).getbbox() is not None
