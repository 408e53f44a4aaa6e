"""A run at a glance: the few facts of its state that a list of runs shows.

The same fold as `RunState`, over fewer fields: to import that one takes longer than all else
that `handrail status` does, and a shell prompt waits for it. A property test holds the two
together.
"""

from collections.abc import Callable

import msgspec

from handrail.cli.glance_hand import Asked, Hand, Loop
from handrail.model.control import Command, Standing
from handrail.store.port import Store
from handrail.supervise.topics import topic_of

_MAX_GOAL = 2000
_MAX_FINDINGS = 100
_FRESH = 10
"""So many steps later, a finding that was not made again is not current any more."""
_SEVERITIES = ("none", "low", "medium", "high", "critical")
_STOP = "emergency_stop"
_GOES_ON = ("", "compact")


class Counts(msgspec.Struct):
    """How often something happened in a run."""

    decided: dict[str, int] = {}
    overruled: int = 0
    breaches: int = 0
    faults: int = 0


class Found(msgspec.Struct, frozen=True):
    """A finding, as far as it is shown."""

    kind: str
    severity: str = "none"
    says: str = ""
    symptom: str = ""

    @property
    def name(self) -> str:
        """The same for the same trouble."""
        return f"{self.kind}:{self.symptom}"


class FoundAt(msgspec.Struct, frozen=True):
    """A finding, and the step that it was made after."""

    step: int
    finding: Found


class Made(msgspec.Struct):
    """An intervention, as far as it says whether a finding is settled."""

    id: str
    name: str
    step: int
    worked: bool | None = None


class Past(msgspec.Struct):
    """All interventions of a run."""

    made: list[Made] = []


class Course(msgspec.Struct):
    """What was found in a run, and done about it."""

    findings: dict[str, FoundAt] = {}
    past: Past = msgspec.field(default_factory=Past)
    stopped: str = ""
    """The incident that it was stopped for."""


class Glance(msgspec.Struct, tag_field="fold", tag=4):
    """What a list of runs shows of one of them; the tag is that of `RunState`."""

    run: str
    seq: int = 0
    phase: str = "working"
    host: str = ""
    cwd: str = ""
    started: float = 0.0
    changed: float = 0.0
    step: int = 0
    first_prompt: str = ""
    usage: Counts = msgspec.field(default_factory=Counts)
    agents: dict[str, str] = {}
    course: Course = msgspec.field(default_factory=Course)
    model: str = ""
    hand: Hand = msgspec.field(default_factory=Hand)
    loop: Loop | None = None
    """None: Handrail does not drive it."""
    problem: str = ""
    """Why events of it could not be read."""

    @property
    def trouble(self) -> Found | None:
        """The worst finding of the last steps that nothing has helped against."""
        helped = {(made.name, made.step) for made in self.course.past.made if made.worked}
        current = [
            found
            for found in self.course.findings.values()
            if found.step > self.step - _FRESH
            and not any(name == found.finding.name and step >= found.step for name, step in helped)
        ]
        worst = max(current, key=lambda found: _rank(found.finding), default=None)
        return worst.finding if worst else None

    @property
    def active(self) -> bool:
        """Whether there is anything to control."""
        if self.seq == 0 or self.hand.is_final:
            return False
        resumable = self.loop is not None or self.hand.standing == Standing.STOPPED
        return resumable or self.phase != "ended"

    def apply(self, event: "Seen") -> None:
        """Take in the next event."""
        self.seq += 1
        self.changed = event.at
        self.started = self.started or event.at
        if (take := _TAKE.get(event.event)) is not None:
            take(self, event)


class _Decided(msgspec.Struct):
    decision: str = ""


class _Placed(msgspec.Struct):
    cwd: str = ""
    id: str = ""


class _Done(msgspec.Struct):
    id: str
    means: str
    finding: Found
    step: int
    incident: str = ""


class Seen(msgspec.Struct):
    """Of any event, what matters here; the rest of it is not even decoded."""

    event: str
    at: float
    host: str = ""
    cwd: str = ""
    source: str = ""
    text: str = ""
    step: int = 0
    action: _Placed | None = None
    verdict: _Decided = msgspec.field(default_factory=_Decided)
    overruled: bool = False
    agent: str = ""
    kind: str = ""
    finding: Found | str = ""
    intervention: _Done | str = ""
    worked: bool = False
    incident: str = ""
    option: str = ""
    model: str = ""
    request: str = ""
    command: str = ""
    standing: Standing = Standing.RUNNING
    by: str = ""
    reason: str = ""
    id: str = ""
    says: str = ""
    released: str = ""
    goal: str = ""
    max: int = 0
    verify: str = ""
    driver: int = 0
    iteration: int = 0
    ok: bool = True
    how: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0


_seen = msgspec.json.Decoder(Seen)
_glance = msgspec.json.Decoder(Glance)


def load_glance(store: Store, run: str) -> Glance:
    """A run as it is now: its last snapshot, and the events since."""
    topic = topic_of(run)
    glance = Glance(run)
    snapshot = store.load_snapshot(topic)
    if snapshot is not None:
        try:
            glance = _glance.decode(snapshot.body)
        except ValueError:  # of another version; the events are all there
            glance = Glance(run)
    while page := store.read(topic, glance.seq):
        for stored in page:
            try:
                glance.apply(_seen.decode(stored.body))
            except ValueError as error:
                glance.seq = stored.seq
                glance.problem = f"entry {stored.position}: {error}"
    return glance


