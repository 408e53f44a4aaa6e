"""A project in which an agent has worked, and a person at a terminal who wants that undone."""

import sys

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger, ConversationPosition
from handrail.cli import main

from .checkpoint_endpoints import CheckpointEndpoints
from .conftest import HandrailShell
from .fake_terminal import FakeTerminal

RUN = "3f2a9c1e-0b11-4d01-b42d-00cf4fc964ff"
TALK = ConversationPosition("claude", RUN, "m-17")


class UndoProject:
    """A project in which an agent has worked: it changed, made and deleted a file each."""

    def __init__(self, shell: HandrailShell, counter: CheckpointEndpoints) -> None:
        self.shell = shell
        self.counter = counter
        self.path = shell.project
        self.write("cart.py", "total = 0\n")
        self.write("notes/plan.md", "the plan\n")
        self.save(CheckpointTrigger.PROMPT, "prompt: fix the cart", step=0, conversation=TALK)
        self.save(CheckpointTrigger.BEFORE_ACTION, "before Bash: git clean -fdx", step=1)
        self.write("cart.py", "total = 1\n")
        self.write("out.json", "{}")
        (self.path / "notes/plan.md").unlink()
        self.save(CheckpointTrigger.AFTER_ACTION, "after step 2", step=2, by=(RUN,))

    def write(self, path: str, text: str) -> None:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def save(
        self,
        moment: CheckpointTrigger,
        why: str,
        *,
        step: int = 0,
        by: tuple[str, ...] = (),
        conversation: ConversationPosition | None = None,
    ) -> str:
        about = CheckpointInfo(moment, why, run=RUN, step=step, by=by, conversation=conversation)
        return self.counter.checkpoints(str(self.path)).save(about).record.id

    @property
    def files(self) -> dict[str, str]:
        found = (path for path in self.path.rglob("*") if path.is_file())
        return {str(path.relative_to(self.path)): path.read_text() for path in found}


BEFORE = {"cart.py": "total = 0\n", "notes/plan.md": "the plan\n"}
AFTER = {"cart.py": "total = 1\n", "out.json": "{}"}


def answer(text: str, monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[int, str]:
    """A command on a terminal, and what a person types."""
    out = FakeTerminal()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdin", FakeTerminal(text))
    monkeypatch.setattr(sys, "stdout", out)
    code = main(args)
    return code, out.getvalue()
