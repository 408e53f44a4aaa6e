"""The events of `loop:current`: the standing of a loop, or its end (schema 1)."""

import msgspec

from handrail.control import timestamp
from handrail.control.topics import CURRENT
from handrail.model.control import Standing
from handrail.store.port import NewEntry
from handrail.supervise.state.run_state import RunState

USER_CANCELLED = "USER_CANCELLED"


class LoopFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One loop. Fields that the first readers of the protocol do not know are omitted if they
    say nothing new."""

    id: str
    mode: str
    iter: int
    max: int
    model: str
    escalation_reason: str = ""
    state: str = ""
    """The standing, if it is not running."""


class StateEvent(msgspec.Struct, frozen=True):
    """The standing of a loop."""

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
    """Return a run as the protocol shows it; a session that nobody drives has no maximum."""
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


def state_entry(state: RunState, at: float, above: RunState | None = None) -> NewEntry:
    """Return the row for the present standing of a run; `above`: the run that it is a part of."""
    frames = [frame_of(each) for each in (above, state) if each is not None]
    event = StateEvent(1, "STATE", state.run, timestamp.format_timestamp(at), tuple(frames))
    return NewEntry(CURRENT, msgspec.json.encode(event))


def done_entry(run: str, reason: str) -> NewEntry:
    """Return the row for a completed loop."""
    return NewEntry(CURRENT, msgspec.json.encode(EndEvent(1, "DONE", reason, run)))


def abort_entry(run: str, reason: str) -> NewEntry:
    """Return the row for an aborted loop."""
    return NewEntry(CURRENT, msgspec.json.encode(EndEvent(1, "ABORT", reason, run)))
