"""Turns facts about a screen into a reading of its state, by a table of rules."""

from collections.abc import Callable, Sequence

from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.sense import dialogs
from handrail.desktop.sense.screen_facts import DialogFacts, ScreenFacts, WindowFacts
from handrail.desktop.sense.situation import Expectation, Situation, understand
from handrail.desktop.sense.titles import is_terminal
from handrail.model.desktop import ScreenStatus

LOCAL = "local"
CERTAIN, SURE, LIKELY, MAYBE, GUESS = 0.97, 0.92, 0.75, 0.6, 0.3
"""Confidences. From SURE on, nobody else is asked: the default threshold of a watch lies below."""
WAIT = "wait 5"
_MAX_SYMPTOM = 120
_MARKS = "*●•○ "

Rule = Callable[[Situation], ScreenReading | None]


def classify(facts: ScreenFacts, expects: Expectation) -> ScreenReading:
    """Return the state of a screen: what the first rule says that fits."""
    situation = understand(facts, expects)
    return next(reading for rule in RULES if (reading := rule(situation)) is not None)


def _nothing_open(seen: Situation) -> ScreenReading | None:
    if seen.facts.desktop.windows:
        return None
    return _read(seen, ScreenStatus.ERROR, SURE, "No window is open on this display.", "no window")


def _hangs(seen: Situation) -> ScreenReading | None:
    if seen.facts.app is None or seen.facts.app.answers:
        return None
    says = f"{_name(seen.front)} does not answer: it hangs, or is very busy."
    return _read(seen, ScreenStatus.ERROR, SURE, says, "hangs", (WAIT,))


def _menu_open(seen: Situation) -> ScreenReading | None:
    if not seen.facts.desktop.open_menu:
        return None
    says = f"A menu hangs open over {_name(seen.front)} and takes all keys."
    return _read(seen, ScreenStatus.DIALOG, SURE, says, "menu", (dialogs.ESCAPE,))


def _dialog_open(seen: Situation) -> ScreenReading | None:
    if seen.dialog is None:
        return None
    said = dialogs.quote_dialog(seen.dialog, seen.front.title if seen.front else "")
    what = "the editor" if seen.in_editor else "the keyboard"
    error = dialogs.says_error(seen.dialog)
    return _read(
        seen,
        ScreenStatus.ERROR if error else ScreenStatus.DIALOG,
        CERTAIN if seen.facts.app else SURE,
        f'"{said}" blocks {what}{dialogs.list_buttons(seen.dialog)}.',
        said,
        (dialogs.close_harmlessly(seen.dialog),),
        seen.dialog,
    )


def _error_shown(seen: Situation) -> ScreenReading | None:
    if seen.message is None or not (seen.in_editor or seen.editor is None):
        return None
    said = dialogs.quote_dialog(seen.message, "")
    says = f'{_name(seen.front)} shows a message: "{said}"{dialogs.list_buttons(seen.message)}.'
    closing = dialogs.close_harmlessly(seen.message)
    sure = SURE if seen.facts.app else MAYBE
    return _read(seen, ScreenStatus.ERROR, sure, says, said, (closing,), seen.message)


def _editor_in_terminal(seen: Situation) -> ScreenReading | None:
    """What runs in a terminal writes its title: believe it only where it says what is expected."""
    if seen.front is None or seen.opened is None or not is_terminal(seen.front):
        return None
    if not (seen.expects.fits(seen.opened) and seen.in_editor):
        return None
    says = f"{seen.opened.editor.name} in {_name(seen.front)} shows {seen.opened.name}."
    return _read(seen, ScreenStatus.NORMAL, SURE, says)


def _terminal_focused(seen: Situation) -> ScreenReading | None:
    if not seen.in_terminal or seen.front is None:
        return None
    if seen.expects.means(seen.front) and is_terminal(seen.front):
        return None
    if not is_terminal(seen.front):
        says = f"The terminal inside {_name(seen.front)} has the focus in place of the text."
        return _read(seen, ScreenStatus.TERMINAL, SURE, says, "inside", _back_to_text(seen))
    says = f"The terminal {_name(seen.front)} has the focus{_instead(seen)}."
    sure = CERTAIN if seen.editor or seen.expects.given else MAYBE
    return _read(seen, ScreenStatus.TERMINAL, sure, says, seen.front.program, _focus(seen.editor))


