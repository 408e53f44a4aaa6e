"""The way out: a command is sent, and what is heard of it since."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec

from handrail.model.control import ControlCommand, Standing


class SendingStage(msgspec.Struct, frozen=True):
    """How far a command has come."""

    step: Literal["starting", "requested", "acknowledged", "confirmed", "failed"]
    """`starting`: there is no daemon, and one is being started."""
    says: str = ""
    """What shows that it is so, or why it failed."""
    code: str = ""
    """Of a failure: `not_found`, `invalid_state`, `duplicate`, `bad_request`, `unreachable`."""

    @property
    def is_last(self) -> bool:
        """Whether nothing more will be heard."""
        return self.step in ("confirmed", "failed")


class CommandSender(Protocol):
    """Sends commands. What goes wrong is a stage, never an exception."""

    def send(
        self, command: ControlCommand, run: str, *, reason: str, text: str, expects: Standing
    ) -> AsyncIterator[SendingStage]:
        """The stages of one command, the last one `confirmed` or `failed`.

        `text`: the message, goal, model or checkpoint that the command needs. `expects`: how the
        run stood when the person decided; where it stands otherwise by now, nothing is done.
        """
        ...
