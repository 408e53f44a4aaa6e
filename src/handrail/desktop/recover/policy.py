"""What a proposed recovery may do.

The text on a screen is not trustworthy: a web page, a file or a dialog can tell a model what to
propose. So a model gets few words, and each of them only where local sensing has seen why. The
rules of local sensing are ours, but they read names off the same screen: they are limited too.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.actions import (
    MAX_ACTIONS,
    ClickButton,
    ClickPoint,
    CloseDialog,
    FocusWindow,
    OpenFile,
    PressKeys,
    RecoveryAction,
    TypeText,
    WaitSeconds,
)
from handrail.desktop.recover.buttons import PressedBy, plain_name, rule_for_button
from handrail.desktop.screen_reading import ScreenReading
from handrail.desktop.sense.classify import LOCAL
from handrail.desktop.sense.titles import same_file
from handrail.model.desktop import ScreenStatus

MAX_TOTAL_WAIT = 120.0
_MAX_NAMED = 8
_MAX_NAME = 40
MODEL_KEYS = frozenset({"Escape"})
LOCAL_KEYS: Mapping[str, str] = {
    "Escape": "closes what can be closed without an answer",
    "ctrl+1": "puts the focus into the first editor of VS Code",
    "F2": "puts the focus into the editor of Geany",
}
"""The keys that local sensing may propose, each with its effect."""


class RecoverySituation(msgspec.Struct, frozen=True):
    """What a proposal is held against."""

    sensed: ScreenReading
    """By local sensing, not by the model."""
    expected_file: str
    by_model: bool

    @property
    def seen(self) -> bool:
        """Whether local sensing really saw the screen."""
        return self.sensed.source == LOCAL


def allow_actions(
    actions: Sequence[RecoveryAction],
    sensed: ScreenReading,
    expected_file: str,
    proposer: str,
) -> tuple[RecoveryAction, ...]:
    """Return the actions to carry out; raises RecoveryError if one of them is not allowed.

    `sensed` is what local sensing says about the same screen, and `proposer` the `source` of the
    reading that proposes the actions; every other than local sensing counts as a model.
    """
    if len(actions) > MAX_ACTIONS:
        raise RecoveryError(f"{len(actions)} actions", f"{MAX_ACTIONS} are allowed")
    waits = sum(action.seconds for action in actions if isinstance(action, WaitSeconds))
    if waits > MAX_TOTAL_WAIT:
        raise RecoveryError(
            f"waits of {waits:g} seconds", f"{MAX_TOTAL_WAIT:g} are allowed in one recovery"
        )
    situation = RecoverySituation(sensed, expected_file, by_model=proposer != LOCAL)
    return tuple(_allow(action, situation) for action in _with_open_file(actions))


def _allow(action: RecoveryAction, situation: RecoverySituation) -> RecoveryAction:
    match action:
        case PressKeys():
            _check_keys(action, situation)
        case TypeText():
            _check_text(action, situation)
        case ClickButton():
            return _find_button(action, situation)
        case ClickPoint():
            _check_point(action, situation)
        case OpenFile():
            return _find_file(action, situation)
        case FocusWindow() if situation.by_model:
            # By a title, a terminal in the folder of the file would come to the front as well.
            return FocusWindow()
        case FocusWindow() | WaitSeconds() | CloseDialog():
            pass
    return action


def _check_keys(action: PressKeys, situation: RecoverySituation) -> None:
    allowed = MODEL_KEYS if situation.by_model else LOCAL_KEYS.keys()
    if action.keys not in allowed:
        who = "a model" if situation.by_model else "local sensing"
        raise RecoveryError(action.text, f"{who} may press only {', '.join(sorted(allowed))}")


def _check_text(action: TypeText, situation: RecoverySituation) -> None:
    sensed, expected = situation.sensed, situation.expected_file
    if sensed.is_terminal or sensed.status is ScreenStatus.TERMINAL:
        raise RecoveryError(action.text, "a terminal has the focus and would run what is typed")
    if action.content not in (expected, PurePosixPath(expected).name):
        raise RecoveryError(action.text, "only the name of the expected file may be typed")
    if not (situation.seen and sensed.window and _shows_editor(situation)):
        raise RecoveryError(action.text, "local sensing does not see the expected editor in front")
    if sensed.status is not ScreenStatus.DIALOG:
        raise RecoveryError(
            action.text, "no dialog is open, so the text would end up in the file; use open_file"
        )


def _find_button(action: ClickButton, situation: RecoverySituation) -> RecoveryAction:
    buttons = situation.sensed.buttons if situation.seen else ()
    if not buttons:
        raise RecoveryError(action.text, "local sensing sees no dialog with buttons")
    named = [name for name in buttons if plain_name(name) == plain_name(action.name)]
    if len(named) != 1:
        raise RecoveryError(
            action.text,
            f"the dialog has {len(named) or 'no'} buttons with this name; "
            f"there are: {', '.join(map(_shown, buttons[:_MAX_NAMED]))}",
        )
    if not named[0].isprintable():
        raise RecoveryError(action.text, "the button's name is not one line of text")
    rule = rule_for_button(named[0], buttons)
    if situation.by_model and rule.pressed_by is not PressedBy.MODEL:
        raise RecoveryError(action.text, f"a model may not press this button: {rule.why}")
    if rule.pressed_by is PressedBy.PERSON:
        raise RecoveryError(action.text, f"a person has to press this button: {rule.why}")
    return ClickButton(named[0])


def _check_point(action: ClickPoint, situation: RecoverySituation) -> None:
    if situation.by_model:
        raise RecoveryError(
            action.text, "a model may press only buttons that local sensing sees, by their names"
        )
    if situation.sensed.is_terminal:
        raise RecoveryError(action.text, "a terminal has the focus; a click there may paste")


def _find_file(action: OpenFile, situation: RecoverySituation) -> RecoveryAction:
    if not situation.expected_file:
        raise RecoveryError(action.text, "no file is expected, so none may be opened")
    if not same_file(action.path, situation.expected_file):
        raise RecoveryError(
            action.text, f"only the expected file may be opened: {situation.expected_file}"
        )
    return OpenFile(situation.expected_file)


def _with_open_file(actions: Sequence[RecoveryAction]) -> list[RecoveryAction]:
    """Replace `press ctrl+p`, `type NAME`, `press Return` by `open_file NAME`.

    Models think in these keys; `open_file` does the same, but brings the editor to the front first.
    """
    acting = [action for action in actions if not isinstance(action, WaitSeconds)]
    merged = _merged(acting)
    return list(actions) if merged == acting else merged


def _merged(actions: Sequence[RecoveryAction]) -> list[RecoveryAction]:
    match actions:
        case [PressKeys(keys="ctrl+p"), TypeText(content=name), PressKeys(keys="Return"), *rest]:
            return [OpenFile(name), *_merged(rest)]
        case [first, *rest]:
            return [first, *_merged(rest)]
        case _:
            return []


def _shows_editor(situation: RecoverySituation) -> bool:
    sensed, name = situation.sensed, PurePosixPath(situation.expected_file).name
    return bool(sensed.actual_file or (name and name in sensed.window_title))


def _shown(name: str) -> str:
    """Return a name from the screen as a message may show it."""
    return repr(name[:_MAX_NAME])
