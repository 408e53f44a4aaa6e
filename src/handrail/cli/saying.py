"""An event that is no action, in words."""

import os
import re
from typing import NamedTuple

_PATH_BEGINS = r"(?<![^\s'\"=:,(<>`])"


class Said(NamedTuple):
    """A sentence of a timeline."""

    text: str
    mark: str = "·"
    style: str = "dim"
    hint: str = ""
    """A command line to copy, which is never broken in two."""


def near(text: str, cwd: str) -> str:
    """The text with paths as they are seen from the run's folder."""
    home = os.path.expanduser("~")
    for folder, short in ((cwd, ""), (home, "~/")):
        if len(folder) > 1 and f"{folder}/" in text:
            text = re.sub(_PATH_BEGINS + re.escape(f"{folder}/"), short, text)
    return text
