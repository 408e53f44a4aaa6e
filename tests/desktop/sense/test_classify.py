"""What the rules make of facts about a screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from handrail.desktop.recover.actions import parse_actions
from handrail.desktop.recover.policy import allow_actions
from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.sense.classify import SURE, classify
from handrail.desktop.sense.dialogs import close_harmlessly, contains_error
from handrail.desktop.sense.screen_facts import (
    AppFacts,
    DesktopFacts,
    DialogFacts,
    FocusFacts,
    ScreenFacts,
    WindowFacts,
)
from handrail.desktop.sense.situation import Expectation
from handrail.model.desktop import ScreenStatus

EDITOR = WindowFacts(10, title="/shop/cart.py - Mousepad", program="mousepad", pid=5)
CODE = WindowFacts(11, title="cart.py - shop - Visual Studio Code", program="code", pid=6)
SHELL = WindowFacts(12, title="cart.py - Mousepad", program="xterm", pid=7)
OTHER = WindowFacts(13, title="Calculator", program="gnome-calculator", pid=8)
TWIN = WindowFacts(14, title="/attic/cart.py - Mousepad", program="mousepad", pid=5)
VIM = WindowFacts(15, title="cart.py (/shop) - VIM", program="xterm", pid=9)
ASKS = WindowFacts(16, title="", program="mousepad", pid=5, modal=True, dialog=True,
                   transient_for=10)  # fmt: skip
TEXT = FocusFacts(role="text", lines=True)
SAVE = DialogFacts(
    name="Question",
    texts=("Save changes to cart.py?",),
    buttons=("Don't Save", "Cancel", "Save"),
    modal=True,
    toplevel=True,
    alert=True,
)
FIND = DialogFacts(name="Find", buttons=("Close",), fields=1)
TOAST = DialogFacts(
    name="Your application running on port 80 is available.", buttons=("Open",), alert=True
)
EXPECTED = "/shop/cart.py"
NORMAL, DIALOG, WRONG, ERROR, TERMINAL, UNKNOWN = (
    ScreenStatus.NORMAL,
    ScreenStatus.DIALOG,
    ScreenStatus.WRONG_FILE,
    ScreenStatus.ERROR,
    ScreenStatus.TERMINAL,
    ScreenStatus.UNKNOWN,
)


def screen(
    *windows: WindowFacts, app: AppFacts | None = None, active: int = -1, words: str = ""
) -> ScreenFacts:
    """A screen with these windows; the last one has the focus."""
    front = windows[-1].window if windows and active < 0 else max(active, 0)
    return ScreenFacts(DesktopFacts(front, windows), app, words)


def tree(*dialogs: DialogFacts, focus: FocusFacts | None = TEXT) -> AppFacts:
    return AppFacts(dialogs=dialogs, focus=focus)


def read(facts: ScreenFacts, expected: str = EXPECTED, window: str = "") -> ScreenReading:
    return classify(facts, Expectation((expected,) if expected else (), window))


SCREENS = [
    ("the editor", screen(EDITOR, app=tree()), NORMAL, ()),
    ("the editor before a terminal", screen(SHELL, EDITOR, app=tree()), NORMAL, ()),
    ("a find bar", screen(CODE, app=tree(FIND)), NORMAL, ()),
    ("a harmless toast", screen(CODE, app=tree(TOAST)), NORMAL, ()),
    ("the expected file in vim", screen(VIM), NORMAL, ()),
    ("a dialog", screen(EDITOR, ASKS, app=tree(SAVE)), DIALOG, ("click Cancel",)),
    ("a dialog without a tree", screen(EDITOR, ASKS), DIALOG, ("press Escape",)),
    ("a modal dialog behind", screen(ASKS, EDITOR, app=tree()), DIALOG, ("press Escape",)),
    ("a dialog drawn in the window", screen(CODE, app=tree(replace(SAVE, toplevel=False))), DIALOG,
     ("click Cancel",)),
    ("an open menu", ScreenFacts(DesktopFacts(10, (EDITOR,), open_menu=True), tree()), DIALOG,
     ("press Escape",)),
    ("another file", screen(TWIN, app=tree()), WRONG, ("open_file /shop/cart.py",)),
    ("another window of the editor", screen(EDITOR, TWIN, app=tree()), WRONG,
     ("focus /shop/cart.py - Mousepad",)),
    ("another program", screen(EDITOR, OTHER), WRONG, ("focus /shop/cart.py - Mousepad",)),
    ("an error", screen(EDITOR, ASKS, app=tree(DialogFacts(
        name="Error", texts=("The disk is full.",), buttons=("Close",), modal=True, toplevel=True,
        alert=True))), ERROR, ("click Close",)),
    ("an error toast", screen(CODE, app=tree(DialogFacts(
        name="Failed to save 'cart.py'", buttons=("Retry", "Overwrite"), alert=True))), ERROR,
     ("press Escape",)),
    ("a lost server", screen(CODE, app=tree(DialogFacts(
        name="Cannot reconnect. Please reload the window.", buttons=("Cancel", "Reload Window"),
        modal=True))), ERROR, ("click Reload Window",)),
    ("a hanging editor", screen(EDITOR, app=AppFacts(answers=False)), ERROR, ("wait 5",)),
    ("no window", screen(), ERROR, ()),
    ("no focus", screen(EDITOR, active=0), ERROR, ("focus /shop/cart.py - Mousepad",)),
    ("a terminal", screen(EDITOR, SHELL), TERMINAL, ("focus /shop/cart.py - Mousepad",)),
    ("the terminal in the editor", screen(CODE, app=tree(focus=FocusFacts("terminal"))), TERMINAL,
     ("press ctrl+1",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "status", "actions"),
    [one[1:] for one in SCREENS],
    ids=[one[0] for one in SCREENS],
)
def test_a_screen_is_recognised_and_surely(
    facts: ScreenFacts, status: ScreenStatus, actions: tuple[str, ...]
) -> None:
    reading = read(facts)
    assert (reading.status, reading.recovery_actions) == (status, actions)
    assert reading.confidence >= SURE
    assert reading.description
    assert reading.source == "local"


@pytest.mark.parametrize("facts", [one[1] for one in SCREENS], ids=[one[0] for one in SCREENS])
def test_every_recovery_is_allowed(facts: ScreenFacts) -> None:
    reading = read(facts)
    actions = parse_actions(reading.recovery_actions)
    allowed = allow_actions(actions, reading, reading.expected_file, reading.source)
    assert tuple(action.text for action in allowed) == reading.recovery_actions


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(screen(CODE), id="an editor that draws its dialogs, without a tree"),
        pytest.param(screen(OTHER), id="an unknown program"),
        pytest.param(screen(EDITOR, active=99), id="a window that nobody lists"),
    ],
)
def test_where_facts_are_missing_nobody_is_sure(facts: ScreenFacts) -> None:
    assert read(facts, expected="").confidence < SURE


def test_a_dialog_is_described_by_text_and_buttons() -> None:
    reading = read(screen(EDITOR, ASKS, app=tree(SAVE)))
    assert reading.description == (
        '"Save changes to cart.py?" blocks the editor; buttons: Don\'t Save, Cancel, Save.'
    )
    assert reading.buttons == ("Don't Save", "Cancel", "Save")
    assert reading.actual_file == "/shop/cart.py"


def test_a_file_called_error_makes_no_error() -> None:
    asks = replace(SAVE, texts=("Save changes to “error.log”?", "/tmp/failed/crash is modified."))
    assert read(screen(EDITOR, ASKS, app=tree(asks))).status is DIALOG


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Failed to save the document.", True),
        ("Can't open file: permission denied", True),
        ("Das ging schief", False),
        ("This action cannot be undone.", False),
        ('Save changes to "error"?', False),
        ("Save changes to can't.py before closing?", False),
        ("The document is not UTF-8 valid", False),
        ("No such file or directory", True),
    ],
)
def test_errors_are_told_from_questions(text: str, error: bool) -> None:
    assert contains_error(text) is error


@pytest.mark.parametrize(
    ("buttons", "action"),
    [
        (("Save", "Don't Save", "Cancel"), "click Cancel"),
        (("&Save", "&Cancel"), "click &Cancel"),
        (("No", "Yes"), "press Escape"),
        (("Don't Save", "Save"), "press Escape"),
        (("OK",), "click OK"),
        (("Delete",), "press Escape"),
        (("Restart now",), "press Escape"),
        ((), "press Escape"),
    ],
)
def test_only_a_harmless_button_is_pressed(buttons: tuple[str, ...], action: str) -> None:
    assert close_harmlessly(DialogFacts(buttons=buttons)) == action


def test_the_named_window_is_the_editor_whatever_it_shows() -> None:
    assert read(screen(EDITOR, OTHER, app=tree()), expected="", window="Calc").status is NORMAL
    assert read(screen(OTHER, EDITOR, app=tree()), expected="", window="13").status is WRONG
    assert read(screen(EDITOR, SHELL), expected="", window="0xc").status is NORMAL


def test_the_same_trouble_has_the_same_symptom() -> None:
    counts = [
        DialogFacts(name=f"Reconnecting in {left} seconds", modal=True) for left in (9, 10, 30)
    ]
    symptoms = {read(screen(CODE, app=tree(one))).symptom for one in counts}
    assert len(symptoms) == 1
    assert read(screen(EDITOR, SHELL)).symptom not in symptoms


@pytest.mark.parametrize(
    ("name", "terminal"),
    [
        ("Terminal 1, bash Use Alt+F1 for help", True),
        ("Terminal input", True),
        ("Terminal.py", False),
        ("Terminal 1.py, Editor Group 1", False),
        ("cart.py", False),
    ],
)
def test_a_terminal_in_a_web_page_is_known_by_its_name(name: str, terminal: bool) -> None:
    reading = read(screen(CODE, app=tree(focus=FocusFacts("entry", name))))
    assert reading.is_terminal is terminal
    assert (reading.status is TERMINAL) is terminal


def test_ocr_gives_a_mute_dialog_its_text() -> None:
    mute = read(screen(EDITOR, ASKS))
    told = read(screen(EDITOR, ASKS, words="Failed to save: the disk is full"))
    assert (mute.status, told.status) == (DIALOG, ERROR)
    assert "the disk is full" in told.description


def test_errors_that_only_ocr_saw_are_not_sure() -> None:
    reading = read(screen(CODE, words="Could not write the file"))
    assert reading.status is ERROR
    assert reading.confidence < SURE


_WORDS = st.sampled_from(
    ["cart.py - Mousepad", "Error", "", "x - Code - OSS", "Save", "Cancel", "\x00", "*", "é"]
)
_NUMBERS = st.integers(0, 4)
_WINDOWS = st.builds(
    WindowFacts,
    window=_NUMBERS,
    title=_WORDS,
    program=st.sampled_from(["mousepad", "xterm", "code", "zenity", ""]),
    pid=_NUMBERS,
    modal=st.booleans(),
    dialog=st.booleans(),
    transient_for=_NUMBERS,
)
_DIALOGS = st.builds(
    DialogFacts,
    name=_WORDS,
    texts=st.lists(_WORDS, max_size=3).map(tuple),
    buttons=st.lists(_WORDS, max_size=3).map(tuple),
    modal=st.booleans(),
    toplevel=st.booleans(),
    alert=st.booleans(),
)
_FOCUS = st.builds(FocusFacts, role=st.sampled_from(["text", "terminal", "button"]), name=_WORDS)
_APPS = st.builds(
    AppFacts,
    answers=st.booleans(),
    dialogs=st.lists(_DIALOGS, max_size=3).map(tuple),
    focus=st.none() | _FOCUS,
)
_SCREENS = st.builds(
    ScreenFacts,
    desktop=st.builds(
        DesktopFacts,
        active=_NUMBERS,
        windows=st.lists(_WINDOWS, max_size=4).map(tuple),
        open_menu=st.booleans(),
    ),
    app=st.none() | _APPS,
    words=_WORDS,
)
_EXPECTED = st.builds(
    Expectation,
    files=st.sampled_from([(), ("cart.py",), ("/a/b.py",)]),
    window=st.sampled_from(["", "Mousepad", "2"]),
)


@given(_SCREENS, _EXPECTED)
def test_every_screen_has_a_reading_whose_actions_can_be_read(
    facts: ScreenFacts, expects: Expectation
) -> None:
    reading = classify(facts, expects)
    assert 0 < reading.confidence <= 1
    assert reading == classify(facts, expects)
    assert (reading.status is NORMAL) == (reading.symptom == "")
    if reading.status is NORMAL:
        assert not reading.recovery_actions
    parse_actions(reading.recovery_actions)


@given(_SCREENS, _EXPECTED)
def test_what_takes_all_keys_is_never_normal(facts: ScreenFacts, expects: Expectation) -> None:
    modal = DialogFacts(name="Sure?", modal=True)
    app = AppFacts(dialogs=(modal,))
    assert classify(replace(facts, app=app), expects).status in {DIALOG, ERROR}
