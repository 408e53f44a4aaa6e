"""Events that are no actions, in words."""

from collections.abc import Callable
from typing import NamedTuple, cast

from handrail.control.evidence import evidence_in_words
from handrail.model.control import Command
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionHeld,
    AgentStarted,
    BreachFound,
    CheckpointTaken,
    Compacted,
    ControlAnswered,
    ControlAsked,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    IterationBegun,
    IterationEnded,
    LoopBegun,
    LoopEnded,
    ModelAsked,
    PromptGiven,
    RestoreAsked,
    RolledBack,
    RunEnded,
    RunStarted,
    SettingsChanged,
    StopConfirmed,
    TaskNoted,
    Verified,
)
from handrail.model.intervention import Means
from handrail.tui.moments import took

_STARTS = {
    "": "Handrail came in, in {}",
    "startup": "session began in {}",
    "resume": "session resumed in {}",
    "fork": "session forked in {}",
    "clear": "conversation cleared",
    "compact": "goes on with a shorter conversation",
}
_DONE: dict[str, str] = {
    Means.SOFT_CORRECTION: "guidance sent",
    Means.CONTEXT_REINFORCEMENT: "task said again",
    Means.RESOURCE_THROTTLING: "slowed down",
    Means.CHECKPOINT_ROLLBACK: "rollback",
}
_ABOUT = {
    Command.STEER: "told the agent",
    Command.REDIRECT: "gave it another goal",
    Command.ESCALATE: "asked for another model",
    Command.ROLLBACK: "asked for a rollback to",
}
_ENDS = {
    "COMPLETE": ("✓", "green", "done"),
    "MAX_ITERATIONS": ("!", "yellow", "NOT done: no iterations left"),
    "STUCK": ("!", "yellow", "NOT done: the agent is stuck"),
    "LIMIT": ("!", "yellow", "NOT done: a limit is met"),
    "ERROR": ("✗", "red", "NOT done: the agent fails"),
    "USER_CANCELLED": ("■", "red", "cancelled"),
}


class Said(NamedTuple):
    """A sentence of a timeline."""

    text: str
    mark: str = "·"
    style: str = "dim"


def said(event: Event) -> Said:
    """An event that is no action, in a sentence."""
    return _SAY[type(event)](event)


def in_words(name: str) -> str:
    """The name of a kind of finding, or of means, as people write it."""
    return name.replace("_", " ")


def _with(text: str, more: str) -> str:
    return f"{text}: {more}" if more else text


def _started(event: RunStarted) -> Said:
    text = _STARTS.get(event.source, f"session began ({event.source}) in {{}}")
    shown = text.replace("{}", event.cwd or "/")
    return Said(f"{shown} · {event.model}" if event.model else shown, "▸")


def _prompted(event: PromptGiven) -> Said:
    return Said(event.text, "❯", "bold")


def _ended_alone(event: ActionEnded) -> Said:
    return Said(f"step {event.step} ended: it {'worked' if event.outcome.ok else 'failed'}")


def _dropped_alone(event: ActionDropped) -> Said:
    return Said(_with(f"step {event.step} was not run", event.says))


def _breach(event: BreachFound) -> Said:
    return Said(f"BREACH: {event.says}", "✗", "red")


def _agent_started(event: AgentStarted) -> Said:
    return Said("sub-agent began" + (f" ({event.kind})" if event.kind else ""))


def _task(event: TaskNoted) -> Said:
    done = event.state == "done"
    return Said(
        f"{'task done' if done else 'new task'}: {event.subject or event.task}",
        "✓" if done else "·",
    )


def _compacted(event: Compacted) -> Said:
    return Said("the conversation was shortened" + (f" ({event.trigger})" if event.trigger else ""))


def _iteration_ended(event: IterationEnded) -> Said:
    return Said(_with("the agent stopped", event.says))


def _settings(event: SettingsChanged) -> Said:
    if event.refused:
        text = f"settings changed: {event.path}; not taken over: {event.refused}"
        return Said(text, "✗", "red")
    return Said(f"settings changed: {event.path}")


def _fault(event: FaultNoted) -> Said:
    return Said(f"FAULT of Handrail ({event.kind}): {event.says}", "✗", "red")


def _feedback(event: FeedbackGiven) -> Said:
    what = f"the finding {in_words(event.finding)}" if event.finding else f"step {event.step}"
    return Said(_with(f"you said: {what} was {'right' if event.right else 'wrong'}", event.note))


def _found(event: FindingMade) -> Said:
    finding = event.finding
    return Said(f"{in_words(finding.kind)}, {finding.severity}: {finding.says}", "◆", "yellow")


def _intervened(event: Intervened) -> Said:
    done = event.intervention
    if done.means == Means.EMERGENCY_STOP:
        return Said(f"STOPPED: {done.finding.says}", "■", "red")
    how = done.limits if done.means == Means.CHECKPOINT_ROLLBACK else ""
    words = _DONE.get(done.means, in_words(done.means))
    return Said(_with(words, how or done.guidance), "↳", "yellow")


