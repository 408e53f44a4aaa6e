"""The sentence of a timeline, and helpers that all sentences share."""

import os
import re
from typing import NamedTuple

_PATH_BEGINS = r"(?<![^\s'\"=:,(<>`])"


class Sentence(NamedTuple):
    """One sentence of a timeline."""

    text: str
    mark: str = "·"
    style: str = "dim"
    hint: str = ""
    """A command to copy; it is never wrapped."""


def in_words(name: str) -> str:
    """Write the name of a finding or an intervention with blanks."""
    return name.replace("_", " ")


def joined(text: str, more: str) -> str:
    """Append more text after a colon, if there is any."""
    return f"{text}: {more}" if more else text


def shorten_paths(text: str, cwd: str) -> str:
    """Shorten paths in a text, relative to the run's folder or the home folder."""
    home = os.path.expanduser("~")
    for folder, short in ((cwd.rstrip("/"), ""), (home, "~/")):
        if len(folder) > 1 and f"{folder}/" in text:
            text = re.sub(_PATH_BEGINS + re.escape(f"{folder}/"), short, text)
    return text
