"""A person decides on the screen about a run that needs one."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handrail.intervene.incidents.recovery import RecoveryOption
from handrail.model.action import Action
from handrail.model.event import ApprovalAsked
from handrail.model.fingerprint import fingerprint
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.store.opening import open_log
from handrail.tui.sending.daemon_decisions import DaemonDecisions
from handrail.views.log_feed import LogFeed
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import NEEDS_YOU
from tests.server.daemon_sandbox import DaemonSandbox
from tests.tui.sample_log import DOCS, NOON, SHOP, SampleLog, review_of, sample_log
from tests.tui.screen_user import ScreenUser, at_screen

pytestmark = pytest.mark.slow


def test_an_emergency_stop_is_decided_with_a_note(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("docs")
        await stand.press("a")
        await stand.until_shows("It is abort.")
        await stand.press("down", "enter")
        await stand.until_shows("⏎ abort   Esc decide nothing")
        await stand.type("wrong branch")
        await stand.until(lambda: "abort requested → confirmed (abort it is)" in stand.last)
        assert stand.decisions.decided == [(DOCS, "abort", "wrong branch")]

    at_screen(book, work)


def test_esc_decides_nothing(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("docs")
        await stand.press("a")
        await stand.until_shows("It is abort.")
        await stand.press("x", "q", "escape")
        await stand.until(lambda: "nothing was decided" in stand.last)
        assert stand.decisions.decided == []
        assert stand.controls.sent == []

    at_screen(book, work)


def test_only_a_run_that_needs_somebody_can_be_decided_about(book: SampleLog) -> None:
    async def work(stand: ScreenUser) -> None:
        await stand.choose("shop")
        await stand.press("a")
        assert len(stand.app.screen_stack) == 1

    at_screen(book, work)


def test_an_approval_is_asked_for_in_full(book: SampleLog) -> None:
    command = "npm publish " + " ".join(f"--flag-{number}" for number in range(30))
    action = Action("Bash", {"command": command}, "/home/ada/shop")
    review = review_of(action, Verdict(Decision.WARN, "It cannot be undone."))
    asked = ApprovalAsked(NOON, "7f3a", "f00d", "npm publish", action, review, until=NOON + 60)

    async def work(stand: ScreenUser) -> None:
        book.write(SHOP, asked)
        await stand.until_shows("asks you: npm publish")
        await stand.choose("shop")
        await stand.until(lambda: "--flag-29" in stand.shown_in("needs"))
        assert "It cannot be undone." in stand.shown_in("needs")
        assert "a approve or deny · handrail approve 7f3a" in stand.shown_in("needs")

    at_screen(book, work)


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


def _run(place: DaemonSandbox, name: str) -> RunOverview:
    with closing(open_log(place.home.log, "read")) as store:
        [found] = [run for run in LogFeed(store).poll("").runs if run.id == name]
        return found


def test_the_daemon_carries_a_decision_out_once(place: DaemonSandbox) -> None:
    with sample_log(Path(place.home.path), time.time()):
        pass
    decisions = DaemonDecisions(place.home)
    decision = decisions.find(_run(place, DOCS))
    assert decision is not None
    option = RecoveryOption.RESUME_WITH_LIMITS
    assert option in [choice.value for choice in decision.choices]
    place.start()
    assert decisions.decide(decision, option, "go on").step == "confirmed"
    assert _run(place, DOCS).incident == ""
    again = decisions.decide(decision, option, "")
    assert (again.step, "decided about it already" in again.says) == ("failed", True)


def test_an_action_that_waits_for_an_approval_is_approved(place: DaemonSandbox) -> None:
    now = time.time()
    with sample_log(Path(place.home.path), now) as book:
        action = Action("Bash", {"command": "npm publish"}, "/home/ada/shop")
        review = review_of(action, Verdict(Decision.WARN, "It cannot be undone."))
        asked = ApprovalAsked(
            now, "7f3a", fingerprint(action), "npm publish", action, review, until=now + 3600
        )
        book.write(SHOP, asked)
    decisions = DaemonDecisions(place.home)
    waits = _run(place, SHOP)
    assert (waits.state(now), waits.wants, waits.approval) == (NEEDS_YOU, "npm publish", "7f3a")
    assert waits.state(now + 3601) != NEEDS_YOU, "it has expired"
    decision = decisions.find(waits)
    assert decision is not None
    assert [choice.value for choice in decision.choices] == ["approve", "edit", "always", "deny"]
    edit, always = decision.choices[1:3]
    assert edit.text == "npm publish"
    assert always.says.endswith("approvals.always: /home/ada/shop: npm publish")
    place.start()
    refused = decisions.decide(decision, "edit", "rm -rf ~")
    assert refused.step == "failed"
    assert "Handrail would stop that, too" in refused.says
    assert decisions.decide(decision, "approve", "it is mine").step == "confirmed"
    assert _run(place, SHOP).approval == ""


def test_a_run_that_asks_elsewhere_offers_no_choice_here(place: DaemonSandbox) -> None:
    asks = RunOverview("r", "r-1", wants="Bash npm publish")
    assert DaemonDecisions(place.home).find(asks) is None
