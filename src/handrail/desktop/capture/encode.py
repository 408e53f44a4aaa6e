"""Encodes a picture so that it costs little to keep and to send."""

from io import BytesIO

from PIL import Image

from handrail.desktop.capture.screenshot import Screenshot

QUALITY = 85
LARGEST = (1920, 1080)
MOST_BYTES = 500_000
_QUALITIES = (QUALITY, 75, 65, 55, 45)
"""Tried in this order while a picture is too large. Below 45, letters become hard to read."""
_SMALLER = 0.8


def encode_screenshot(image: Image.Image, at: float) -> Screenshot:
    """Return a JPEG of at most 1920×1080 pixels and 500 KB, with the proportions of the screen."""
    width = image.width
    image = _shrunk(image, min(1.0, LARGEST[0] / image.width, LARGEST[1] / image.height))
    data = _fitting(image)
    while data is None:
        image = _shrunk(image, _SMALLER)
        data = _fitting(image)
    return Screenshot(
        data=data, width=image.width, height=image.height, at=at, scale=image.width / width
    )


def _fitting(image: Image.Image) -> bytes | None:
    for quality in _QUALITIES:
        if len(data := _jpeg(image, quality)) <= MOST_BYTES:
            return data
    return None


def _jpeg(image: Image.Image, quality: int) -> bytes:
    file = BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()


def _shrunk(image: Image.Image, scale: float) -> Image.Image:
    if scale >= 1:
        return image
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
