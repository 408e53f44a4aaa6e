"""Commands to runs."""

from typing import Literal

import msgspec


class CommandRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command to a run, as on the control protocol."""

    command: str
    request_id: str = ""
    """An id of the client's: a repetition does nothing twice. Empty: the daemon makes one."""
    text: str = ""
    """The message, goal, model, task or checkpoint, by command."""
    choice: str = ""
    reason: str = ""
    expects: str = ""
    """The state that the person saw: another state refuses the command."""


class RequestProgress(msgspec.Struct, frozen=True):
    """How a request stands: requested → acknowledged → confirmed."""

    request_id: str
    command: str
    run: str
    stage: Literal["requested", "acknowledged", "confirmed", "refused"]
    says: str = ""
    evidence: tuple[str, ...] = ()
    code: str = ""
    """Why it was refused: not_found, invalid_state, duplicate, bad_request."""


class FleetCommandRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command to all runs: pause at a boundary, resume, stop."""

    command: Literal["pause", "resume", "stop"]
    at: Literal["action", "iteration"] = "action"
    reason: str = ""


class RunLeftOut(msgspec.Struct, frozen=True):
    """An active run that a command for all does not reach."""

    run: str
    why: str


class RequestList(msgspec.Struct, frozen=True):
    """One request per run."""

    items: tuple[RequestProgress, ...]
    left_out: tuple[RunLeftOut, ...] = ()
    fleets: tuple[str, ...] = ()
    """Fleets that claim no task any more, or claim them again."""
