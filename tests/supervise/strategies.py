"""Events: any, with few ids and steps so that they concern each other; and made to measure."""

from hypothesis import strategies as st

from handrail.intervene.incidents.recovery import RecoveryOption
from handrail.model import Action, Decision, Effect, Kind, Outcome, Review, Rewrite, Verdict
from handrail.model.action_kind import ActionKind
from handrail.model.checkpoint import Checkpoint
from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    AgentEnded,
    AgentStarted,
    AgentTold,
    ApprovalAsked,
    ApprovalDecided,
    BreachFound,
    CheckpointTaken,
    CleanedUp,
    Compacted,
    DesktopChecked,
    Event,
    FaultNoted,
    FeedbackGiven,
    FindingMade,
    IncidentResolved,
    Intervened,
    InterventionJudged,
    IterationEnded,
    ModelAsked,
    PromptGiven,
    RolledBack,
    RunEnded,
    RunStarted,
    SettingsChanged,
    StopConfirmed,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.model.ordinal import Severity, Undo
from handrail.model.review import Rationality, Risk

_TIMES = st.floats(-1e9, 3e9)
_STEPS = st.integers(-1, 6)
_IDS = st.sampled_from(["", "a", "b", "c"])
_NAMES = st.sampled_from(["n1", "n2", "n3"])
_MS = st.floats(0, 1e6)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_PATHS = st.lists(st.sampled_from(["/p/a", "/p/b"]), max_size=2).map(tuple)
_PLAIN = Rationality(0.6, 0.6, 0.6, 1.0, 1.0)

_effects = st.lists(
    st.builds(
        Effect,
        st.sampled_from(Kind),
        st.sampled_from(["/p/a", "example.org"]),
        st.sampled_from(Severity),
        st.sampled_from(Undo),
    ),
    max_size=3,
).map(tuple)

_reviews = st.builds(
    Review,
    decision=st.sampled_from(Decision),
    risk=st.builds(Risk, st.floats(0, 1), st.sampled_from(Severity)),
    rationality=st.just(_PLAIN),
    effects=_effects,
    reasons=st.lists(_TEXTS, max_size=2).map(tuple),
    rewrite=st.none() | st.builds(Rewrite, st.just({"command": "ls"}), st.just(("listed",))),
)

_verdicts = st.builds(
    Verdict,
    decision=st.sampled_from(Decision),
    reason=_TEXTS,
    updated_input=st.none() | st.just({"command": "ls", "timeout": 5}),
    overrulable=st.booleans(),
)

_actions = st.builds(
    Action,
    tool=st.sampled_from(["Bash", "Write"]),
    input=st.dictionaries(st.sampled_from(["command", "file_path"]), _TEXTS, max_size=2),
    cwd=st.sampled_from(["", "/p", "/q"]),
    id=_IDS,
)

_outcomes = st.builds(
    Outcome,
    ok=st.booleans(),
    exit_code=st.none() | st.integers(0, 255),
    output=_TEXTS,
    error=_TEXTS,
    duration_ms=_MS,
)

_KINDS = st.sampled_from(["", "loop", "stall"])
_COMMITS = st.sampled_from(["", "4c1f", "77aa"])
_APPROVALS = st.sampled_from(["a1", "a2"])
_INCIDENTS = st.sampled_from(["inc-1", "inc-2"])
_findings = st.builds(
    Finding,
    _KINDS,
    st.sampled_from(Severity),
    st.floats(0, 1),
    st.lists(_STEPS, max_size=3).map(tuple),
    says=_TEXTS,
    symptom=st.sampled_from(["", "s1"]),
)
_allowances = st.none() | st.builds(Allowance, *[st.integers(0, 9)] * 6)
_interventions = st.builds(
    Intervention,
    st.sampled_from(["i1", "i2"]),
    st.sampled_from(InterventionName),
    _findings,
    _STEPS,
    guidance=_TEXTS,
    allowance=_allowances,
    checkpoint=_COMMITS,
    incident=_INCIDENTS,
)
_desktop_checks = st.builds(
    DesktopCheck,
    st.sampled_from(ScreenStatus),
    st.sampled_from(CheckOutcome),
    st.floats(0, 1),
    _TEXTS,
    symptom=st.sampled_from(["", "dialog:Save"]),
    steps=st.lists(st.builds(RecoveryStep, _TEXTS, st.booleans(), _TEXTS), max_size=2).map(tuple),
    cost_usd=st.floats(0, 1),
)
_checkpoints = st.builds(Checkpoint, _COMMITS, st.just("r"), _STEPS, _COMMITS, _TIMES, _TEXTS)

