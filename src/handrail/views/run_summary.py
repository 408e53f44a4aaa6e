"""From the state of a run to its row on the screen."""

from handrail.model.desktop import DESKTOP_LOOK
from handrail.supervise.state.open_question import blocked_agent_asks, wanted_action
from handrail.supervise.state.run_state import RunState
from handrail.views.run_overview import RunOverview
from handrail.words.desktop import check_in_words

_MAX_GOAL = 500


def overview_of(state: RunState, name: str, *, incident: str, me: str = "") -> RunOverview:
    """Summarise the state of a run; `me` is the user's name."""
    hand, loop, course = state.hand, state.loop, state.course
    questions = state.approvals.waiting(state.changed)
    asked = next(iter(questions), None)
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
        next((line.strip() for line in goal.splitlines() if line.strip()), "")[:_MAX_GOAL],
        state.iteration,
        0 if loop is None else loop.max,
        "" if loop is None else loop.verify,
        state.model,
        state.cost_usd or 0.0,
        state.tokens,
        state.step,
        dict(state.usage.decided),
        state.started,
        state.changed,
        "you" if hand.by and hand.by == me else hand.by,
        hand.reason,
        hand.since,
        tuple(hand.held.values()),
        tuple(each.command.value for each in hand.asked.values()),
        asked.says if asked else wanted_action(state),
        blocked_agent_asks(state),
        asked.id if asked else "",
        {each.id: each.until for each in questions},
        _last_action(state),
        "" if loop is None else loop.issue,
        state.seq,
        tuple(state.usage.risks),
        course.checkpoints[-1] if course.checkpoints else None,
        state.trouble,
        incident,
        loop.driver if loop and not loop.ended and state.active else 0,
        ending="" if loop is None else loop.reason,
        desktop=state.desktop,
        is_fleet=state.is_fleet,
    )


def _last_action(state: RunState) -> str:
    at_work = (each.intent for each in reversed(state.open) if each.let_through)
    under_way = next(filter(None, at_work), None)
    if state.desktop is not None and (under_way is None or under_way.tool == DESKTOP_LOOK):
        return check_in_words(state.desktop)  # what was seen tells more than that it looks
    if under_way is not None:
        return f"{under_way.tool} {under_way.shown}"
    steps = state.history.steps
    return steps[-1].shown if steps else ""
