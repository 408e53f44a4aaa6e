"""Apply events to the state of a run: one function for each event."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from handrail.model import event as events
from handrail.model.control import ControlCommand, Standing
from handrail.model.effect import file_operations
from handrail.model.event_table import by_event
from handrail.model.intent import intent_of, with_changes
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.state.control_state import ControlState
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.open_action import OpenAction
from handrail.supervise.state.pushed_branches import new_branches
from handrail.supervise.state.run_health import RunHealth
from handrail.supervise.state.step_memory import note_edit, note_goal, note_step

if TYPE_CHECKING:
    from handrail.supervise.state.run_state import RunState

_MAX_TASKS = 1000
_MAX_OPEN = 256
"""Refused actions stay open, because no event says that they did not run."""
_MAX_REFUSED = 8
"""Refused actions whose aim is kept: if one runs nevertheless, it does so at once."""
_MAX_OVER = 8
"""A host without an answer reports again at once."""
_MAX_GOAL = 2000


def _started(state: "RunState", event: events.RunStarted) -> None:
    state.phase = "working" if event.source in ("", "compact") else "waiting"
    state.host = event.host
    state.cwd = event.cwd or state.cwd
    state.attended = event.attended
    state.model = event.model or state.model
    if event.pid:
        state.pid, state.pid_at, state.pid_began = event.pid, event.at, event.pid_began
    state.settings = event.settings or state.settings


def _prompted(state: "RunState", event: events.PromptGiven) -> None:
    state.phase = "working"
    state.rested = state.step
    state.prompts += 1
    state.course.renew()
    state.first_prompt = state.first_prompt or event.text[:_MAX_GOAL]
    state.last_prompt = event.text[:_MAX_GOAL]
    # A later prompt is often only "go on": the first one still tells the subject.
    state.history.goal = "\n".join(dict.fromkeys((state.first_prompt, state.last_prompt)))
    note_goal(state.history, event.text)


def _reviewed(state: "RunState", event: events.ActionReviewed) -> None:
    state.phase = "working"
    state.course.back_untold = False
    state.hand.held.pop(event.action.id, None)
    if event.approval:
        state.approvals.use(event)
        state.notices.pop(approval_notice(event.approval), None)
    state.step = max(state.step, event.step)
    state.cwd = state.cwd or event.action.cwd
    usage, verdict = state.usage, event.verdict
    usage.review_ms += event.ms
    usage.add_risk(event.review.risk.score)
    decision = verdict.decision.value
    usage.decided[decision] = usage.decided.get(decision, 0) + 1
    usage.asked += event.asked
    intent = intent_of(event.action, event.review, event.agent)
    action = OpenAction(
        event.step,
        event.action.id,
        event.name,
        verdict,
        event.asked,
        file_operations(event.review.effects),
        event.command,
        intent,
        approved=bool(event.approval) and verdict.decision is not Decision.BLOCK,
        overruled=bool(event.approval) and event.review.decision is Decision.BLOCK,
    )
    _open(state, action)
    if action.let_through:
        state.course.call(event.at, f"{event.action.tool}: {intent.shown}")
        # Counted in advance: parallel actions may not each use the whole limit.
        state.history.file_operations += action.file_operations
        note_edit(state.history, event.action)
    elif action.refused and not verdict.passing:
        state.history.remember_refusal(action.name)
        state.course.see(event, intent)


def _open(state: "RunState", action: OpenAction) -> None:
    state.open.append(action)
    del state.open[:-_MAX_OPEN]
    if len(state.open) > _MAX_REFUSED:
        old = state.open[-_MAX_REFUSED - 1]
        if old.refused:
            state.open[-_MAX_REFUSED - 1] = msgspec.structs.replace(old, intent=None)


def _ended(state: "RunState", event: events.ActionEnded) -> None:
    usage, outcome = state.usage, event.outcome
    usage.ran += 1
    usage.failed += not outcome.ok
    usage.tokens += outcome.tokens
    usage.tool_ms += outcome.duration_ms
    usage.overruled += event.overruled
    closed = _close(state, event.step)
    if closed is not None and closed.failed:
        outcome = msgspec.structs.replace(outcome, ok=False)
        event = msgspec.structs.replace(event, outcome=outcome)
        usage.failed += 1
    if closed is not None:
        if closed.id:
            state.over.append((closed.id, closed.name, closed.command))
            del state.over[:-_MAX_OVER]
        state.history.remember(
            closed.name,
            ok=outcome.ok,
            created=event.created,
            file_operations=closed.file_operations if outcome.ok else 0,
        )
        if closed.intent is not None and outcome.ok:
            state.history.branches.update(new_branches(closed.intent, outcome))
        if closed.intent is not None:
            intent = closed.intent
            note_step(state.history, intent, outcome.ok)
            if event.overruled:  # a person wants it to reach that far
                intent = msgspec.structs.replace(intent, outside=())
            state.course.see(event, intent)
        agent = closed.intent.agent if closed.intent is not None else ""
        writes = closed.intent.writes if closed.intent is not None else ()
        changes = max(closed.file_operations, len(event.created + event.changed))
        files = tuple(dict.fromkeys((*writes, *event.created, *event.changed)))
        state.course.end(event, changes, agent, files)


def _after_reviewed(state: "RunState", event: events.AfterReviewed) -> None:
    """Let the detectors see at the end what the action really did."""
    for index, known in enumerate(state.open):
        if known.step == event.step and known.intent is not None:
            intent = with_changes(known.intent, event.paths, event.review.outside)
            state.open[index] = msgspec.structs.replace(known, intent=intent, failed=event.failed)


def _dropped(state: "RunState", event: events.ActionDropped) -> None:
    closed = _close(state, event.step)
    if closed is not None and closed.asked and not closed.let_through:
        state.history.remember_refusal(closed.name)  # refused by the person who was asked
    if closed is not None and closed.intent is not None and closed.let_through:
        state.course.see(event, closed.intent)


def _close(state: "RunState", step: int) -> OpenAction | None:
    """Remove an action from the open ones, and return its advance counts."""
    for index in range(len(state.open) - 1, -1, -1):
        if state.open[index].step == step:
            closed = state.open.pop(index)
            if closed.let_through:
                state.history.file_operations -= closed.file_operations
            return closed
    return None


def _breach(state: "RunState", event: events.BreachFound) -> None:
    state.usage.breaches += 1


def _agent_started(state: "RunState", event: events.AgentStarted) -> None:
    state.agents[event.agent] = event.kind


def _agent_ended(state: "RunState", event: events.AgentEnded) -> None:
    state.agents.pop(event.agent, None)


def _task(state: "RunState", event: events.TaskNoted) -> None:
    state.tasks[event.task] = event.state
    if len(state.tasks) > _MAX_TASKS:
        del state.tasks[next(iter(state.tasks))]


def _compacted(state: "RunState", event: events.Compacted) -> None:
    state.compactions += 1


def _iteration_ended(state: "RunState", event: events.IterationEnded) -> None:
    # Sub-agents may go on working after the agent that started them has stopped.
    state.phase = "working" if state.agents else "waiting"
    state.rested = state.step
    state.messages += event.review is not None


def _settings_changed(state: "RunState", event: events.SettingsChanged) -> None:
    state.settings = event.settings or state.settings


def _fault(state: "RunState", event: events.FaultNoted) -> None:
    state.usage.faults += 1


def _feedback(state: "RunState", event: events.FeedbackGiven) -> None:
    if event.finding:
        return
    if event.right:
        state.usage.right += 1
    else:
        state.usage.wrong += 1


def _rolled_back(state: "RunState", event: events.RolledBack) -> None:
    state.course.roll_back(event)
    if event.state is not None:
        state.history.goal = event.state.goal
        state.last_prompt = event.state.last_prompt
        state.history.created.intersection_update(event.state.created)
        state.tasks = dict(event.state.tasks)


def _resolved(state: "RunState", event: events.IncidentResolved) -> None:
    goes_on = event.option != "abort" and event.incident == state.course.stopped
    state.course.resolve(event)
    if goes_on and event.note:
        says = f"This run was stopped, and a person lets it go on. They say: {event.note}"
        state.notices[f"incident {event.incident}"] = says


def _approval_asked(state: "RunState", event: events.ApprovalAsked) -> None:
    state.approvals.ask(event, state.seq)


def _approval_decided(state: "RunState", event: events.ApprovalDecided) -> None:
    state.approvals.decide(event)
    if (asked := state.approvals.kept.get(event.approval)) is not None and asked.until > event.at:
        state.notices[approval_notice(event.approval)] = asked.notice


def approval_notice(approval: str) -> str:
    """Return the name of the notice about an approval."""
    return f"approval {approval}"


def _told(state: "RunState", event: events.AgentTold) -> None:
    for name in event.notices:
        state.notices.pop(name, None)


def _cleaned_up(state: "RunState", event: events.CleanedUp) -> None:
    """Change nothing: it is about things that the run has left behind."""


def _model_asked(state: "RunState", event: events.ModelAsked) -> None:
    state.usage.opinions += 1
    if event.question != "goal" and event.answer == "block":
        state.open = [
            msgspec.structs.replace(each, verdict=opinion_verdict(event, each.verdict))
            if each.step == event.step
            else each
            for each in state.open
        ]


def opinion_verdict(event: events.ModelAsked, earlier: Verdict) -> Verdict:
    """Return the verdict on an action that a model would not let run.

    It takes the place of the earlier one, whose messages count as delivered: it carries them.
    """
    return Verdict(
        Decision.BLOCK,
        f"A second opinion is against it: {event.says}",
        "Do it in a way that can be undone, or say why it is needed and ask the person.",
        guidance=earlier.guidance,
        overrulable=True,
        alarm=earlier.alarm,
    )


def _asked(state: "RunState", event: events.ControlAsked) -> None:
    state.hand.ask(event)
    if event.command == ControlCommand.REDIRECT:
        state.first_prompt = state.last_prompt = state.history.goal = event.text[:_MAX_GOAL]
        if state.loop is not None:
            state.loop.goal = event.text


def _answered(state: "RunState", event: events.ControlAnswered) -> None:
    state.hand.answer(event)
    state.model = event.model or state.model


def _loop_begun(state: "RunState", event: events.LoopBegun) -> None:
    state.loop = LoopState.begun(event, state.loop)
    state.cwd = state.cwd or event.cwd
    state.model = event.model or state.model
    if state.hand.standing == Standing.DONE:
        state.hand.end(Standing.RUNNING, event.at)


def _iteration_begun(state: "RunState", event: events.IterationBegun) -> None:
    state.rested = state.step
    if state.loop is not None:
        state.loop.go_on(event)


def _loop_ended(state: "RunState", event: events.LoopEnded) -> None:
    if state.loop is not None:
        state.loop.end(event)
    if state.hand.standing != Standing.CANCELLED:
        state.hand.end(Standing.DONE, event.at)


def _sampled(state: "RunState", event: events.UsageSampled) -> None:
    state.usage.sample(event)
    state.course.sample(event)


def _desktop_checked(state: "RunState", event: events.DesktopChecked) -> None:
    state.desktop = msgspec.structs.replace(event.check, raw_response="", context="")
    state.usage.looks_usd += event.check.cost_usd


def _run_ended(state: "RunState", event: events.RunEnded) -> None:
    state.phase = "ended"
    state.hand.held.clear()
    state.open.clear()
    state.agents.clear()


def _part(name: str, *methods: Callable[..., None]) -> dict[type, Callable[..., None]]:
    """Return the events for one part of the state, and its methods for them."""

    def apply(method: Callable[..., None]) -> Callable[..., None]:
        def apply_to_part(state: "RunState", event: events.Event) -> None:
            if (part := getattr(state, name)) is not None:
                method(part, event)

        return apply_to_part

    return {kind: apply(method) for kind, method in by_event(*methods).items()}


APPLY: dict[type, Callable[..., None]] = {
    **by_event(
        _started, _prompted, _reviewed, _ended, _after_reviewed, _dropped, _breach,
        _agent_started, _agent_ended,
        _task, _compacted, _iteration_ended, _settings_changed, _fault, _feedback, _rolled_back,
        _model_asked, _asked, _answered, _loop_begun, _iteration_begun, _loop_ended, _sampled,
        _desktop_checked, _run_ended, _resolved, _approval_asked, _approval_decided, _told,
        _cleaned_up,
    ),
    **_part(
        "course", RunHealth.find, RunHealth.intervene, RunHealth.judge, RunHealth.save,
        RunHealth.copy, RunHealth.ask_back, RunHealth.confirm,
    ),
    **_part("hand", ControlState.hold),
    **_part("loop", LoopState.verify_with, LoopState.use),
}  # fmt: skip
