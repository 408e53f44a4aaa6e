"""How a run stands with the people who control it, and what they can ask for."""

from enum import StrEnum


class Standing(StrEnum):
    """Whether a run may go on. Names that end in -ing: asked for, and not confirmed yet."""

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    INTERRUPTING = "interrupting"
    FREEZING = "freezing"
    FROZEN = "frozen"
    STOPPING = "stopping"
    STOPPED = "stopped"
    """No process of it is left; it can be resumed."""
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    DONE = "done"
    """Its loop has come to an end by itself."""


HOLDING = frozenset(
    {
        Standing.PAUSING,
        Standing.PAUSED,
        Standing.INTERRUPTING,
        Standing.FREEZING,
        Standing.FROZEN,
    }
)
"""No new action begins; one that wants to is held."""

ENDING = frozenset({Standing.STOPPING, Standing.STOPPED, Standing.CANCELLING, Standing.CANCELLED})
"""No new action begins; one that wants to is refused, and the agent is told to end."""

FINAL = frozenset({Standing.CANCELLED, Standing.DONE})
"""There is nothing left to control."""


class Command(StrEnum):
    """What can be asked for."""

    PAUSE = "pause"
    RESUME = "resume"
    INTERRUPT = "interrupt"
    FREEZE = "freeze"
    STOP = "stop"
    CANCEL = "cancel"
    STEER = "steer"
    REDIRECT = "redirect"
    ESCALATE = "escalate"
    CHECKPOINT = "checkpoint"
    ROLLBACK = "rollback"
