"""Which window is the editor, and which keys open a file in it."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Protocol

import msgspec

from handrail.desktop.errors import NoWindowError
from handrail.desktop.recover.actions import PressKeys, TypeText, WaitSeconds

_MOST_TITLES = 8
_DIALOG_TIME = 0.5
PATH = TypeText("PATH")
"""Stands for the path of the file."""


class ShownWindow(Protocol):
    """A window, as sensing lists it."""

    @property
    def window(self) -> int:
        """Its X id."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def program(self) -> str:
        """The second word of WM_CLASS, in small letters."""


class EditorKeys(msgspec.Struct, frozen=True):
    """Editors that open a file by the same keys."""

    programs: frozenset[str]
    opens: tuple[PressKeys | TypeText | WaitSeconds, ...]
    title: str = ""
    """A regular expression that the title has to match too; empty: any title."""

    def fits(self, shown: ShownWindow) -> bool:
        """Return whether a window is of such an editor."""
        return shown.program in self.programs and bool(re.search(self.title, shown.title))


_QUICK_OPEN = (
    PressKeys("ctrl+p"),
    WaitSeconds(_DIALOG_TIME),
    PATH,
    WaitSeconds(_DIALOG_TIME),
    PressKeys("Return"),
)
_GTK_DIALOG = (
    PressKeys("ctrl+o"),
    WaitSeconds(_DIALOG_TIME),
    PressKeys("ctrl+l"),
    PATH,
    WaitSeconds(_DIALOG_TIME),
    PressKeys("Return"),
)
_QT_DIALOG = (
    PressKeys("ctrl+o"),
    WaitSeconds(_DIALOG_TIME),
    PATH,
    PressKeys("Return"),
)
EDITORS: tuple[EditorKeys, ...] = (
    EditorKeys(frozenset({"code", "code-oss", "vscodium", "codium", "cursor"}), _QUICK_OPEN),
    EditorKeys(
        frozenset({"chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr"}),
        _QUICK_OPEN,
        title=r"Visual Studio Code|code-server|Code - OSS|VSCodium",
    ),
    EditorKeys(
        frozenset({"mousepad", "gedit", "geany", "l3afpad", "xed", "pluma", "leafpad"}),
        _GTK_DIALOG,
    ),
    EditorKeys(frozenset({"kate", "kwrite", "featherpad"}), _QT_DIALOG),
)


def find_window(windows: Sequence[ShownWindow], title: str) -> ShownWindow:
    """Return the uppermost window with a text in its title; raises NoWindowError."""
    for shown in reversed(windows):
        if title.casefold() in shown.title.casefold():
            return shown
    raise NoWindowError(title, tuple(shown.title for shown in windows[-_MOST_TITLES:]))


def find_editor(windows: Sequence[ShownWindow], file: str = "") -> ShownWindow:
    """Return the editor's window, the one that shows a file if there are several.

    `windows` has the lowest first. Raises NoWindowError.
    """
    editors = [shown for shown in reversed(windows) if keys_of_editor(shown)]
    name = PurePosixPath(file).name
    if not editors:
        raise NoWindowError("an editor", tuple(shown.title for shown in windows[-_MOST_TITLES:]))
    return next((shown for shown in editors if name in shown.title), editors[0])


def keys_of_editor(shown: ShownWindow) -> EditorKeys | None:
    """Return how a window opens files, or None if it is no known editor."""
    return next((editor for editor in EDITORS if editor.fits(shown)), None)