def _judged(event: InterventionJudged) -> Said:
    _, _, why = event.says.rstrip(".").partition(": ")
    text = f"the {in_words(event.means) or 'step'} {'helped' if event.worked else 'did not help'}"
    mark, style = ("✓", "green") if event.worked else ("·", "dim")
    return Said(_with(text, why), mark, style)


def _checkpoint(event: CheckpointTaken) -> Said:
    partial = ", not all of them" if event.partial else ""
    return Said(f"files saved as {event.checkpoint.id} ({event.checkpoint.why}){partial}", "▪")


def _restore_asked(event: RestoreAsked) -> Said:
    return Said(f"a person wants the files back as they were at {event.checkpoint}", "↶")


def _rolled_back(event: RolledBack) -> Said:
    if event.problem:
        return Said(f"NOT rolled back: {event.problem}", "✗", "red")
    what = "put back by a person" if event.asked else "rolled back"
    files = f"{len(event.files)} files" if len(event.files) != 1 else event.files[0]
    return Said(f"{what} to {event.checkpoint} ({files})", "↶", "yellow")


def _stop_confirmed(event: StopConfirmed) -> Said:
    if event.left:
        return Said(f"STILL RUNNING: {', '.join(event.left)}", "✗", "red")
    return Said(f"stopped: {len(event.ended)} processes ended, {event.says}", "■")


def _resolved(event: IncidentResolved) -> Said:
    return Said(_with(f"you decided: {in_words(event.option)}", event.note))


def _model_asked(event: ModelAsked) -> Said:
    answer = event.problem or f"{event.answer}: {event.says}"
    return Said(f"second opinion on the {event.question}: {answer}")


def _asked(event: ControlAsked) -> Said:
    who, what = event.by or "somebody", _ABOUT.get(event.command)
    text = f"{who} {what}: {event.text}" if what else f"{who} asked for {event.command.value}"
    return Said(f"{text} ({event.reason})" if event.reason else text, "☞", "bold")


def _answered(event: ControlAnswered) -> Said:
    if not event.ok:
        return Said(f"{event.command.value} NOT done: {event.says}", "✗", "red")
    shown = event.model or evidence_in_words(event)
    return Said(_with(f"{event.command.value} confirmed", shown), "✓", "green")


def _held(event: ActionHeld) -> Said:
    if event.released:
        return Said(f"waits no longer ({event.released}): {event.says}", "‖")
    return Said(f"held before: {event.says}", "‖", "yellow")


def _loop(event: LoopBegun) -> Said:
    verified = f"verified by: {event.verify}" if event.verify else ""
    parts = (f"driven by Handrail, at most {event.max} iterations", event.model, verified)
    return Said(" · ".join(filter(None, parts)), "▸")


def _iteration(event: IterationBegun) -> Said:
    return Said(f"iteration {event.iteration}", "▸", "bold")


def _verified(event: Verified) -> Said:
    time = f" ({took(event.ms)})" if took(event.ms) else ""
    if event.ok:
        return Said(f"verified: {event.command}{time}", "✓", "green")
    how, _, printed = event.says.partition("\n")
    why = ", ".join(filter(None, (how, printed.strip().rpartition("\n")[2])))
    return Said(f"not verified: {event.command}{time}: {why}", "–", "yellow")


def _loop_ended(event: LoopEnded) -> Said:
    mark, style, words = _ENDS.get(event.reason, ("■", "", in_words(event.reason)))
    return Said(f"{words}. {event.says}" if event.says else words, mark, style)


def _run_ended(event: RunEnded) -> Said:
    reason = in_words(event.reason)
    shown = "" if reason in ("", "other", "prompt input exit") else f" ({reason})"
    return Said(f"session ended{shown}", "■")


_SAY = cast(
    "dict[type, Callable[[Event], Said]]",
    {
        RunStarted: _started,
        PromptGiven: _prompted,
        ActionEnded: _ended_alone,
        ActionDropped: _dropped_alone,
        BreachFound: _breach,
        AgentStarted: _agent_started,
        TaskNoted: _task,
        Compacted: _compacted,
        IterationEnded: _iteration_ended,
        SettingsChanged: _settings,
        FaultNoted: _fault,
        FeedbackGiven: _feedback,
        FindingMade: _found,
        Intervened: _intervened,
        InterventionJudged: _judged,
        CheckpointTaken: _checkpoint,
        RestoreAsked: _restore_asked,
        RolledBack: _rolled_back,
        StopConfirmed: _stop_confirmed,
        IncidentResolved: _resolved,
        ModelAsked: _model_asked,
        ControlAsked: _asked,
        ControlAnswered: _answered,
        ActionHeld: _held,
        LoopBegun: _loop,
        IterationBegun: _iteration,
        Verified: _verified,
        LoopEnded: _loop_ended,
        RunEnded: _run_ended,
    },
)
