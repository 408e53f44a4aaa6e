"""Runs as messages."""

from os.path import basename

from handrail.api.messages.runs import CommandState, RunRow, Tone
from handrail.model.control import ControlCommand
from handrail.model.ordinal import Decision
from handrail.views.possible_commands import why_not
from handrail.views.run_overview import RunOverview
from handrail.words.run_signs import (
    INTERRUPTED,
    NEEDS_YOU,
    NOT_DONE,
    RUN_SIGNS,
    STUCK,
    UNREADABLE,
)
from handrail.words.sentence import in_words

_MAX_TEXT = 500
_TONES: dict[str, Tone] = {"green": "green", "yellow": "yellow", "red": "red", "dim": "dim"}


def tone(style: str) -> Tone:
    """Return the colour of a terminal style; its other parts do not matter."""
    return next((found for name, found in _TONES.items() if name in style), "")


def run_row(run: RunOverview, now: float) -> RunRow:
    """Return a run as a row of a list."""
    state = run.state(now)
    sign = RUN_SIGNS[state]
    decided = run.decided
    return RunRow(
        id=run.id,
        name=run.name,
        state=state,
        mark=sign.mark,
        tone=tone(sign.style),
        needs_you=_need(run, state)[:_MAX_TEXT],
        explained=_explained(run, state),
        approval=run.approval,
        questions=sum(now < until for until in run.questions.values()),
        incident=run.incident,
        goal=run.goal[:_MAX_TEXT],
        project=basename(run.cwd.rstrip("/")) or run.cwd,
        cwd=run.cwd,
        host=run.host,
        model=run.model,
        task=run.task,
        iteration=run.iteration,
        iterations=run.iterations,
        actions=run.step,
        changed_actions=decided.get(Decision.MODIFY.value, 0),
        stopped_actions=decided.get(Decision.BLOCK.value, 0),
        cost_usd=run.cost or None,
        tokens=run.tokens,
        started=run.started,
        changed=run.changed,
        last_action=run.last_action[:_MAX_TEXT],
        trouble=run.trouble.says[:_MAX_TEXT] if run.trouble else "",
        risks=run.risks,
        by=run.by,
        reason=run.reason[:_MAX_TEXT],
        since=run.since,
        held=run.held,
        under_way=run.under_way,
        active=run.active,
        driven=run.driven,
        seq=run.seq,
    )


def _need(run: RunOverview, state: str) -> str:
    """Return what it needs from a person, or ""."""
    if state == UNREADABLE:
        return f"cannot be read: {run.problem}"
    return run.need if state in (NEEDS_YOU, STUCK) else ""


def _explained(run: RunOverview, state: str) -> str:
    """Return how it came into a state that nobody asked for, or ""."""
    if state == INTERRUPTED:
        return f"its driver is gone: handrail run --resume {run.name}"
    return in_words(run.ending).lower() if state == NOT_DONE else ""


def command_states(run: RunOverview) -> tuple[CommandState, ...]:
    """Return every command that can be given to a run, and why one is impossible now."""
    return tuple(_command_state(run, each) for each in ControlCommand if each.spec.on_screen.key)


def _command_state(run: RunOverview, command: ControlCommand) -> CommandState:
    reason = why_not(run, command)
    choices = command.spec.choice.values_for(is_fleet=run.is_fleet)
    return CommandState(command.value, not reason, reason, choices)