def _started(glance: Glance, event: Seen) -> None:
    glance.phase = "working" if event.source in _GOES_ON else "waiting"
    glance.host = event.host
    glance.cwd = event.cwd or glance.cwd
    glance.model = event.model or glance.model


def _prompted(glance: Glance, event: Seen) -> None:
    glance.phase = "working"
    glance.first_prompt = glance.first_prompt or event.text[:_MAX_GOAL]


def _reviewed(glance: Glance, event: Seen) -> None:
    glance.phase = "working"
    glance.step = max(glance.step, event.step)
    if event.action is not None:
        glance.cwd = glance.cwd or event.action.cwd
        glance.hand.held.pop(event.action.id, None)
    decided, decision = glance.usage.decided, event.verdict.decision
    decided[decision] = decided.get(decision, 0) + 1


def _ended(glance: Glance, event: Seen) -> None:
    glance.usage.overruled += event.overruled


def _breach(glance: Glance, event: Seen) -> None:
    glance.usage.breaches += 1


def _fault(glance: Glance, event: Seen) -> None:
    glance.usage.faults += 1


def _agent_started(glance: Glance, event: Seen) -> None:
    glance.agents[event.agent] = event.kind


def _agent_ended(glance: Glance, event: Seen) -> None:
    glance.agents.pop(event.agent, None)


def _iteration_ended(glance: Glance, event: Seen) -> None:
    glance.phase = "working" if glance.agents else "waiting"


def _run_ended(glance: Glance, event: Seen) -> None:
    glance.phase = "ended"
    glance.agents.clear()
    glance.hand.held.clear()


def _found(glance: Glance, event: Seen) -> None:
    if isinstance(event.finding, Found):
        findings, name = glance.course.findings, event.finding.name
        findings.pop(name, None)
        findings[name] = FoundAt(event.step, event.finding)
        if len(findings) > _MAX_FINDINGS:
            del findings[next(iter(findings))]


def _intervened(glance: Glance, event: Seen) -> None:
    done = event.intervention
    if isinstance(done, _Done):
        glance.course.past.made.append(Made(done.id, done.finding.name, done.step))
        if done.means == _STOP:
            glance.course.stopped = done.incident


def _judged(glance: Glance, event: Seen) -> None:
    for made in glance.course.past.made:
        if made.id == event.intervention:
            made.worked = event.worked
            return


def _resolved(glance: Glance, event: Seen) -> None:
    if event.option != "abort" and event.incident == glance.course.stopped:
        glance.course.stopped = ""


def _asked(glance: Glance, event: Seen) -> None:
    asked = Asked(event.at, event.command, event.by, event.reason)
    glance.hand.ask(event.request, asked, event.standing)
    if event.command == Command.REDIRECT:
        glance.first_prompt = event.text[:_MAX_GOAL]
        if glance.loop is not None:
            glance.loop.goal = event.text


def _answered(glance: Glance, event: Seen) -> None:
    glance.hand.answer(event.request, event.standing, event.at)
    glance.model = event.model or glance.model


def _held(glance: Glance, event: Seen) -> None:
    glance.hand.hold(event.id, event.says, event.released)


def _loop_begun(glance: Glance, event: Seen) -> None:
    loop = glance.loop = glance.loop or Loop(event.goal, event.max)
    loop.goal, loop.max, loop.verify = event.goal, event.max, event.verify
    loop.driver = event.driver
    loop.ended = loop.reason = ""
    glance.cwd = glance.cwd or event.cwd
    glance.model = event.model or glance.model
    if glance.hand.standing == Standing.DONE:
        glance.hand.end(Standing.RUNNING, event.at)


def _iteration_begun(glance: Glance, event: Seen) -> None:
    if glance.loop is not None:
        glance.loop.iteration = event.iteration
        glance.loop.verified = False


def _verified(glance: Glance, event: Seen) -> None:
    if glance.loop is not None:
        glance.loop.verified = event.ok


def _measured(glance: Glance, event: Seen) -> None:
    if (loop := glance.loop) is not None:
        loop.tokens = max(loop.tokens, event.tokens)
        loop.cost_usd = max(loop.cost_usd, event.cost_usd)
        loop.seconds = max(loop.seconds, event.seconds)
        loop.memory_mb = max(loop.memory_mb, event.memory_mb)


def _loop_ended(glance: Glance, event: Seen) -> None:
    if glance.loop is not None:
        glance.loop.ended, glance.loop.reason = event.how, event.reason
    if glance.hand.standing != Standing.CANCELLED:
        glance.hand.end(Standing.DONE, event.at)


def _rank(finding: Found) -> int:
    known = finding.severity in _SEVERITIES
    return _SEVERITIES.index(finding.severity) if known else len(_SEVERITIES)


_TAKE: dict[str, Callable[[Glance, Seen], None]] = {
    "run_started": _started,
    "prompt_given": _prompted,
    "action_reviewed": _reviewed,
    "action_ended": _ended,
    "breach_found": _breach,
    "fault_noted": _fault,
    "agent_started": _agent_started,
    "agent_ended": _agent_ended,
    "iteration_ended": _iteration_ended,
    "finding_made": _found,
    "intervened": _intervened,
    "intervention_judged": _judged,
    "incident_resolved": _resolved,
    "control_asked": _asked,
    "control_answered": _answered,
    "action_held": _held,
    "loop_begun": _loop_begun,
    "iteration_begun": _iteration_begun,
    "verified": _verified,
    "usage_measured": _measured,
    "loop_ended": _loop_ended,
    "run_ended": _run_ended,
}
