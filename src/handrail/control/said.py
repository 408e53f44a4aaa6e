"""What a RESULT tells, by command: the payload of the protocol."""

from collections.abc import Callable

from handrail.control.acts import Came
from handrail.control.message import Code, Payload
from handrail.model.control import Command
from handrail.supervise.state import RunState

_Say = Callable[[RunState], str]


def success(state: RunState, command: Command, came: Came) -> Payload:
    """The payload of a command that was carried out."""
    says = came.says or (_SAYS[command](state) if command in _SAYS else "")
    message = {"message": says} if says and command not in _SILENT else {}
    return {"status": "success", **message, **came.payload}


def failure(code: Code, says: str) -> Payload:
    """The payload of one that was not."""
    return {"status": "failure", "code": code, "message": says}


def _at(word: str) -> _Say:
    return lambda state: f"Loop {word} at iteration {state.iteration}"


_SAYS: dict[Command, _Say] = {
    Command.PAUSE: _at("paused"),
    Command.RESUME: _at("resumed"),
    Command.INTERRUPT: _at("interrupted"),
    Command.FREEZE: _at("frozen"),
    Command.STOP: _at("stopped"),
}
_SILENT = frozenset({Command.CANCEL, Command.ESCALATE})
"""Commands whose result has no message in the protocol."""
