"""Sessions of the real Claude Code with a person's hand on them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self
from uuid import uuid4

import psutil

from handrail.testing.model_server import Answer, ModelRequest, Script, ToolCall
from tests.claude.sandbox import FinishedSession, RunningSession
from tests.claude.supervised import SupervisedSandbox, bash, until
from tests.run_controller import RunController


class ControlledSession(NamedTuple):
    """A session that is under way, and who controls it."""

    world: SupervisedSandbox
    ann: RunController
    run: str
    running: RunningSession

    @classmethod
    def begin(cls, world: SupervisedSandbox, script: Script, *args: str, run: str = "") -> Self:
        """A new session, or one more process of a run."""
        name = run or str(uuid4())
        chosen = ("--resume", run) if run else ("--session-id", name)
        running = world.bed.start("Begin", script, args=(*chosen, *args))
        return cls(world, RunController(world.state), name, running)

    def files(self) -> frozenset[str]:
        """What is in the repository."""
        return frozenset(path.name for path in self.world.repo.iterdir())

    def when_there(self, name: str) -> None:
        """Until there is a file in the repository."""
        until((self.world.repo / name).exists, f"there is no file {name}")

    def touch(self, name: str) -> None:
        """Make a file that a command waits for."""
        (self.world.repo / name).touch()

    def asked(self) -> int:
        """How often the model was asked, titles and summaries left out."""
        return sum(bool(request.tools) for request in self.running.model.requests)

    def wait(self) -> FinishedSession:
        """Until Claude Code has ended by itself."""
        return self.running.wait()


def waits_for(name: str, then: str, call: str) -> ToolCall:
    """A command that is under way until there is a file."""
    return bash(f"touch {call}-began; while [ ! -e {name} ]; do sleep 0.01; done; {then}", call)


def doing(do: Callable[[], object], answer: Answer) -> Callable[[ModelRequest], Answer]:
    """An answer of the model, before which something happens: while it thinks."""

    def step(_: ModelRequest) -> Answer:
        do()
        return answer

    return step


def living(pids: Sequence[int]) -> list[int]:
    """Those of some processes that have not ended."""
    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            pass
    return found


def settings(world: SupervisedSandbox, text: str) -> None:
    """What the user wants of Handrail."""
    folder = world.bed.home / ".config" / "handrail"
    folder.mkdir(parents=True)
    (folder / "handrail.yaml").write_text(text)
