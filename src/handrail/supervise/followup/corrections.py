"""Turn findings into interventions, as events."""

from collections.abc import Callable, Iterator
from functools import partial

from handrail.intervene import Capability, RunSituation
from handrail.intervene.situation import CurrentUsage, EndedStep
from handrail.model.event import Event, FindingMade, Intervened, RolledBack
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.supervise.decision.messages import named
from handrail.supervise.decision.verdict import with_notice
from handrail.supervise.runs.project import Project
from handrail.supervise.state.run_state import RunState
from handrail.supervise.state.watched_state import WatchedState

Capabilities = frozenset[Capability]
Neighbour = Callable[[RunState, float], str]
"""Finds another run that has changed files in a run's work tree since a time."""
_MINUTE = 60.0
_FEW_WORDS = 4
_STALE = 20
"""Steps after which an action no longer counts as running."""
_MAX_NAMED = 5


def corrections(
    state: WatchedState, project: Project, can: Capabilities, now: float, neighbour: Neighbour
) -> Iterator[Event]:
    """Yield the events after a step: findings, judgements, and the next intervention.

    The caller applies each event to the state before asking for the next.
    """
    config = project.config
    found = state.course.watch.findings(config.detection)
    if not found and not state.course.past.has_undecided:
        return
    agent = state.course.watch.last
    if not found:
        # Nothing to correct now: judging an earlier intervention takes few facts.
        calm = RunSituation(now, state.step, state.course.past, can, agent=agent)
        yield from project.controller.judge((), calm)
        return
    for finding in found:
        if is_news(state, finding):
            yield FindingMade(now, state.step, finding, agent)
    situation = _situation(state, project, can, now, neighbour)
    yield from project.controller.judge(found, situation)
    chosen = project.controller.choose(found, situation)
    if chosen is not None:
        yield Intervened(now, chosen, agent)


def stop_events(
    state: WatchedState,
    project: Project,
    can: Capabilities,
    now: float,
    neighbour: Neighbour,
    finding: Finding,
) -> Iterator[Event]:
    """Return the events of an immediate stop, whatever the settings say."""
    yield FindingMade(now, state.step, finding)
    if not state.course.stopped:
        situation = _situation(state, project, can, now, neighbour)
        if (stop := project.controller.stop(finding, situation)) is not None:
            yield Intervened(now, stop)


def is_news(state: RunState, finding: Finding) -> bool:
    """Return whether a finding is new, worse than before, or back after an intervention."""
    known = state.course.findings.get(finding.name)
    if known is None or finding.severity > known.finding.severity:
        return True
    newest = max(finding.evidence, default=0)
    return any(
        made.name == finding.name and known.step <= made.step < newest
        for made in state.course.past.made
    )


def with_intervention(verdict: Verdict, done: Intervention) -> Verdict:
    """Return the verdict with the text, or the stop, of an intervention."""
    if done.means == InterventionName.EMERGENCY_STOP:
        reason = f"Handrail stops this run: {done.finding.says}"
        says = f"Handrail stopped the run: {done.finding.says}"
        stop = Verdict(Decision.BLOCK, reason, done.guidance, stop=True, alarm=verdict.alarm)
        return with_notice(stop, alarm=f"{says} handrail incident show {done.incident}")
    alarm = ""
    if done.means == InterventionName.CHECKPOINT_ROLLBACK:
        alarm = f"Handrail: {done.finding.says}"
    return with_notice(verdict, *filter(None, (done.guidance,)), alarm=alarm)


def with_rollback_notice(verdict: Verdict, back: RolledBack) -> Verdict:
    """Return the verdict for an agent whose files went back, or did not although announced."""
    if not back.problem:
        return _put_back_by_person(verdict, back) if back.asked else _taken_back(verdict, back)
    says = f"The files were not put back to checkpoint {back.checkpoint}: {back.problem}."
    told = f"{says} Look at them before you go on."
    return with_notice(verdict, told, alarm=f"Handrail: {says}")


def _taken_back(verdict: Verdict, back: RolledBack) -> Verdict:
    """Tell the person; the agent has heard of it in the intervention."""
    if not back.files:
        return verdict
    files = named(back.files, _MAX_NAMED)
    says = f"Handrail took back the changes in {files}. `handrail redo` restores them."
    return with_notice(verdict, alarm=says)


def _put_back_by_person(verdict: Verdict, back: RolledBack) -> Verdict:
    says: list[str] = []
    if back.git:
        says.append(
            f"A person has taken back changes of the repository: {named(back.git, _MAX_NAMED)}."
        )
    if back.files:
        says.append(
            f"A person has put files back to how they were at checkpoint {back.checkpoint}: "
            f"{named(back.files, _MAX_NAMED)}. Read them again before you change them, and do not "
            "do again what was undone unless you are asked to."
        )
    elif back.git:
        says.append("Do not do again what was undone unless you are asked to.")
    return with_notice(verdict, *says)


def _situation(
    state: WatchedState, project: Project, can: Capabilities, now: float, neighbour: Neighbour
) -> RunSituation:
    config = project.config
    prompts = dict.fromkeys(filter(None, (state.last_prompt, config.goal, state.first_prompt)))
    window = config.interventions.resource_throttling.metrics_window_seconds
    return RunSituation(
        now,
        state.step,
        state.course.past,
        can,
        state.history.goal or config.goal,
        config.scope,
        state.attended,
        state.course.allowance,
        tuple(state.course.checkpoints),
        state.course.watch.last,
        state.run,
        request_of(state),
        tuple(prompts),
        _usage(state, now, window),
        tuple(
            EndedStep(each.step, each.at, each.ok, each.changes, each.agent, each.files)
            for each in state.course.lately
        ),
        bool(state.course.stopped),
        cwd=state.cwd,
        writing=_is_writing(state),
        neighbour=partial(neighbour, state),
        verified=state.course.watch.checks.verified,
        worsening=state.course.watch.checks.worsening,
    )


def _is_writing(state: RunState) -> bool:
    """Return whether calls that change files may be running; some never report their end."""
    recent = (each for each in state.open if each.step > state.step - _STALE)
    return any(each.file_operations and each.let_through for each in recent)


def request_of(state: RunState) -> str:
    """Return the last real request to the agent; "go on" is none."""
    asks = len(state.last_prompt.split()) >= _FEW_WORDS
    return state.last_prompt if asks else state.first_prompt


def _usage(state: RunState, now: float, window: float) -> CurrentUsage:
    recent = [each for each in state.course.lately if now - each.at <= window]
    memory = [each.memory_mb for each in recent]
    memory += [each.memory_mb for each in state.course.measured if now - each.at <= window]
    return CurrentUsage(
        sum(1 for at in state.course.calls if now - at <= _MINUTE),
        sum(each.changes for each in recent),
        max((each.seconds for each in recent), default=0.0),
        max(memory, default=0.0),
        sum(each.tokens for each in recent) + _measured_tokens(state, now - window),
        state.under_way,
    )


def _measured_tokens(state: RunState, since: float) -> int:
    """Return the tokens since a time, as far as the kept measurements tell."""
    samples = state.course.measured
    if not samples:
        return 0
    older = [each.tokens for each in samples if each.at < since]
    return samples[-1].tokens - max(older, default=samples[0].tokens)
