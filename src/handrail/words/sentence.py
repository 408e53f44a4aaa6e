"""What a sentence of a timeline is, and the words that all of them share."""

import os
import re
from typing import NamedTuple

_PATH_BEGINS = r"(?<![^\s'\"=:,(<>`])"


class Sentence(NamedTuple):
    """A sentence of a timeline."""

    text: str
    mark: str = "·"
    style: str = "dim"
    hint: str = ""
    """A command line to copy, which is never broken in two."""


def in_words(name: str) -> str:
    """The name of a kind of finding, or of means, as people write it."""
    return name.replace("_", " ")


def joined(text: str, more: str) -> str:
    """A sentence, and what else there is to say, if anything."""
    return f"{text}: {more}" if more else text


def shorten_paths(text: str, cwd: str) -> str:
    """The text with paths as they are seen from the run's folder."""
    home = os.path.expanduser("~")
    for folder, short in ((cwd.rstrip("/"), ""), (home, "~/")):
        if len(folder) > 1 and f"{folder}/" in text:
            text = re.sub(_PATH_BEGINS + re.escape(f"{folder}/"), short, text)
    return text
