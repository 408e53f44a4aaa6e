"""The events of `loop:current`: how a loop stands, or how it has ended (schema 1)."""

import msgspec

from handrail.control import timestamp
from handrail.control.topics import CURRENT
from handrail.model.control import Standing
from handrail.store.port import NewEntry
from handrail.supervise.state.run_state import RunState

USER_CANCELLED = "USER_CANCELLED"


class LoopFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One loop. Fields that the first readers of the protocol do not know are left out where they
    say nothing new."""

    id: str
    mode: str
    iter: int
    max: int
    model: str
    escalation_reason: str = ""
    state: str = ""
    """How it stands, where it is not running."""


class StateEvent(msgspec.Struct, frozen=True):
    """How a loop stands."""

    schema: int
    event: str
    run_id: str
    updated_at: str
    stack: tuple[LoopFrame, ...]


class EndEvent(msgspec.Struct, frozen=True):
    """A loop has ended: `DONE` or `ABORT`."""

    schema: int
    event: str
    reason: str
    run_id: str
    stack: tuple[LoopFrame, ...] = ()


def frame_of(state: RunState) -> LoopFrame:
    """A run as the protocol shows it; a session that Handrail does not drive has no maximum."""
    loop, hand = state.loop, state.hand
    return LoopFrame(
        state.run,
        "session" if loop is None else loop.mode,
        state.iteration,
        0 if loop is None else loop.max,
        state.model,
        hand.escalated,
        "" if hand.standing == Standing.RUNNING else hand.standing.value,
    )


def state_entry(state: RunState, at: float) -> NewEntry:
    """The row that tells how a run stands now."""
    event = StateEvent(1, "STATE", state.run, timestamp.written(at), (frame_of(state),))
    return NewEntry(CURRENT, msgspec.json.encode(event))


def done_entry(run: str, reason: str) -> NewEntry:
    """The row that tells that a loop is done."""
    return NewEntry(CURRENT, msgspec.json.encode(EndEvent(1, "DONE", reason, run)))


def abort_entry(run: str, reason: str) -> NewEntry:
    """The row that tells that a loop was broken off."""
    return NewEntry(CURRENT, msgspec.json.encode(EndEvent(1, "ABORT", reason, run)))
