"""Fits a picture to a model, so that places in its answer can be found again on the screen."""

import io

import msgspec

from handrail.desktop.analyse.model_table import PictureLimit
from handrail.desktop.capture.screenshot import JPEG, Screenshot
from handrail.desktop.errors import AnalysisError, MissingPackageError

_QUALITY = 85
_STEP = 0.98
_MAX_BYTES = 5_000_000


class SentPicture(msgspec.Struct, frozen=True):
    """A picture as a model gets it."""

    data: bytes
    media_type: str
    width: int
    height: int
    scale: float
    """Its size relative to the screen."""


def fit_picture(screenshot: Screenshot, limit: PictureLimit) -> SentPicture:
    """Shrink a picture if the model would do so otherwise, without telling by how much."""
    if len(screenshot.data) > _MAX_BYTES:
        raise AnalysisError(f"the picture has {len(screenshot.data):,} bytes; too much to send")
    width, height = screenshot.width, screenshot.height
    share = min(1.0, limit.edge / max(width, height, 1))
    while not limit.holds(_scaled(width, share), _scaled(height, share)):
        share *= _STEP
    if share == 1:
        return SentPicture(screenshot.data, screenshot.media_type, width, height, screenshot.scale)
    size = _scaled(width, share), _scaled(height, share)
    return SentPicture(
        _shrink(screenshot.data, size), JPEG, *size, screenshot.scale * size[0] / width
    )


def _scaled(length: int, share: float) -> int:
    return max(1, int(length * share))


def _shrink(data: bytes, size: tuple[int, int]) -> bytes:
    try:
        from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        raise MissingPackageError("Pillow", "pip install 'handrail[desktop]'") from None
    buffer = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.convert("RGB").resize(size).save(buffer, "JPEG", quality=_QUALITY)
    except (UnidentifiedImageError, OSError, ValueError) as error:
        raise AnalysisError(f"the picture cannot be read: {error}") from None
    return buffer.getvalue()
