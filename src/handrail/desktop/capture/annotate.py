"""Marks in a picture what was recognised in it."""

import io

import msgspec
from PIL import Image, ImageDraw, ImageFont

from handrail.desktop.capture.encode import encode_screenshot
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.windows import Area

_COLOUR = (214, 40, 40)
_INK = (255, 255, 255)
_LINE = 4
_MARGIN = 6
_HEIGHT = 34
_SIZE = 18
_MOST_TEXT = 160


def annotate(screenshot: Screenshot, place: Area | None, text: str) -> Screenshot:
    """Return the picture with a frame around a place of the screen, and a text below it.

    Above a window, the text would hide its title.
    """
    with Image.open(io.BytesIO(screenshot.data)) as opened:
        picture = opened.convert("RGB")
    draw = ImageDraw.Draw(picture)
    left, top = 0, 0
    if place is not None:
        scale = screenshot.scale
        left, above = round(place.x * scale), round(place.y * scale)
        right, top = left + round(place.width * scale), above + round(place.height * scale)
        draw.rectangle((left, above, right, top), outline=_COLOUR, width=_LINE)
    _write(draw, left, top, text, picture.size)
    encoded = encode_screenshot(picture, screenshot.at)
    return msgspec.structs.replace(encoded, scale=screenshot.scale)


def _write(
    draw: ImageDraw.ImageDraw, left: int, top: int, text: str, size: tuple[int, int]
) -> None:
    """Write a line at a place, or as near to it as the picture has room."""
    width, height = size
    font = ImageFont.load_default(_SIZE)
    label = text[:_MOST_TEXT].encode("latin-1", "replace").decode("latin-1")
    room = width - 2 * _MARGIN
    if draw.textlength(label, font) > room:
        while label and draw.textlength(f"{label}...", font) > room:
            label = label[:-1]
        label += "..."
    x = max(min(left + _MARGIN, width - _MARGIN - int(draw.textlength(label, font)) - 1), _MARGIN)
    y = max(min(top + 2 * _MARGIN, height - _HEIGHT), _MARGIN)
    box = draw.textbbox((x, y), label, font)
    frame = (box[0] - _MARGIN, box[1] - _MARGIN, box[2] + _MARGIN, box[3] + _MARGIN)
    draw.rectangle(frame, fill=_COLOUR)
    draw.text((x, y), label, fill=_INK, font=font)
