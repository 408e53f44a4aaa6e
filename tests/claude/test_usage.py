"""What the real Claude Code uses is measured while it works, and limited."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from handrail.model.event import ActionReviewed, Event, FindingMade, Intervened, UsageSampled
from handrail.model.intervention import InterventionName
from handrail.store.decoding import decode
from handrail.store.opening import open_log
from handrail.testing.model_server import ModelRequest, ModelTurn, Say, Script, Step, ToolCall
from tests.claude.driven_agent import MODEL
from tests.claude.driven_run import driven
from tests.claude.supervised import SupervisedSandbox, bash, supervised, until
from tests.project_settings import write_confirmed

pytestmark = pytest.mark.slow

SPIRAL = (32_000, 68_000, 147_000, 315_000, 678_000)
PRICED = "prices: {'claude-*': {input: 2.0, output: 0.0}}\n"


@pytest.fixture
def world(claude: Path) -> Iterator[SupervisedSandbox]:
    with supervised() as world:
        yield world


def settings(world: SupervisedSandbox, text: str) -> None:
    write_confirmed(world.repo, text, world.bed.environ)


def events(world: SupervisedSandbox) -> list[Event]:
    """All events of runs, without the topics of the control protocol."""
    with closing(open_log(world.state.log, "read")) as store:
        return [decode(entry) for entry in store.read_all() if not entry.topic.startswith("loop:")]


def samples(world: SupervisedSandbox) -> list[UsageSampled]:
    return [event for event in events(world) if isinstance(event, UsageSampled)]


def measured(world: SupervisedSandbox, tokens: int) -> UsageSampled:
    """The first sample with so many tokens."""
    return until(
        lambda: next((each for each in samples(world) if each.tokens >= tokens), None),
        f"{tokens} tokens were not measured",
    )


def using(world: SupervisedSandbox, *amounts: int) -> list[Step]:
    """Calls whose answers cost so many tokens; each waits until those before it are measured."""

    def step(index: int) -> Step:
        def answer(request: ModelRequest) -> ModelTurn:
            if sum(amounts[:index]):
                measured(world, sum(amounts[:index]))
            call = bash(f"echo {index}", f"c{index}")
            return ModelTurn((call,), tokens=amounts[index])

        return answer

    return [step(index) for index in range(len(amounts))]


def test_tokens_that_double_with_each_answer_are_found_and_throttled(
    world: SupervisedSandbox,
) -> None:
    settings(world, PRICED)
    world.run("Read the logs.", [*using(world, *SPIRAL, 1_000, 1_000), Say("Done.")])
    happened = events(world)
    found = next(event.finding for event in happened if isinstance(event, FindingMade))
    assert found.kind == "resource_spiral"
    assert found.facts["series"] == "tokens"
    assert "315,0" in found.says
    done = next(event.intervention for event in happened if isinstance(event, Intervened))
    assert done.finding == found
    last = samples(world)[-1]
    assert last.cost_usd == pytest.approx(last.tokens * 2e-6, rel=0.01)
    assert last.unpriced == ()
    assert max(each.memory_mb for each in samples(world)) > 50


def test_a_run_over_its_tokens_is_refused_its_next_call(world: SupervisedSandbox) -> None:
    settings(world, "limits: {tokens: 50_000}\n")
    session = world.run("Look.", [*using(world, 60_000, 1_000), Say("Done.")])
    reviewed = [event for event in events(world) if isinstance(event, ActionReviewed)]
    assert [str(event.verdict.decision) for event in reviewed] == ["allow", "block"]
    assert "limits.tokens" in reviewed[1].verdict.reason
    assert not session.ran("c1")
    assert samples(world)[-1].unpriced != ()


def test_the_tokens_of_a_sub_agent_count(world: SupervisedSandbox) -> None:
    given = {"description": "help", "prompt": "HELPER", "subagent_type": "general-purpose"}

    def last(request: ModelRequest) -> Say:
        measured(world, 90_000)
        return Say("Done.")

    script: Script = {
        "HELPER": [ModelTurn((Say("It is there."),), tokens=80_000)],
        "": [ModelTurn((ToolCall("Agent", given, id="helper"),), tokens=10_000), last],
    }
    world.run("Ask for help.", script)
    assert max(sum(each.answers) for each in samples(world)) < 80_000


def test_a_driven_run_is_measured_before_its_turn_ends(world: SupervisedSandbox) -> None:
    script = [*using(world, 32_000, 40_000), Say("TASK DONE")]
    with driven(world, "Look around.", script) as run:
        assert run.wait() == 0, run.said
        state = run.ann.state(run.run)
    assert MODEL in samples(world)[-1].unpriced
    assert state.loop is not None
    assert state.tokens >= state.loop.tokens > 72_000
    assert state.cost_usd == state.loop.cost_usd
    assert InterventionName.EMERGENCY_STOP not in [
        event.intervention.means for event in events(world) if isinstance(event, Intervened)
    ]
