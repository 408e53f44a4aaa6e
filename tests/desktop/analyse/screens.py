"""Small real pictures of a screen."""

import io

from PIL import Image, ImageDraw

from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.screen_reading import ScreenQuestion


def jpeg(width: int = 320, height: int = 180) -> bytes:
    """Return a JPEG of a dialog in an editor."""
    image = Image.new("RGB", (width, height), "#1e1e1e")
    draw = ImageDraw.Draw(image)
    draw.rectangle((width // 4, height // 3, 3 * width // 4, 2 * height // 3), fill="#dddddd")
    draw.text((width // 4 + 8, height // 3 + 8), "Do you want to save?", fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def screenshot(width: int = 320, height: int = 180, scale: float = 1.0) -> Screenshot:
    """Return a picture as a capture returns it."""
    return Screenshot(jpeg(width, height), width, height, at=0.0, scale=scale)


def question(
    *, expected_file: str = "", context: str = "", shot: Screenshot | None = None
) -> ScreenQuestion:
    """Return a question about a dialog in an editor."""
    return ScreenQuestion(shot or screenshot(), expected_file=expected_file, context=context)
