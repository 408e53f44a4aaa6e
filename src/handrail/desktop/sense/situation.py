"""What the facts about a screen mean: which window is the editor, what is in its way."""

import re
from collections.abc import Sequence

import msgspec

from handrail.desktop.sense.dialogs import contains_error, needs_answer
from handrail.desktop.sense.screen_facts import DialogFacts, ScreenFacts, WindowFacts
from handrail.desktop.sense.titles import OpenedFile, is_terminal, read_title, same_file

_MOST_OWNERS = 10
_TERMINAL = re.compile(r"Terminal(?: input| \d+\b(?!\.).*|, .*)?", re.DOTALL)
"""What a terminal in a web page, as VS Code has it, calls the field that takes its keys."""


class Expectation(msgspec.Struct, frozen=True):
    """What should be in front."""

    files: tuple[str, ...] = ()
    """Paths of the expected file that mean the same; none: any file."""
    window: str = ""
    """The id or a part of the title of the editor; empty: any editor."""

    @property
    def file(self) -> str:
        """The expected file as it was given."""
        return self.files[0] if self.files else ""

    @property
    def given(self) -> bool:
        """Whether anybody said what to expect."""
        return bool(self.files or self.window)

    def fits(self, opened: OpenedFile) -> bool:
        """Whether the file that a title names may be the expected one."""
        return any(same_file(shown, file) for shown in opened.readings for file in self.files)

    def means(self, window: WindowFacts) -> bool:
        """Whether a window is the one that is watched."""
        if not self.window:
            return False
        if self.window.casefold() in window.title.casefold():
            return True
        try:
            return int(self.window, 0) == window.window
        except ValueError:
            return False


class Situation(msgspec.Struct, frozen=True):
    """A screen as the rules see it."""

    facts: ScreenFacts
    expects: Expectation
    front: WindowFacts | None
    """The window with the focus."""
    editor: WindowFacts | None
    """The editor of the work, in front or not."""
    opened: OpenedFile | None
    """The file in the window in front, or in that of its dialog."""
    dialog: DialogFacts | None
    """What takes all keys."""
    message: DialogFacts | None
    """An error that the window in front shows, though it takes the keys."""

    @property
    def in_editor(self) -> bool:
        """Whether the editor of the work has the focus, itself or by a dialog of its own."""
        return self.editor is not None and (self.front is self.editor or self.editor in self.owners)

    @property
    def owners(self) -> list[WindowFacts]:
        """The windows that the one in front belongs to."""
        return _owners(self.facts, self.front)

    @property
    def in_terminal(self) -> bool:
        """Whether keys reach a terminal."""
        if self.dialog is not None:
            return False
        focus = self.facts.app.focus if self.facts.app else None
        if focus is not None and (focus.role == "terminal" or _TERMINAL.fullmatch(focus.name)):
            return True
        return self.front is not None and is_terminal(self.front)


def understand(facts: ScreenFacts, expects: Expectation) -> Situation:
    """Find out what the facts about a screen mean."""
    front = facts.desktop.find(facts.desktop.active)
    editor = _find_editor(facts.desktop.windows, front, _owners(facts, front), expects)
    dialog = _find_dialog(facts, front, editor)
    holder = front
    if dialog is not None:
        holder = next((one for one in _owners(facts, front) if read_title(one)), front)
    return Situation(
        facts=facts,
        expects=expects,
        front=front,
        editor=editor,
        opened=read_title(holder) if holder else None,
        dialog=dialog,
        message=_find_message(facts),
    )


def _owners(facts: ScreenFacts, window: WindowFacts | None) -> list[WindowFacts]:
    found: list[WindowFacts] = []
    while window is not None and window.transient_for and len(found) < _MOST_OWNERS:
        window = facts.desktop.find(window.transient_for)
        if window is not None:
            found.append(window)
    return found


def _find_editor(
    windows: Sequence[WindowFacts],
    front: WindowFacts | None,
    owners: Sequence[WindowFacts],
    expects: Expectation,
) -> WindowFacts | None:
    """Return the editor of the work: the window that was named, the one that shows the expected
    file, the one in front, or else the highest."""
    nearest = [*owners, *([front] if front else []), *reversed(windows)]
    whole = [window for window in nearest if not window.dialog and not window.modal]
    if expects.window:
        return next((window for window in whole if expects.means(window)), None)
    opened = [(window, file) for window in whole if (file := read_title(window))]
    showing = [window for window, file in opened if expects.fits(file)]
    proper = [window for window, _ in opened if not is_terminal(window)]
    return next(iter((*showing, *proper)), None)


def _find_dialog(
    facts: ScreenFacts, front: WindowFacts | None, editor: WindowFacts | None
) -> DialogFacts | None:
    """Return the dialog that takes the keys."""
    seen = facts.app.dialogs if facts.app else ()
    window = front if front and front.takes_keys else None
    if window is None and editor is not None:
        # It is modal for the editor, though another window has the focus.
        window = next(
            (
                one
                for one in reversed(facts.desktop.windows)
                if one.modal and one.transient_for == editor.window
            ),
            None,
        )
    if window is not None:
        own = [one for one in seen if one.toplevel and (one.modal or window is front)]
        named = [one for one in own if one.name == window.title] or own
        if named:
            return named[0]
        words = (facts.words,) if facts.words and window is front else ()
        return DialogFacts(name=window.title, texts=words, modal=window.modal, toplevel=True)
    return next((one for one in seen if one.modal or (one.toplevel and not one.alert)), None)


def _find_message(facts: ScreenFacts) -> DialogFacts | None:
    seen = facts.app.dialogs if facts.app else ()
    for one in seen:
        if one.alert and not one.modal and not one.toplevel and needs_answer(one):
            return one
    if facts.app is None and contains_error(facts.words):
        return DialogFacts(texts=(facts.words,), alert=True)
    return None
