"""Every picture by its name, and what two pictures must have in common to say the same."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

from scripts.pictures.drawings import life, rooms
from scripts.pictures.scenes import World, demo, review, undo, watch, world

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PANEL_LABELS = FOLDER / "panel.json"
"""What each picture of the panel says, without what differs each time."""
SCENES: dict[str, Callable[[World], str]] = {
    "demo": demo,
    "review": review,
    "undo": undo,
    "watch": watch,
}
DRAWINGS: dict[str, Callable[[], str]] = {"rooms": rooms, "life": life}
NAMES = (*SCENES, *DRAWINGS)
_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_BESIDE = "files saved as"
_VOLATILE = re.compile(r"/tmp/\S+|\d+(?: (?:s|min|h)\b)?")
_MARKS_BESIDE = re.compile(r"[▁-█▪]")
"""Scroll bars, sparklines, and checkpoints of actions: they depend on when something came."""


def picture(name: str) -> str:
    """Draw one picture."""
    if name in DRAWINGS:
        return DRAWINGS[name]()
    with world() as scene:
        return SCENES[name](scene)


def structure(svg: str) -> list[str]:
    """What a picture says, without numbers, times, places, colours and the order of lines.

    Checkpoints are taken beside the agent's work, so they stand in another line each time.
    """
    texts = (unescape(_TAG.sub("", text)) for text in _TEXT.findall(svg))
    said = (" ".join(_MARKS_BESIDE.sub("", text).split()) for text in texts if _BESIDE not in text)
    return sorted(_VOLATILE.sub("0", text) for text in said if text)
