"""The errors of the library, beside `CheckpointError`, TypeError and ValueError.

HandrailError
├── ActionBlockedError   the action may not run; the text is for the model
├── StartError           the run cannot begin: broken settings, a scope too wide, no daemon
├── PipelineFileError    a pipeline file is wrong; the text names file, line, key and fix
├── ControlError         the run cannot be paused, resumed, stopped or steered now
└── SupervisorClosedError the supervisor was used after `close`
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.library.verdict import ActionVerdict


class HandrailError(Exception):
    """Handrail refuses or fails."""


class ActionBlockedError(HandrailError):
    """The action may not run. `str()` is the text for the model: why, and what to do instead."""

    def __init__(self, verdict: "ActionVerdict") -> None:
        super().__init__(verdict.guidance)
        self.verdict = verdict


class StartError(HandrailError):
    """The run cannot begin."""


class PipelineFileError(HandrailError, ValueError):
    """A pipeline cannot be read; the text names each mistake with its file, line and key."""


class ControlError(HandrailError):
    """The run cannot be controlled in its present state."""


class SupervisorClosedError(HandrailError, RuntimeError):
    """The supervisor was closed."""

    def __init__(self) -> None:
        super().__init__("this supervisor is closed; make a new one")
