"""A person decides on the screen about a run that needs one."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handrail.intervene.incidents.recovery import RecoveryOption
from handrail.store.opening import open_log
from handrail.tui.sending.daemon_decisions import DaemonDecisions
from handrail.tui.state.log_feed import LogFeed
from handrail.tui.state.run_overview import RunOverview
from tests.server.daemon_sandbox import DaemonSandbox
from tests.tui.sample_log import DOCS, SampleLog, sample_log
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


@pytest.fixture
def place() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        yield place


def _docs(place: DaemonSandbox) -> RunOverview:
    with closing(open_log(place.home.log, "read")) as store:
        [docs] = [run for run in LogFeed(store).poll("").runs if run.id == DOCS]
        return docs


def test_the_daemon_carries_a_decision_out_once(place: DaemonSandbox) -> None:
    with sample_log(Path(place.home.path), time.time()):
        pass
    decisions = DaemonDecisions(place.home)
    decision = decisions.find(_docs(place))
    assert decision is not None
    option = RecoveryOption.RESUME_WITH_LIMITS
    assert option in [choice.value for choice in decision.choices]
    place.start()
    assert decisions.decide(decision, option, "go on").step == "confirmed"
    assert _docs(place).incident == ""
    again = decisions.decide(decision, option, "")
    assert (again.step, "resolved before" in again.says) == ("failed", True)


def test_a_run_that_asks_elsewhere_offers_no_choice_here(place: DaemonSandbox) -> None:
    asks = RunOverview("r", "r-1", wants="Bash npm publish")
    assert DaemonDecisions(place.home).find(asks) is None
