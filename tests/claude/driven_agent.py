"""The real Claude Code, driven by Handrail's driver, for a scripted model."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple
from uuid import uuid4

from handrail.hosts.claude.driver import PATIENCE, ClaudeDriver
from handrail.hosts.claude.launch import launch
from handrail.hosts.port import DriveOptions, LaunchRequest
from handrail.testing.model_server import (
    Answer,
    ModelRequest,
    ModelServer,
    ModelTurn,
    Say,
    Script,
    ToolCall,
)
from tests.claude.prompted_session import served_by
from tests.claude.sandbox import CLAUDE, ClaudeSandbox

MODEL = "claude-sonnet-4-5"
LONG = 60.0


class DrivenAgent(NamedTuple):
    """An agent that is driven, and the model that it asks."""

    agent: ClaudeDriver
    model: ModelServer

    async def asked(self, times: int) -> None:
        """Until the model was asked so many times."""
        async with asyncio.timeout(LONG):
            while len(self.model.requests) < times:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def driving(
    bed: ClaudeSandbox,
    script: Script,
    run: str = "",
    *,
    resume: bool = False,
    settings: str = "{}",
    environ: Mapping[str, str] = {},
    patience: float = PATIENCE,
) -> AsyncIterator[DrivenAgent]:
    """A session that runs inside the block."""
    with ModelServer(script) as model:
        launched = launch(
            LaunchRequest(
                program=str(CLAUDE),
                run=run or str(uuid4()),
                cwd=str(bed.repo),
                environ={**bed.environ, **served_by(model), **environ},
                settings=settings,
                settings_file=str(bed.state / "driven.json"),
                options=DriveOptions(model=MODEL, mode="bypassPermissions"),
                resume=resume,
            )
        )
        async with ClaudeDriver(launched, patience=patience) as agent:
            yield DrivenAgent(agent, model)


def by_words(answers: Mapping[str, Answer]) -> Script:
    """Answers by the last thing that the model was told, so that interrupts upset nothing.

    Those to a part of the text; the first one counts. To anything else the model repeats it.
    """

    def answer(request: ModelRequest) -> Answer:
        said = last_said(request)
        fitting = (answer for part, answer in answers.items() if part in said)
        return next(fitting, Say(f"I heard: {said}"))

    return [answer] * 99


def last_said(request: ModelRequest) -> str:
    """The last thing that the model was told: a prompt, or a tool's result."""
    messages = request.body["messages"]
    assert isinstance(messages, list)
    content = messages[-1]["content"]
    blocks = [content] if isinstance(content, str) else content
    texts = [text for block in blocks for text in _texts(block)]
    told = [text for text in texts if not text.startswith("<system-reminder>\n<total_tokens>")]
    return str(told[-1]).strip() if told else ""


def _texts(block: object) -> list[str]:
    if isinstance(block, str):
        return [block]
    if not isinstance(block, dict):
        return []
    if block.get("type") == "tool_result":
        return [f"[{block['tool_use_id']}] {block.get('content')}"]
    return [str(block.get("text", ""))]


def hang(name: str = "hang") -> ToolCall:
    """A command that does not end by itself."""
    command = "rm -f never; mkfifo never; exec 3>alive; echo started >&3; cat never"
    return ToolCall("Bash", {"command": command, "description": "hang"}, id=name)


def held(text: str = "never said") -> ModelTurn:
    """An answer that does not come."""
    return ModelTurn([Say(text)], after=threading.Event())


def half_said() -> ModelTurn:
    """An answer of which only the beginning comes."""
    return ModelTurn([Say("first the one half, and then")], rest=threading.Event())
