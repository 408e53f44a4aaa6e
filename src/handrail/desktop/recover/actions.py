"""The vocabulary of a recovery: what an action may say, and how it is read."""

import re
from collections.abc import Callable, Sequence

import msgspec

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.keys import read_keys

MAX_ACTIONS = 20
MAX_LENGTH = 1_000
MAX_WAIT = 60.0
MAX_PIXEL = 32_767
_MAX_SHOWN = 80
_POINT = re.compile(r"(\d{1,6})\s*[,\s]\s*(\d{1,6})", re.ASCII)
_SECONDS = re.compile(r"\d{1,6}(\.\d{1,6})?", re.ASCII)


class PressKeys(msgspec.Struct, frozen=True, tag="press"):
    """Press a key or a combination."""

    keys: str
    """As `read_keys` returns them."""

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"press {self.keys}"


class TypeText(msgspec.Struct, frozen=True, tag="type"):
    """Put a text where the focus is."""

    content: str

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"type {self.content}"


class ClickPoint(msgspec.Struct, frozen=True, tag="click_point"):
    """Click at a place, in pixels of the screen."""

    x: int
    y: int

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"click {self.x} {self.y}"


class ClickButton(msgspec.Struct, frozen=True, tag="click_button"):
    """Press a button of the open dialog by its name."""

    name: str

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f'click "{self.name}"' if _needs_quotes(self.name) else f"click {self.name}"


class WaitSeconds(msgspec.Struct, frozen=True, tag="wait"):
    """Wait."""

    seconds: float

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"wait {self.seconds:g}"


class FocusWindow(msgspec.Struct, frozen=True, tag="focus"):
    """Bring a window to the front."""

    title: str = ""
    """A part of its title; empty: the editor."""

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"focus {self.title}".rstrip()


class OpenFile(msgspec.Struct, frozen=True, tag="open_file"):
    """Open a file in the editor."""

    path: str

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return f"open_file {self.path}"


class CloseDialog(msgspec.Struct, frozen=True, tag="close_dialog"):
    """Close the open dialog without an answer, which Escape does."""

    @property
    def text(self) -> str:
        """The action in the words of the vocabulary."""
        return "close_dialog"


RecoveryAction = (
    PressKeys
    | TypeText
    | ClickPoint
    | ClickButton
    | WaitSeconds
    | FocusWindow
    | OpenFile
    | CloseDialog
)


class ActionWord(msgspec.Struct, frozen=True):
    """One word of the vocabulary."""

    names: tuple[str, ...]
    """The name, and others that mean the same."""
    form: str
    """What stands behind it; empty: nothing."""
    help: str
    read: Callable[[str], RecoveryAction]
    """Makes the action of what stands behind it; raises ValueError with the problem."""


def _click(text: str) -> RecoveryAction:
    if not (point := _POINT.fullmatch(text)):
        quoted = len(text) > 2 and text[0] == text[-1] == '"'
        return ClickButton(_given(text[1:-1].strip() if quoted else text, "a button or a place"))
    x, y = (int(number) for number in point.groups())
    if max(x, y) > MAX_PIXEL:
        raise ValueError(f"no screen has a place above {MAX_PIXEL}")
    return ClickPoint(x, y)


def _wait(text: str) -> WaitSeconds:
    seconds = round(float(text), 3) if _SECONDS.fullmatch(text) else 0.0
    if not 0 < seconds <= MAX_WAIT:
        raise ValueError(f"a number of seconds has to stand there, {MAX_WAIT:g} at most")
    return WaitSeconds(seconds)


def _close_dialog(text: str) -> CloseDialog:
    if text:
        raise ValueError("nothing may stand behind it")
    return CloseDialog()


def _given(text: str, what: str) -> str:
    if not text:
        raise ValueError(f"{what} has to stand behind it")
    return text


VOCABULARY: tuple[ActionWord, ...] = (
    ActionWord(
        ("press", "key"),
        "KEYS",
        "press a key or a combination: `press Escape`, `press ctrl+shift+p`",
        lambda text: PressKeys(read_keys(text)),
    ),
    ActionWord(
        ("type",),
        "TEXT",
        "type a text into the editor; one line",
        lambda text: TypeText(_given(text, "a text")),
    ),
    ActionWord(
        ("click",),
        "NAME or X Y",
        "press the button of the open dialog with this name, or click at a place on the screen",
        _click,
    ),
    ActionWord(("wait",), "SECONDS", f"wait, {MAX_WAIT:g} seconds at most", _wait),
    ActionWord(
        ("focus", "focus_vscode"),
        "[TITLE]",
        "bring the editor to the front, or the window with this in its title",
        FocusWindow,
    ),
    ActionWord(
        ("open_file", "open file"),
        "PATH",
        "open a file in the editor",
        lambda text: OpenFile(_given(text, "a path")),
    ),
    ActionWord(
        ("close_dialog", "close dialog"),
        "",
        "close the open dialog without an answer, as Escape does",
        _close_dialog,
    ),
)
_BY_NAME = {name: word for word in VOCABULARY for name in word.names}
_LONGEST_FIRST = sorted(_BY_NAME, key=len, reverse=True)
_ALLOWED = ", ".join(f"{word.names[0]} {word.form}".rstrip() for word in VOCABULARY)


def parse_action(text: str) -> RecoveryAction:
    """Read one action; raises RecoveryError."""
    shown = repr(text[:_MAX_SHOWN])
    if len(text) > MAX_LENGTH:
        raise RecoveryError(shown, f"an action has {MAX_LENGTH} characters at most")
    if not text.isprintable():
        raise RecoveryError(shown, "an action is one line without control characters")
    words = text.strip()
    lower = words.lower()
    for name in _LONGEST_FIRST:
        if lower == name or lower.startswith(f"{name} "):
            try:
                return _BY_NAME[name].read(words[len(name) :].strip())
            except ValueError as error:
                raise RecoveryError(shown, str(error)) from None
    raise RecoveryError(shown, f"this is not in the vocabulary; allowed: {_ALLOWED}")


def parse_actions(texts: Sequence[str]) -> tuple[RecoveryAction, ...]:
    """Read the actions of a recovery; raises RecoveryError."""
    if len(texts) > MAX_ACTIONS:
        raise RecoveryError(
            f"{len(texts)} actions", f"a recovery has {MAX_ACTIONS} actions at most"
        )
    return tuple(map(parse_action, texts))


def _needs_quotes(name: str) -> bool:
    return bool(_POINT.fullmatch(name)) or name[0] == name[-1] == '"'
