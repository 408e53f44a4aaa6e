"""A person sits at the session: what they may overrule is their decision, and nobody else's."""

from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.model.event import ActionEnded, ActionReviewed, Event, RunStarted
from handrail.testing.model_server import Answer, Say, ToolResult
from tests.claude.claude_terminal import squeezed, terminal
from tests.claude.supervised import STOPPED, bash, supervised

QUESTION = "Do you want to proceed?"
ESCAPE, ENTER = "\x1b", "\r"


class Story(NamedTuple):
    """What was on the screen, and what is left of the session."""

    question: str
    after_no: frozenset[str]
    after_yes: frozenset[str]
    results: dict[str, ToolResult]
    events: list[Event]

    def reviewed(self, call: str) -> ActionReviewed:
        return next(
            event
            for event in self.events
            if isinstance(event, ActionReviewed) and event.action.id == call
        )

    def ended(self, call: str) -> ActionEnded | None:
        step = self.reviewed(call).step
        ends = (event for event in self.events if isinstance(event, ActionEnded))
        return next((event for event in ends if event.step == step), None)


@pytest.fixture(scope="module")
def attended(claude: Path) -> Story:
    with supervised() as world:
        world.program("npm", f"touch {world.repo}/published-$2")
        script: list[Answer] = [
            bash("npm publish one", "one"),
            bash("npm publish two", "two"),
            bash(f"cat {world.bed.state}/control-token", "token"),
            Say("That is all."),
        ]

        def published() -> frozenset[str]:
            return frozenset(path.name for path in world.repo.glob("published-*"))

        with terminal(world.bed, script, "manual") as screen:
            screen.wait_for("? for shortcuts")
            screen.say("Publish one.")
            question = screen.wait_for(QUESTION)
            screen.answer(ESCAPE, "What should Claude do instead?")
            after_no = published()
            screen.say("Publish two.")
            screen.wait_for(QUESTION)
            screen.answer(ENTER, "That is all.")
            results = screen.model.requests[-1].tool_results
        return Story(question, after_no, published(), results, world.events())


def test_the_record_says_that_somebody_can_be_asked(attended: Story) -> None:
    started = attended.events[0]
    assert isinstance(started, RunStarted)
    assert started.attended


def test_a_refusal_that_may_be_overruled_becomes_a_question(attended: Story) -> None:
    assert squeezed("Handrail would stop this: it publishes the package") in attended.question
    assert squeezed("Safer: Try it first: `npm publish --dry-run`.") in attended.question
    assert attended.reviewed("one").asked


def test_after_a_no_it_did_not_run(attended: Story) -> None:
    assert attended.after_no == frozenset()
    assert attended.ended("one") is None


def test_after_a_yes_it_ran_and_is_recorded_as_overruled(attended: Story) -> None:
    assert attended.after_yes == {"published-two"}
    ended = attended.ended("two")
    assert ended is not None
    assert ended.overruled


def test_what_nobody_may_overrule_is_refused_without_a_question(attended: Story) -> None:
    assert STOPPED in attended.results["token"].text
    assert not attended.reviewed("token").asked


def test_where_nobody_sits_it_is_refused(claude: Path) -> None:
    with supervised() as world:
        world.program("npm", f"touch {world.repo}/published-$2")
        script: list[Answer] = [bash("npm publish one", "one"), Say("Done.")]
        session = world.run("Publish one.", script, mode="manual")
        assert STOPPED in session.tool_results()["one"].text
        assert not list(world.repo.glob("published-*"))
