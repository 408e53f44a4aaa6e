"""From the state of a run to what the list shows of it."""

from handrail.supervise.state import RunState
from handrail.tui.state.run_overview import RunOverview

_MAX_KEPT = 500


def overview_of(state: RunState, name: str, *, incident: str, me: str = "") -> RunOverview:
    """What the list shows of a state; `me` is what whoever looks at it is called."""
    hand, loop, course = state.hand, state.loop, state.course
    goal = loop.goal if loop is not None else state.first_prompt
    return RunOverview(
        state.run,
        name,
        hand.standing,
        state.phase,
        state.active,
        loop is not None,
        state.host,
        state.cwd,
        next((line.strip() for line in goal.splitlines() if line.strip()), "")[:_MAX_KEPT],
        state.iteration,
        0 if loop is None else loop.max,
        "" if loop is None else loop.verify,
        state.model,
        0.0 if loop is None else loop.cost_usd,
        state.usage.tokens if loop is None else loop.tokens,
        state.step,
        dict(state.usage.decided),
        state.started,
        state.changed,
        "you" if hand.by and hand.by == me else hand.by,
        hand.reason,
        hand.since,
        tuple(hand.held.values()),
        tuple(each.command.value for each in hand.asked.values()),
        _wanted(state),
        course.checkpoints[-1] if course.checkpoints else None,
        state.trouble,
        incident,
        loop.driver if loop and not loop.ended and state.active else 0,
        ending="" if loop is None else loop.reason,
    )


def _wanted(state: RunState) -> str:
    """What the host asks a person for now; an answer is not always told, but the next step is."""
    if state.phase != "working" or state.hand.is_final or not state.open:
        return ""
    last = state.open[-1]
    if not last.asked or last.let_through or last.step != state.step or last.intent is None:
        return ""
    return f"{last.intent.tool} {last.intent.shown}"
