"""Which window is the editor, and which keys open a file in it."""

from collections.abc import Mapping, Sequence

import msgspec

from handrail.desktop.errors import NoWindowError
from handrail.desktop.recover.actions import PressKeys, TypeText, WaitSeconds
from handrail.desktop.sense.screen_facts import WindowFacts
from handrail.desktop.sense.titles import OpenedFile, is_terminal, read_title, same_file


class AwaitDialog(msgspec.Struct, frozen=True):
    """Wait until a dialog in a window of its own has the focus.

    Before that, the path would end up in the text. A drawn input needs no such wait: its program
    takes one key after the other.
    """


OpeningStep = PressKeys | TypeText | WaitSeconds | AwaitDialog

_MOST_TITLES = 8
_LIST_TIME = 0.5
"""An editor needs it to fill a list of files, and takes some keys only afterwards."""
PATH = TypeText("PATH")
"""Stands for the path of the file."""

_CHOOSE = (PATH, WaitSeconds(_LIST_TIME), PressKeys("Return"))
_QUICK_OPEN = (PressKeys("ctrl+p"), WaitSeconds(_LIST_TIME), *_CHOOSE)
_ASK = (PressKeys("ctrl+o"), AwaitDialog(), WaitSeconds(_LIST_TIME))
_FILE_DIALOG = (*_ASK, *_CHOOSE)
_GTK_DIALOG = (*_ASK, PressKeys("ctrl+l"), *_CHOOSE)
"""GTK shows a field for the path only when asked."""
OPENING_KEYS: Mapping[str, tuple[OpeningStep, ...]] = {
    "VS Code": _QUICK_OPEN,
    "Sublime Text": _QUICK_OPEN,
    "Zed": _QUICK_OPEN,
    "Mousepad": _GTK_DIALOG,
    "Geany": _GTK_DIALOG,
    "gedit": _GTK_DIALOG,
    "L3afpad": _GTK_DIALOG,
    "Kate": _FILE_DIALOG,
    "FeatherPad": _FILE_DIALOG,
}
"""What opens a file, by the name of the editor in `sense/titles`."""


def find_window(windows: Sequence[WindowFacts], title: str) -> WindowFacts:
    """Return the uppermost window with a text in its title; raises NoWindowError.

    Any program can write any title, so an editor comes before others, and a terminal last.
    """
    fitting = [each for each in reversed(windows) if title.casefold() in each.title.casefold()]
    if not fitting:
        raise NoWindowError(title, _known(windows))
    return min(fitting, key=lambda each: (is_terminal(each), not _editor_of(each)))


def find_editor(windows: Sequence[WindowFacts], file: str = "") -> WindowFacts:
    """Return the uppermost editor, and rather one that shows the file; raises NoWindowError."""
    editors = [each for each in reversed(windows) if _editor_of(each)]
    if not editors:
        raise NoWindowError("an editor", _known(windows))
    return next((each for each in editors if _shows(each, file)), editors[0])


def keys_that_open(shown: WindowFacts) -> tuple[OpeningStep, ...]:
    """Return the steps that open a file in a window; none: nobody knows."""
    opened = _editor_of(shown)
    return OPENING_KEYS.get(opened.editor.name, ()) if opened else ()


def _editor_of(shown: WindowFacts) -> OpenedFile | None:
    if shown.dialog or shown.modal or is_terminal(shown):
        return None
    return read_title(shown)


def _shows(shown: WindowFacts, file: str) -> bool:
    opened = _editor_of(shown)
    return bool(file and opened and same_file(opened.path, file))


def _known(windows: Sequence[WindowFacts]) -> tuple[str, ...]:
    return tuple(each.title for each in windows[-_MOST_TITLES:])
