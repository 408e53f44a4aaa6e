"""The vocabulary of a recovery."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.actions import (
    MAX_ACTIONS,
    MAX_LENGTH,
    MAX_PIXEL,
    VOCABULARY,
    ClickButton,
    ClickPoint,
    CloseDialog,
    FocusWindow,
    OpenFile,
    PressKeys,
    RecoveryAction,
    TypeText,
    WaitSeconds,
    parse_action,
    parse_actions,
)
from handrail.desktop.recover.keys import KEYS, MODIFIERS, read_keys

LINES = (
    st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=60)
    .map(str.strip)
    .filter(bool)
)
COMBINATIONS = st.builds(
    lambda modifiers, key: "+".join((*modifiers, key)),
    st.lists(st.sampled_from(sorted(set(MODIFIERS.values()))), unique=True, max_size=4),
    st.sampled_from(sorted(set(KEYS.values()))),
)
PIXELS = st.integers(0, MAX_PIXEL)
ACTIONS: st.SearchStrategy[RecoveryAction] = st.one_of(
    COMBINATIONS.map(PressKeys),
    LINES.map(TypeText),
    st.builds(ClickPoint, PIXELS, PIXELS),
    LINES.map(ClickButton),
    st.integers(1, 60_000).map(lambda ms: WaitSeconds(ms / 1_000)),
    st.one_of(st.just(""), LINES).map(FocusWindow),
    LINES.map(OpenFile),
    st.just(CloseDialog()),
)


@given(ACTIONS)
@example(ClickButton("10 20"))
@example(ClickButton('"'))
@example(ClickButton('""'))
@example(ClickButton('"Save"'))
def test_an_action_reads_back_from_its_own_words(action: RecoveryAction) -> None:
    assert parse_action(action.text) == action


@given(st.text(max_size=120))
@example("type a\nrm -rf ~\n")
@example("press \u202eepacse")
def test_any_text_is_an_action_of_the_vocabulary_or_refused(text: str) -> None:
    read = _read(text)
    assert str(read).isprintable()
    if not isinstance(read, RecoveryError):
        assert parse_action(read.text) == read


@given(st.sampled_from([name for word in VOCABULARY for name in word.names]), st.text(max_size=40))
def test_hostile_text_behind_a_word_stays_one_line(name: str, text: str) -> None:
    read = _read(f"{name} {text}")
    assert isinstance(read, RecoveryError) or read.text.isprintable()


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("press Escape", PressKeys("Escape")),
        ("key ctrl+shift+P", PressKeys("ctrl+shift+p")),
        ("key ctrl p", PressKeys("ctrl+p")),
        ("press control+enter", PressKeys("ctrl+Return")),
        ("Press esc", PressKeys("Escape")),
        ("type main.py", TypeText("main.py")),
        ("click 10 20", ClickPoint(10, 20)),
        ("click 10,20", ClickPoint(10, 20)),
        ("click Don't Save", ClickButton("Don't Save")),
        ('click "Cancel"', ClickButton("Cancel")),
        ("wait 2.5", WaitSeconds(2.5)),
        ("focus", FocusWindow()),
        ("focus_vscode", FocusWindow()),
        ("focus main.py - Mousepad", FocusWindow("main.py - Mousepad")),
        ("open_file src/main.py", OpenFile("src/main.py")),
        ("open file src/main.py", OpenFile("src/main.py")),
        ("close dialog", CloseDialog()),
        ("close_dialog", CloseDialog()),
    ],
)
def test_the_words_of_the_vocabulary_are_understood(text: str, action: RecoveryAction) -> None:
    assert parse_action(text) == action


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not in the vocabulary; allowed: press KEYS, type TEXT"),
        ("run rm -rf ~", "not in the vocabulary"),
        ("typewriter", "not in the vocabulary"),
        ("pressEscape", "not in the vocabulary"),
        ("press", "no key is called ''"),
        ("press Escap", "no key is called 'escap'"),
        ("press hyper+a", "'hyper' is no modifier"),
        ("press ctrl+ctrl+a", "twice"),
        ("type", "a text has to stand behind it"),
        ("type ls\n", "one line without control characters"),
        ("type ls\x1b[0m", "one line"),
        ("click", "a button or a place"),
        ("click 99999 1", "no screen has a place above"),
        ("wait", "a number of seconds"),
        ("wait 0", "a number of seconds"),
        ("wait 61", "60 at most"),
        ("wait nan", "a number of seconds"),
        ("wait 1e9", "a number of seconds"),
        ("wait -1", "a number of seconds"),
        ("open_file", "a path has to stand behind it"),
        ("close_dialog now", "nothing may stand behind it"),
        ("type " + "x" * MAX_LENGTH, f"{MAX_LENGTH} characters at most"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str, says: str) -> None:
    with pytest.raises(RecoveryError, match=says):
        parse_action(text)


def test_a_recovery_has_a_bounded_number_of_actions() -> None:
    assert len(parse_actions(["wait 1"] * MAX_ACTIONS)) == MAX_ACTIONS
    with pytest.raises(RecoveryError, match="20 actions at most"):
        parse_actions(["wait 1"] * (MAX_ACTIONS + 1))


def test_one_wrong_action_refuses_the_whole_recovery() -> None:
    with pytest.raises(RecoveryError, match="'run it'"):
        parse_actions(["press Escape", "run it"])


@given(COMBINATIONS)
def test_the_canonical_form_of_a_combination_is_stable(keys: str) -> None:
    assert read_keys(keys) == keys


def _read(text: str) -> RecoveryAction | RecoveryError:
    try:
        return parse_action(text)
    except RecoveryError as error:
        return error
