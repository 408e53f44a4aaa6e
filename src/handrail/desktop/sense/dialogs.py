"""Judges dialogs and messages: is it an error, and which button closes it without harm."""

import re
from collections.abc import Sequence

import msgspec

from handrail.desktop.recover.actions import ClickButton
from handrail.desktop.recover.buttons import PressedBy, plain_name, rule_for_button
from handrail.desktop.sense.screen_facts import DialogFacts

ESCAPE = "press Escape"
MAX_TEXT = 160
_MAX_BUTTONS = 8

_NAMES = re.compile(
    r"“[^”]*”|„[^“]*“|‘[^’]*’|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\S*/\S*|\S+\.\w{1,8}(?!\w)"
)
"""Names of files and other quoted things: a file may be called `error.log`."""
_ERROR = re.compile(
    r"\b(?:error|fail(?:ed|ure|s)?|cannot|can['’]t|could not|couldn['’]t|unable|denied|invalid"
    r"|not valid|not found|no such|not exist|refused|unexpected|crash(?:ed)?|exception|traceback"
    r"|corrupt(?:ed)?|not respond(?:ing)?|timed out|disconnected|connection lost|reconnect"
    r"|no longer exists?|(?:was|been) deleted)\b"
    r"(?! be (?:undone|reverted|recovered|restored|reversed))",
    re.IGNORECASE,
)
_CONFLICT = re.compile(
    r"\b(?:externally (?:modified|changed)|(?:modified|changed) (?:externally|on disk|by another)"
    r"|more recent|newer)\b",
    re.IGNORECASE,
)
"""The file and its copy in the editor went different ways."""
_ERROR_NAMES = frozenset({"error"})
"""What toolkits call a dialog that tells about an error."""


class Remedy(msgspec.Struct, frozen=True):
    """A button that helps."""

    button: str
    """As `plain_name` returns it."""
    where: re.Pattern[str] = re.compile("")
    """Only where the text says this."""


_RECONNECT = re.compile("reconnect|disconnect", re.IGNORECASE)
REMEDIES: Sequence[Remedy] = (
    Remedy("reconnect now", _RECONNECT),
    Remedy("reload window", _RECONNECT),
    Remedy("cancel"),
    Remedy("keep editing"),
    Remedy("continue editing"),
    Remedy("stay"),
    Remedy("not now"),
    Remedy("dismiss"),
    Remedy("abbrechen"),
    Remedy("annuler"),
    Remedy("cancelar"),
    Remedy("annulla"),
    Remedy("annuleren"),
)
"""The first that a dialog has is pressed; otherwise its only button if that is harmless, otherwise
Escape. All of them leave everything as it is."""


def says_error(dialog: DialogFacts) -> bool:
    """Whether a dialog tells about an error, rather than asks a question."""
    if dialog.name.casefold() in _ERROR_NAMES:
        return True
    return contains_error(" . ".join((dialog.name, *dialog.texts)))


def needs_answer(message: DialogFacts) -> bool:
    """Whether a message beside the text stops the work: an error, or a file that changed twice."""
    return says_error(message) or bool(_CONFLICT.search(" ".join(message.texts)))


def contains_error(text: str) -> bool:
    """Whether a text speaks of an error, whatever the files in it are called."""
    return bool(_ERROR.search(_NAMES.sub(" ", text)))


def close_harmlessly(dialog: DialogFacts) -> str:
    """Return the action that closes a dialog and leaves everything as it is."""
    shown = {plain_name(button): button for button in dialog.buttons}
    text = " ".join((dialog.name, *dialog.texts))
    for remedy in REMEDIES:
        if remedy.button in shown and remedy.where.search(text):
            return ClickButton(shown[remedy.button]).text
    if len(dialog.buttons) == 1:
        (only,) = dialog.buttons
        if rule_for_button(only, dialog.buttons).pressed_by is PressedBy.MODEL:
            return ClickButton(only).text
    return ESCAPE


def quote_dialog(dialog: DialogFacts, title: str) -> str:
    """Return what a dialog says, short enough for a sentence."""
    said = " ".join(" ".join(dialog.texts).split()) or dialog.name or title or "A dialog"
    return said if len(said) <= MAX_TEXT else f"{said[: MAX_TEXT - 1].rstrip()}…"


def list_buttons(dialog: DialogFacts) -> str:
    """Return the end of a sentence about a dialog: its buttons."""
    names = [name for name in dialog.buttons if name.isprintable()][:_MAX_BUTTONS]
    return f"; buttons: {', '.join(names)}" if names else ""
