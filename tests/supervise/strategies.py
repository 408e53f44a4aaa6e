"""Events: any, with few ids and steps so that they concern each other; and made to measure."""

from hypothesis import strategies as st

from handrail.model import Action, Decision, Effect, Kind, Outcome, Review, Rewrite, Verdict
from handrail.model.event import (
    ActionDropped,
    ActionEnded,
    ActionReviewed,
    AgentEnded,
    AgentStarted,
    BreachFound,
    Compacted,
    Event,
    FaultNoted,
    FeedbackGiven,
    IterationEnded,
    PromptGiven,
    RunEnded,
    RunStarted,
    SettingsChanged,
)
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
    st.builds(FeedbackGiven, _TIMES, _STEPS, st.booleans(), _TEXTS),
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
