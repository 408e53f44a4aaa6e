"""The capabilities of a host: an intervention acts for real, or says that it cannot."""

from enum import StrEnum


class Capability(StrEnum):
    """One thing that a host lets Handrail do."""

    INJECT = "inject context"
    REWRITE = "rewrite input"
    DENY = "deny calls"
    HOLD = "hold a call"
    STOP = "stop the run"
    END = "end its processes"
    LIMIT = "limit its memory"
    """Where Handrail can rewrite the agent's commands, and the system limits the memory of each
    process (Linux)."""
    REWIND = "rewind the conversation"
    SWITCH = "switch the model"
    METER = "count tokens"
    FILES = "roll back files"
    """Not the host's own: Handrail has checkpoints of the work tree."""