events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RunStarted,
        _TIMES,
        st.just("claude"),
        st.sampled_from(["", "/p"]),
        st.sampled_from(["", "startup", "resume", "fork", "clear", "compact"]),
        st.booleans(),
        _TEXTS,
    ),
    st.builds(PromptGiven, _TIMES, _TEXTS | st.just("x" * 5000)),
    st.builds(
        ActionReviewed,
        _TIMES,
        _STEPS,
        _NAMES,
        _actions,
        _reviews,
        _verdicts,
        _IDS,
        _MS,
        st.booleans(),
        st.sampled_from(["", "c1"]),
        st.just("") | _APPROVALS,
    ),
    st.builds(ActionEnded, _TIMES, _STEPS, _outcomes, _PATHS, _PATHS, st.booleans()),
    st.builds(ActionDropped, _TIMES, _STEPS, _TEXTS),
    st.builds(BreachFound, _TIMES, _TEXTS, _STEPS, st.none() | _actions),
    st.builds(AgentStarted, _TIMES, _IDS, _TEXTS),
    st.builds(AgentEnded, _TIMES, _IDS),
    st.builds(Compacted, _TIMES, _TEXTS),
    st.builds(IterationEnded, _TIMES, _TEXTS),
    st.builds(SettingsChanged, _TIMES, _TEXTS, _TEXTS, _TEXTS),
    st.builds(FaultNoted, _TIMES, _TEXTS, _TEXTS),
    st.builds(FeedbackGiven, _TIMES, _STEPS, st.booleans(), _TEXTS, _KINDS),
    st.builds(FindingMade, _TIMES, _STEPS, _findings, _IDS),
    st.builds(Intervened, _TIMES, _interventions, _IDS),
    st.builds(InterventionJudged, _TIMES, st.sampled_from(["i1", "i2"]), _STEPS, st.booleans()),
    st.builds(CheckpointTaken, _TIMES, _checkpoints, st.integers(0, 9)),
    st.builds(RolledBack, _TIMES, _COMMITS, st.just("i1"), _PATHS, _COMMITS, _TEXTS),
    st.builds(
        ApprovalAsked,
        _TIMES,
        _APPROVALS,
        _NAMES,
        _TEXTS,
        _actions,
        _reviews,
        st.lists(st.sampled_from(ActionKind), max_size=2).map(tuple),
        _TIMES,
    ),
    st.builds(ApprovalDecided, _TIMES, _APPROVALS, st.booleans(), _TEXTS, _TEXTS, _TIMES),
    st.builds(AgentTold, _TIMES, st.lists(_APPROVALS.map("approval {}".format)).map(tuple)),
    st.builds(CleanedUp, _TIMES, _INCIDENTS, _PATHS, _PATHS),
    st.builds(StopConfirmed, _TIMES, _INCIDENTS, _PATHS, _PATHS, _TEXTS),
    st.builds(
        IncidentResolved,
        _TIMES,
        _INCIDENTS,
        st.sampled_from(RecoveryOption),
        _TEXTS,
        _allowances,
        st.booleans(),
        _COMMITS,
    ),
    st.builds(
        ModelAsked,
        _TIMES,
        _STEPS,
        st.sampled_from(["action", "goal"]),
        st.sampled_from(["", "allow", "block"]),
        st.floats(0, 1),
        _TEXTS,
        st.integers(0, 999),
        _MS,
        _TEXTS,
    ),
    st.builds(DesktopChecked, _TIMES, _STEPS, _desktop_checks),
    st.builds(RunEnded, _TIMES, _TEXTS),
)


def reviewed(
    step: int,
    *,
    name: str = "n",
    decision: Decision = Decision.ALLOW,
    asked: bool = False,
    writes: int = 0,
    call: str = "",
    command: str = "",
    cwd: str = "",
) -> ActionReviewed:
    effect = Effect(Kind.WRITE, "/p/a", Severity.LOW, Undo.CHECKPOINT)
    review = Review(
        decision,
        Risk(0.4, Severity.LOW),
        Rationality(0.6, 0.6, 0.6, 1.0, 1.0),
        effects=(effect,) * writes,
    )
    action = Action("Bash", {"command": "x"}, cwd, id=call)
    verdict = Verdict(decision)
    return ActionReviewed(float(step), step, name, action, review, verdict, "", 1.0, asked, command)


def ended(step: int, *, ok: bool = True, created: tuple[str, ...] = ()) -> ActionEnded:
    return ActionEnded(float(step), step, Outcome(ok, duration_ms=2.0), created)
