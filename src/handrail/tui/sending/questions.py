"""The questions before a command. Only the last answer sends it; Esc sends nothing."""

from typing import Literal

import msgspec

from handrail.model.control import ControlCommand, Standing
from handrail.tui.sending.commands import text_for, what_will_happen
from handrail.views.run_overview import RunOverview


class CommandOrder(msgspec.Struct, frozen=True):
    """A command that the user decided to send."""

    command: ControlCommand
    run: str
    name: str
    reason: str
    text: str
    expects: Standing
    choice: str = ""


class CommandQuestions(msgspec.Struct, frozen=True):
    """A command that the user is about to send, and the open question."""

    command: ControlCommand
    run: str
    name: str
    expects: Standing
    """The state of the run when the user pressed the key."""
    will: str
    question: Literal["text", "choice", "reason"]
    text: str = ""
    choice: str = ""

    @property
    def label(self) -> str:
        """The label of the question."""
        if self.question == "text":
            return f"{self.command.spec.on_screen.asks}: "
        if self.question == "choice":
            default, *others = self.command.spec.choice.values
            return f"{self.command.spec.choice.name} ({default}, or {', '.join(others)}): "
        return "reason (may be empty): "

    @property
    def head(self) -> str:
        """The command and the run."""
        return f"{self.command.word} {self.name}"

    @property
    def is_grave(self) -> bool:
        """Whether the user agrees to a loss."""
        return self.command.spec.confirm

    @property
    def keys(self) -> str:
        """What the keys do now. A grave command says it once, and needs no second question."""
        if self.question != "reason":
            return "⏎ go on   Esc send nothing"
        return f"⏎ {self.command.word} it   Esc send nothing"

    def answered(self, typed: str) -> "CommandQuestions | CommandOrder":
        """Return the next question or the final order."""
        typed = typed.strip()
        values = self.command.spec.choice.values
        if self.question == "text":
            then = "choice" if values else "reason"
            return msgspec.structs.replace(self, text=typed, question=then) if typed else self
        if self.question == "choice":
            chosen = typed or values[0]
            if chosen not in values:
                return self
            return msgspec.structs.replace(self, choice=chosen, question="reason")
        return CommandOrder(
            self.command, self.run, self.name, typed, self.text, self.expects, self.choice
        )


def first_question(command: ControlCommand, run: RunOverview) -> CommandQuestions:
    """Return the first question of a command."""
    return CommandQuestions(
        command,
        run.id,
        run.name,
        run.standing,
        what_will_happen(run, command),
        "text" if command.spec.on_screen.asks else "reason",
        text_for(run, command),
    )
