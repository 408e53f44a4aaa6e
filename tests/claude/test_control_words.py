"""What a person tells the real Claude Code while it works: its model reads it, once."""

from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.control.message import Request, Result
from handrail.model.control import ControlCommand
from handrail.supervise.state.run_state import RunState
from handrail.testing.model_server import Say
from tests.claude.controlled import ControlledSession, doing
from tests.claude.sandbox import FinishedSession
from tests.claude.supervised import bash, supervised

AFTER = "Use pathlib, not os."
STOPPING = "The changelog is missing."
AGAIN = "And the date in it."
GOAL = "Fix the cart instead."
SENT_ON = "Stop hook feedback:\nHandrail: ann tells you: "
"""Claude Code says it as a system reminder, too."""


class Told(NamedTuple):
    """A session that was told something at each of its boundaries."""

    session: FinishedSession
    unanswered: list[bool]
    """Right after each request."""
    results: list[Result]
    state: RunState

    def requests_with(self, text: str) -> list[int]:
        """Which requests for an answer have a text in them, and how often."""
        return [asked.text.count(text) for asked in self.session.requests if asked.tools]


@pytest.fixture(scope="module")
def told(claude: Path) -> Told:
    with supervised() as world:
        requests: list[Request] = []
        unanswered: list[bool] = []

        def tell(command: ControlCommand, text: str) -> None:
            requests.append(session.ann.ask(command, session.run, text=text))
            unanswered.append(not session.ann.has_result(requests[-1]))

        session = ControlledSession.begin(
            world,
            [
                doing(lambda: tell(ControlCommand.STEER, AFTER), bash("touch one", "one")),
                bash("touch two", "two"),
                doing(lambda: tell(ControlCommand.STEER, STOPPING), Say("Done.")),
                doing(lambda: tell(ControlCommand.STEER, AGAIN), Say("Now it is done.")),
                doing(lambda: tell(ControlCommand.REDIRECT, GOAL), bash("touch three", "three")),
                Say("Done."),
            ],
        )
        ended = session.wait()
        ann, run = session.ann, session.run
        results = [ann.result(each) for each in requests]
        return Told(ended, unanswered, results, ann.state(run))


def test_a_message_is_in_the_next_request_to_the_model(told: Told) -> None:
    assert told.requests_with(f"ann tells you: {AFTER}") == [0, 1, 1, 1, 1, 1]


def test_an_agent_that_was_about_to_stop_goes_on(told: Told) -> None:
    assert told.requests_with(SENT_ON + STOPPING) == [0, 0, 0, 1, 1, 1]


def test_an_agent_that_was_sent_on_once_already_goes_on_for_another_message(told: Told) -> None:
    assert told.requests_with(SENT_ON + AGAIN) == [0, 0, 0, 0, 1, 1]


def test_a_message_is_confirmed_when_the_agent_was_told_and_not_before(told: Told) -> None:
    assert told.unanswered == [True] * 4
    assert [result.ok for result in told.results] == [True] * 4
    assert told.results[0].says == "The agent was told at step 1"


def test_another_goal_is_told_and_is_what_the_run_is_measured_by(told: Told) -> None:
    assert told.requests_with(f"do this from now on: {GOAL}") == [0, 0, 0, 0, 0, 1]
    assert told.state.history.goal == GOAL


def test_what_it_was_told_does_not_keep_it_from_working(told: Told) -> None:
    assert told.session.ran("one", "two", "three")
    assert told.session.result["subtype"] == "success"