def _focus_lost(seen: Situation) -> ScreenReading | None:
    if seen.front is not None:
        return None
    says = "No window has the focus, so that keys reach nothing."
    sure = SURE if seen.editor and not seen.facts.desktop.active else MAYBE
    return _read(seen, ScreenStatus.ERROR, sure, says, "no focus", _focus(seen.editor))


def _other_window(seen: Situation) -> ScreenReading | None:
    if seen.in_editor or seen.front is None:
        return None
    if seen.editor is None and not seen.expects.given:
        return None
    says = f"{_name(seen.front)} has the focus{_instead(seen)}."
    sure = SURE if seen.editor else LIKELY
    return _read(seen, ScreenStatus.WRONG_FILE, sure, says, seen.front.program, _focus(seen.editor))


def _wrong_file(seen: Situation) -> ScreenReading | None:
    if seen.opened is None or not seen.expects.files or seen.expects.fits(seen.opened):
        return None
    shown = seen.opened.path or "no file"
    says = f"{seen.opened.editor.name} shows {shown}; {seen.expects.file} is expected."
    opening = (f"open_file {seen.expects.file}",)
    return _read(seen, ScreenStatus.WRONG_FILE, SURE, says, shown, opening)


def _editor_in_front(seen: Situation) -> ScreenReading | None:
    if not seen.in_editor:
        return None
    shows = f" shows {seen.opened.name}" if seen.opened and seen.opened.path else ""
    says = f"{_name(seen.front)} has the focus{shows and ' and'}{shows}; nothing blocks it."
    # A program that draws its own dialogs hides them from the window manager.
    blind = seen.facts.app is None and (seen.opened is None or seen.opened.editor.drawn)
    unknown_file = bool(seen.expects.files) and seen.opened is None
    return _read(seen, ScreenStatus.NORMAL, LIKELY if blind or unknown_file else CERTAIN, says)


def _unknown(seen: Situation) -> ScreenReading | None:
    says = f"{_name(seen.front)} has the focus; it is no editor that is known here."
    return _read(seen, ScreenStatus.UNKNOWN, GUESS, says, seen.front.program if seen.front else "")


RULES: Sequence[Rule] = (
    _nothing_open,
    _hangs,
    _menu_open,
    _dialog_open,
    _error_shown,
    _editor_in_terminal,
    _terminal_focused,
    _focus_lost,
    _other_window,
    _wrong_file,
    _editor_in_front,
    _unknown,
)
"""The first that fits decides; the last always does."""


def _read(
    seen: Situation,
    status: ScreenStatus,
    confidence: float,
    description: str,
    trouble: str = "",
    actions: tuple[str, ...] = (),
    dialog: DialogFacts | None = None,
) -> ScreenReading:
    return ScreenReading(
        status=status,
        confidence=confidence,
        description=description,
        recovery_actions=actions,
        expected_file=seen.expects.file,
        actual_file=seen.opened.path if seen.opened else "",
        source=LOCAL,
        symptom=_symptom(status, trouble),
        buttons=dialog.buttons if dialog else (),
        window=seen.facts.desktop.active,
        window_title=seen.front.title if seen.front else "",
        is_terminal=seen.in_terminal,
    )


def _symptom(status: ScreenStatus, trouble: str) -> str:
    """Return the same text for the same trouble: a number in it may count down."""
    if status is ScreenStatus.NORMAL:
        return ""
    plain = "".join("#" if letter.isdigit() else letter for letter in trouble.casefold())
    while "##" in plain:
        plain = plain.replace("##", "#")
    return f"{status}: {plain[:_MAX_SYMPTOM]}".rstrip(": ")


def _focus(window: WindowFacts | None) -> tuple[str, ...]:
    if window is None:
        return ()
    # The mark of unsaved work comes and goes.
    title = window.title.lstrip(_MARKS)
    return (f"focus {title}".rstrip(),) if title.isprintable() else ("focus",)


def _back_to_text(seen: Situation) -> tuple[str, ...]:
    if seen.opened is not None and seen.opened.editor.focus_key:
        return (f"press {seen.opened.editor.focus_key}",)
    return _focus(seen.editor)


def _instead(seen: Situation) -> str:
    if seen.editor is not None:
        return f" in place of {_name(seen.editor)}"
    wanted = seen.expects.window or seen.expects.file
    return f"; no window shows {wanted}" if wanted else ""


def _name(window: WindowFacts | None) -> str:
    return (window.title or window.program or "a window") if window else "the screen"
