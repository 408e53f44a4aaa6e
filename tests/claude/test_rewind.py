"""The real Claude Code takes up its conversation where it was at a checkpoint."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.checkpoint import CheckpointTrigger
from handrail.testing.model_server import (
    ModelRequest,
    ModelServer,
    ModelTurn,
    Say,
    Script,
    ToolCall,
)
from tests.claude.claude_terminal import terminal
from tests.claude.prompted_session import served_by, talking
from tests.claude.supervised import SupervisedSandbox, bash, supervised

ALPHA = ["ALPHA", "call-a1", "call-a2", "call-a3", "call-a4", "Finished alpha."]
BETA = ["BETA", "call-b1", "Finished beta."]
GAMMA = "GAMMA"
MARKS = [*ALPHA, *BETA, GAMMA]
"""What stands in the conversation, in its order."""
LOST = "Tool result missing"
"""What the host writes where a conversation ends between a call and its result."""


def script(repo: Path) -> Script:
    def write(name: str, call: str) -> ToolCall:
        return ToolCall("Write", {"file_path": str(repo / name), "content": call}, call)

    return [
        bash("echo 1 > one.txt; echo 1 > README.md", "call-a1"),
        write("two.txt", "call-a2"),
        bash("echo 2 > one.txt", "call-a3"),
        write("four.txt", "call-a4"),
        Say("Finished alpha."),
        ModelTurn([Say("I begin."), bash("echo 3 > one.txt", "call-b1")]),
        Say("Finished beta."),
    ]


class Story(NamedTuple):
    """A session with two prompts; between them, a person has changed a file."""

    world: SupervisedSandbox
    session: str
    records: list[dict[str, object]]

    def id_of(self, moment: CheckpointTrigger, step: int) -> str:
        """The checkpoint that was taken at a moment of the session."""
        [found] = [
            str(each["id"])
            for each in self.records
            if (each["moment"], each["step"]) == (moment, step)
        ]
        return found

    def take_up(self, checkpoint: str) -> list[ModelRequest]:
        """Go back, and run the command that is printed, with one more prompt."""
        return self.go_on(roll_back(self.world, checkpoint))

    def go_on(self, command: str) -> list[ModelRequest]:
        """What the model is asked by the command for a terminal, here without one."""
        go_on = f"{command} -p {GAMMA} --model claude-sonnet-4-5"
        with ModelServer([Say("I go on.")] * 20) as model:
            subprocess.run(
                ["sh", "-c", go_on],
                cwd="/",
                env={**self.world.bed.environ, **served_by(model)},
                check=True,
                capture_output=True,
            )
            return [request for request in model.requests if request.tools]


def roll_back(world: SupervisedSandbox, checkpoint: str) -> str:
    """Go back, from files that are other ones; the command that is told of then."""
    (world.repo / "since.txt").write_text("since")
    out = world.handrail("rollback", checkpoint, "--all", "--over", "--yes", "--json")
    assert not (world.repo / "since.txt").exists()
    return str(json.loads(out)["next"])


def held(request: ModelRequest) -> list[str]:
    """What of the conversation a request holds."""
    text = json.dumps(request.body["messages"])
    assert LOST not in text
    return [mark for mark in MARKS if mark in text]


@pytest.fixture(scope="module")
def story(claude: Path) -> Iterator[Story]:
    with supervised() as world:
        with talking(world, script(world.repo)) as talk:
            talk.say("ALPHA")
            world.handrail("checkpoint")  # the one of the iteration's end is done before
            (world.repo / "mine.txt").write_text("by a person")
            talk.say("BETA")
            session = talk.session
        world.handrail("checkpoint")
        yield Story(world, session, json.loads(world.handrail("checkpoints", "--json")))


@pytest.mark.parametrize(
    ("moment", "step", "holds"),
    [
        (CheckpointTrigger.AFTER_ACTION, 1, ALPHA[:2]),
        (CheckpointTrigger.BEFORE_ACTION, 2, ALPHA[:3]),
        (CheckpointTrigger.AFTER_ACTION, 3, ALPHA[:4]),
        (CheckpointTrigger.ITERATION_END, 4, ALPHA),
        (CheckpointTrigger.PROMPT, 4, ALPHA),
        (CheckpointTrigger.AFTER_ACTION, 5, [*ALPHA, *BETA[:2]]),
    ],
)
def test_the_conversation_goes_on_where_it_was_then(
    story: Story, moment: CheckpointTrigger, step: int, holds: list[str]
) -> None:
    first, *_ = story.take_up(story.id_of(moment, step))
    assert held(first) == [*holds, GAMMA]


def test_the_printed_command_opens_it_in_a_terminal(story: Story) -> None:
    checkpoint = story.id_of(CheckpointTrigger.PROMPT, 4)
    (story.world.repo / "since.txt").write_text("since")
    out = story.world.handrail("rollback", checkpoint, "--over", "--yes")
    command = out.splitlines()[-1].strip()
    with terminal(story.world.bed, [Say("I go on.")] * 20, "manual", command) as screen:
        screen.wait_for(f"Session renamed to: back-at-{checkpoint}")
        screen.wait_for("Finished alpha.")
        screen.say(GAMMA)
        screen.wait_for("I go on.")
        [request] = [request for request in screen.model.requests if request.tools]
        assert held(request) == [*ALPHA, GAMMA]


def test_another_daemon_finds_it_too(story: Story) -> None:
    story.world.kill()
    first, *_ = story.take_up(story.id_of(CheckpointTrigger.PROMPT, 4))
    assert held(first) == [*ALPHA, GAMMA]


def test_the_session_itself_stays_as_it_is(story: Story) -> None:
    story.take_up(story.id_of(CheckpointTrigger.ITERATION_END, 4))
    cd = f"cd {story.world.repo} && claude --resume {story.session} --fork-session"
    first, *_ = story.go_on(cd)
    assert held(first) == MARKS


def test_before_the_first_prompt_there_is_nothing_to_take_up(story: Story) -> None:
    assert roll_back(story.world, story.id_of(CheckpointTrigger.UNATTENDED, 0)) == ""


def test_nothing_is_taken_up_that_was_summed_up_since(claude: Path) -> None:
    with supervised() as world:
        calls: Script = [bash("echo 1 > README.md", "call-a1"), *[Say("Finished alpha.")] * 9]
        session = str(world.run("ALPHA", calls).result["session_id"])
        assert roll_back(world, "c2")
        world.run("/compact", [Say("A summary.")] * 9, args=("--resume", session))
        assert not roll_back(world, "c2")
