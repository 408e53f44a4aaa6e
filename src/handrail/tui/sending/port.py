"""The port by which the screen sends commands."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec

from handrail.model.control import ControlCommand, Standing


class SendingStage(msgspec.Struct, frozen=True):
    """A stage of a command."""

    step: Literal["starting", "requested", "acknowledged", "confirmed", "failed"]
    """`starting`: the daemon is being started."""
    says: str = ""
    """The evidence, or the reason for the failure."""
    code: str = ""
    """Of a failure: `not_found`, `invalid_state`, `duplicate`, `bad_request`, `unreachable`."""

    @property
    def is_last(self) -> bool:
        """Whether this is the last stage."""
        return self.step in ("confirmed", "failed")


class CommandSender(Protocol):
    """Sends commands. A failure is a stage, never an exception."""

    def send(
        self,
        command: ControlCommand,
        run: str,
        *,
        reason: str,
        text: str,
        expects: Standing,
        choice: str = "",
    ) -> AsyncIterator[SendingStage]:
        """The stages of one command, the last one `confirmed` or `failed`.

        `text`: the message, goal, model or checkpoint that the command needs. `expects`: how the
        run stood when the person decided; where it stands otherwise by now, nothing is done.
        """
        ...
