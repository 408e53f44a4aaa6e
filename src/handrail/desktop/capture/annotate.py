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
_ABOVE = 34
_SIZE = 18
_MOST_TEXT = 160


def annotate(screenshot: Screenshot, place: Area | None, text: str) -> Screenshot:
    """Return the picture with a frame around a place of the screen, and a text above it."""
    with Image.open(io.BytesIO(screenshot.data)) as opened:
        picture = opened.convert("RGB")
    draw = ImageDraw.Draw(picture)
    left, top = 0, 0
    if place is not None:
        scale = screenshot.scale
        left, top = round(place.x * scale), round(place.y * scale)
        right, bottom = left + round(place.width * scale), top + round(place.height * scale)
        draw.rectangle((left, top, right, bottom), outline=_COLOUR, width=_LINE)
    label = text[:_MOST_TEXT].encode("latin-1", "replace").decode("latin-1")
    font = ImageFont.load_default(_SIZE)
    box = draw.textbbox((left + _MARGIN, max(top - _ABOVE, _MARGIN)), label, font)
    frame = (box[0] - _MARGIN, box[1] - _MARGIN, box[2] + _MARGIN, box[3] + _MARGIN)
    draw.rectangle(frame, fill=_COLOUR)
    draw.text((box[0], max(top - _ABOVE, _MARGIN)), label, fill=_INK, font=font)
    encoded = encode_screenshot(picture, screenshot.at)
    return msgspec.structs.replace(encoded, scale=screenshot.scale)
