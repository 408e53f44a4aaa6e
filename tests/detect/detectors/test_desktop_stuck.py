"""A watched graphical session that nothing brings back, and a watch that sees nothing."""

import msgspec

from handrail.detect import RunDetectors
from handrail.detect.completed_step import completed_step
from handrail.model.action import Action, Outcome
from handrail.model.desktop import (
    DESKTOP_INPUT,
    DESKTOP_LOOK,
    CheckOutcome,
    DesktopCheck,
    ScreenStatus,
)
from handrail.model.finding import Finding
from handrail.model.intent import intent_of
from handrail.model.ordinal import Severity
from handrail.review import Reviewer
from tests.detect.detected_run import USUAL, the, worst

KIND = "desktop_stuck"
SAVE = '"Save changes to cart.py?" blocks the editor'
GIVEN_UP = DesktopCheck(
    ScreenStatus.DIALOG, CheckOutcome.GIVEN_UP, 0.97, SAVE, symptom="dialog:Save", attempt=3
)
LOST = DesktopCheck(ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why="the display :7 is lost")
FINE = DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, 0.99)
RECOVERED = DesktopCheck(
    ScreenStatus.DIALOG, CheckOutcome.RECOVERED, 0.97, SAVE, symptom="dialog:Save", attempt=1
)


class WatchedScreen:
    """Looks and inputs of a desktop watch, and what is found after each."""

    def __init__(self) -> None:
        self.detectors = RunDetectors()
        self.reviewer = Reviewer(environ={"HOME": "/home/dev"}, see_disk=False)
        self.step = 0

    def looks(self, check: DesktopCheck | None = None) -> list[Finding]:
        if check is not None:
            self.detectors.checked(check)
        return self._does(DESKTOP_LOOK, {})

    def presses(self, what: str) -> list[Finding]:
        return self._does(DESKTOP_INPUT, {"do": f"press {what}", "window": "cart.py - Editor"})

    def _does(self, tool: str, given: dict[str, object]) -> list[Finding]:
        self.step += 1
        action = Action(tool, given, "/home/dev/shop", {"HOME": "/home/dev"})
        intent = intent_of(action, self.reviewer.review(action))
        at = 600.0 * self.step
        self.detectors.see(completed_step(self.step, at, intent, Outcome(ok=True), ()))
        return self.detectors.findings(USUAL)


def test_a_session_that_was_given_up_is_critical() -> None:
    screen = WatchedScreen()
    screen.looks(FINE)
    found = the(KIND, screen.looks(GIVEN_UP))
    assert (found.severity, found.evidence, found.symptom) == (
        Severity.CRITICAL,
        (2,),
        "dialog:Save",
    )
    assert found.says == (
        f"The session is stuck after 3 attempts to free it: {SAVE}. A person has to look."
    )


def test_the_finding_belongs_to_the_look_and_not_to_the_keys_before_it() -> None:
    screen = WatchedScreen()
    screen.detectors.checked(GIVEN_UP)
    assert screen.presses("Escape") == []
    assert worst(KIND, screen.looks()) is Severity.CRITICAL


def test_three_failed_looks_in_a_row_are_a_finding() -> None:
    screen = WatchedScreen()
    seen = [worst(KIND, screen.looks(LOST)) for _ in range(4)]
    assert seen == [Severity.NONE, Severity.NONE, Severity.MEDIUM, Severity.MEDIUM]


def test_a_look_that_sees_something_begins_the_count_anew() -> None:
    screen = WatchedScreen()
    for check in (LOST, LOST, RECOVERED, LOST, LOST):
        assert worst(KIND, screen.looks(check)) is Severity.NONE
    found = the(KIND, screen.looks(LOST))
    assert (found.severity, found.evidence) == (Severity.MEDIUM, (4, 5, 6))
    assert found.says == "3 looks at the screen in a row failed: the display :7 is lost."


def test_a_finding_is_over_with_the_next_look() -> None:
    screen = WatchedScreen()
    screen.looks(GIVEN_UP)
    assert screen.looks(RECOVERED) == []


def test_days_of_looks_and_healed_dialogs_are_no_trouble() -> None:
    screen = WatchedScreen()
    for number in range(500):
        if number % 5 == 0:
            assert screen.presses("Escape") == []
        assert screen.looks(RECOVERED if number % 5 == 0 else FINE) == []


def test_a_check_survives_a_snapshot() -> None:
    screen = WatchedScreen()
    screen.looks(LOST)
    screen.looks(LOST)
    saved = msgspec.json.encode(screen.detectors)
    screen.detectors = msgspec.json.decode(saved, type=RunDetectors)
    assert worst(KIND, screen.looks(LOST)) is Severity.MEDIUM
