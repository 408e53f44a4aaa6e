"""The questions before a command. Only the last answer sends it; Esc sends nothing."""

from typing import Literal

import msgspec

from handrail.model.control import ControlCommand, Standing
from handrail.tui.sending.commands import text_for, what_will_happen
from handrail.tui.state.run_overview import RunOverview

_YES = frozenset({"y", "yes"})


class CommandOrder(msgspec.Struct, frozen=True):
    """A command that the user decided to send."""

    command: ControlCommand
    run: str
    name: str
    reason: str
    text: str
    expects: Standing


class CommandQuestions(msgspec.Struct, frozen=True):
    """A command that the user is about to send, and the open question."""

    command: ControlCommand
    run: str
    name: str
    expects: Standing
    """The state of the run when the user pressed the key."""
    will: str
    question: Literal["text", "reason", "confirm"]
    text: str = ""
    reason: str = ""

    @property
    def label(self) -> str:
        """The label of the question."""
        if self.question == "confirm":
            return "type y and ⏎ to do it: "
        if self.question == "text":
            return f"{self.command.spec.on_screen.asks}: "
        return "reason (may be empty): "

    @property
    def head(self) -> str:
        """The command and what it will do."""
        return f"{self.command.word} {self.name}  {self.will}"

    def answered(self, typed: str) -> "CommandQuestions | CommandOrder | None":
        """Return the next question or the final order; None if the user did not confirm."""
        typed = typed.strip()
        if self.question == "text":
            return msgspec.structs.replace(self, text=typed, question="reason") if typed else self
        if self.question == "reason":
            if self.command.spec.confirm:
                return msgspec.structs.replace(self, reason=typed, question="confirm")
            return self._order(typed)
        return self._order(self.reason) if typed.lower() in _YES else None

    def _order(self, reason: str) -> CommandOrder:
        return CommandOrder(self.command, self.run, self.name, reason, self.text, self.expects)


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
