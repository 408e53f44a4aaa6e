"""What a run asks a person now, however it asks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.supervise.state.run_state import RunState


def wanted_action(state: "RunState") -> str:
    """Return the action for which the host asks a person now; the next step ends the question."""
    if state.phase != "working" or state.hand.is_final or not state.open:
        return ""
    last = state.open[-1]
    if not last.asked or last.let_through or last.step != state.step or last.intent is None:
        return ""
    return f"{last.intent.tool} {last.intent.shown}"


def blocked_agent_asks(state: "RunState") -> str:
    """Return what a driven agent needs that gave up: its loop waits for an answer."""
    loop = state.loop
    return loop.says if loop is not None and loop.reason == "STUCK" else ""
