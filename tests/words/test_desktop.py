"""What a desktop watch saw and did, in one line."""

import pytest

from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus
from handrail.model.event import DesktopChecked
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts
from handrail.words.sentence import Sentence

SAVE = '"Save changes to cart.py?" blocks the editor'


def said(check: DesktopCheck) -> Sentence:
    return event_sentence(DesktopChecked(1.0, 4, check), RunFacts())


@pytest.mark.parametrize(
    ("check", "text", "mark", "style"),
    [
        (
            DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, 0.99),
            "sees nothing in the way 0.99",
            "·",
            "dim",
        ),
        (
            DesktopCheck(
                ScreenStatus.DIALOG,
                CheckOutcome.RECOVERED,
                0.97,
                SAVE,
                steps=(RecoveryStep("press Escape"),),
            ),
            f"sees a dialog 0.97: {SAVE} · pressed Escape · gone at the next look",
            "✓",
            "green",
        ),
        (
            DesktopCheck(
                ScreenStatus.DIALOG,
                CheckOutcome.NOT_RECOVERED,
                0.9,
                SAVE,
                steps=(
                    RecoveryStep("close_dialog"),
                    RecoveryStep("open_file cart.py", ok=False, error="no window took it"),
                ),
            ),
            (
                f"sees a dialog 0.90: {SAVE} · closed dialog · "
                "could not open_file cart.py (no window took it) · did not help"
            ),
            "!",
            "yellow",
        ),
        (
            DesktopCheck(
                ScreenStatus.DIALOG,
                CheckOutcome.RECOVERED,
                0.9,
                steps=(RecoveryStep("focus cart.py"),),
                why="now: a terminal",
            ),
            "sees a dialog 0.90 · focused cart.py · gone at the next look; now: a terminal",
            "✓",
            "green",
        ),
        (
            DesktopCheck(ScreenStatus.DIALOG, CheckOutcome.GIVEN_UP, why="nobody knows a way"),
            "sees a dialog · GIVEN UP: nobody knows a way",
            "✗",
            "red",
        ),
        (
            DesktopCheck(
                ScreenStatus.ERROR, CheckOutcome.WAITING, 0.9, "a crash", why="tried 12 s ago"
            ),
            "sees an error 0.90: a crash · waits before it tries again: tried 12 s ago",
            "–",
            "yellow",
        ),
        (
            DesktopCheck(
                ScreenStatus.UNKNOWN,
                CheckOutcome.UNSURE,
                0.4,
                source="vision",
                description="a black screen",
                why="0.40 is below 0.85",
            ),
            (
                "cannot tell what it sees 0.40: a black screen (says the model) · "
                "nothing done: 0.40 is below 0.85"
            ),
            "?",
            "yellow",
        ),
        (
            DesktopCheck(ScreenStatus.DIALOG, CheckOutcome.GIVEN_UP, 0.97, SAVE, attempt=3),
            f"sees a dialog 0.97: {SAVE} · GIVEN UP after 3 attempts",
            "✗",
            "red",
        ),
        (
            DesktopCheck(
                ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why="the display :7 cannot be opened"
            ),
            "could not look: the display :7 cannot be opened",
            "✗",
            "red",
        ),
        (
            DesktopCheck(
                ScreenStatus.WRONG_FILE,
                CheckOutcome.UNSURE,
                0.8,
                expected_file="cart.py",
                actual_file="tax.py",
            ),
            "sees the wrong file 0.80: tax.py, expected cart.py · nothing done",
            "?",
            "yellow",
        ),
    ],
)
def test_a_check_is_told_in_one_line(check: DesktopCheck, text: str, mark: str, style: str) -> None:
    assert said(check) == Sentence(text, mark, style)


@pytest.mark.parametrize("outcome", CheckOutcome)
@pytest.mark.parametrize("status", ScreenStatus)
def test_every_status_and_outcome_has_words(status: ScreenStatus, outcome: CheckOutcome) -> None:
    told = said(DesktopCheck(status, outcome))
    assert told.text
    assert told.style in {"dim", "green", "yellow", "red"}
