"""What a RESULT tells: the payload of the protocol."""

from handrail.control.command_actions import CommandOutcome
from handrail.control.message import Code, Payload
from handrail.model.control import ControlCommand
from handrail.supervise.state import RunState


def success(state: RunState, command: ControlCommand, outcome: CommandOutcome) -> Payload:
    """The payload of a command that was carried out."""
    message = command.spec.result
    if message is not None:
        message = outcome.says or message.format(iteration=state.iteration)
    return {"status": "success", **({"message": message} if message else {}), **outcome.payload}


def failure(code: Code, says: str) -> Payload:
    """The payload of one that was not."""
    return {"status": "failure", "code": code, "message": says}
