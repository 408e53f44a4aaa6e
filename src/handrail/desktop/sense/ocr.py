"""Reads the words in a part of a picture with Tesseract: the last resort where no tree is shown."""

import io
import os
import re
import shutil
import subprocess
from collections.abc import Mapping

from handrail.desktop.errors import AnalysisError, MissingPackageError
from handrail.desktop.windows import Area

OCR_SECONDS = 10.0
MAX_WORDS = 1_000
_SMALL = 1_000
"""A crop narrower than this is doubled: Tesseract wants letters of 20 pixels and more."""
_DARK = 110
_SPEAKS = re.compile(r"\w\w")


def read_words(picture: bytes, part: Area | None, environ: Mapping[str, str]) -> str:
    """Return the words in a part of a picture, lines joined by blanks.

    Raises MissingPackageError without Tesseract or Pillow, AnalysisError if reading failed.
    """
    program = shutil.which("tesseract", path=environ.get("PATH", os.defpath))
    if program is None:
        raise MissingPackageError("tesseract", "sudo apt-get install tesseract-ocr")
    try:
        done = subprocess.run(
            [program, "stdin", "stdout", "--psm", "11"],
            input=_prepare(picture, part),
            capture_output=True,
            # A second thread makes it three times slower on a small machine.
            env={**environ, "OMP_THREAD_LIMIT": "1"},
            timeout=OCR_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as problem:
        raise AnalysisError(f"Tesseract could not read the picture: {problem}") from problem
    lines = done.stdout.decode(errors="replace").splitlines()
    said = " ".join(" ".join(line.split()) for line in lines if _SPEAKS.search(line))
    return said[:MAX_WORDS]


def _prepare(picture: bytes, part: Area | None) -> bytes:
    """Cut the part out, dark letters on light ground, large enough."""
    # Pillow takes 60 ms to load, and most looks need no OCR.
    from PIL import Image, ImageOps, ImageStat  # noqa: PLC0415

    try:
        image = Image.open(io.BytesIO(picture)).convert("L")
    except OSError as problem:
        raise AnalysisError(f"the picture cannot be read: {problem}") from problem
    if part is not None:
        box = (part.x, part.y, part.x + part.width, part.y + part.height)
        image = image.crop(box)
    if ImageStat.Stat(image).mean[0] < _DARK:
        image = ImageOps.invert(image)
    if image.width < _SMALL:
        image = image.resize((image.width * 2, image.height * 2), Image.Resampling.LANCZOS)
    prepared = io.BytesIO()
    image.save(prepared, "PNG", compress_level=1)
    return prepared.getvalue()
