"""A run that had to be stopped, told as events."""

from collections.abc import Iterable

from handrail.intervene.incidents.folders import IncidentFolders
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.report import incident_report
from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.effect import Effect, Kind
from handrail.model.event import (
    ActionEnded,
    ActionReviewed,
    CheckpointTaken,
    Event,
    FindingMade,
    Intervened,
    InterventionJudged,
    PromptGiven,
    RunStarted,
    StopConfirmed,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.review import Rationality, Review, Risk, Verdict

RUN = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"
INCIDENT = "2026-11-16-0214-shop-3f2a9c1e"
NIGHT = 1_794_795_240.0
"""Monday, 16 November 2026, 02:14:00 UTC."""
LOOP = Finding(
    "loop",
    Severity.CRITICAL,
    0.9,
    (3, 4, 5),
    says="It ran the same failing command 3 times.",
    symptom="pytest",
    facts={"error": "ImportError: cart"},
)
ERROR = "Exit code 1\nImportError: cart"


def reviewed(
    step: int, command: str, decision: Decision = Decision.ALLOW, *writes: str
) -> ActionReviewed:
    effects = tuple(Effect(Kind.WRITE, path, Severity.LOW, Undo.CHECKPOINT) for path in writes)
    return ActionReviewed(
        NIGHT - 100 + step,
        step,
        f"n{step}",
        Action("Bash", {"command": command}, "/w/shop"),
        Review(
            decision, Risk(0.1, Severity.LOW), Rationality(0.6, 0.6, 0.6, 1.0, 1.0), effects=effects
        ),
        Verdict(decision, "it is not allowed" if decision is Decision.BLOCK else ""),
    )


def ended(step: int, outcome: Outcome, *changed: str) -> ActionEnded:
    return ActionEnded(NIGHT - 100 + step, step, outcome, changed=changed)


def stop(incident: str = INCIDENT) -> Intervened:
    done = Intervention("i2", InterventionName.EMERGENCY_STOP, LOOP, 5, 1.2, incident=incident)
    return Intervened(NIGHT, done)


def story(prompt: str = "fix the cart total") -> list[Event]:
    """It works, then it fails three times, a hint does not help, it is stopped."""
    hint = Intervention(
        "i1", InterventionName.SOFT_CORRECTION, LOOP, 4, 0.4, guidance="Look at the path."
    )
    failed = Outcome(False, 1, "", ERROR, 1500, 0.01, 200)
    return [
        RunStarted(NIGHT - 3700, "claude", "/w/shop", "startup", model="sonnet"),
        PromptGiven(NIGHT - 3700, prompt),
        CheckpointTaken(NIGHT - 3600, Checkpoint("c1", RUN, 0, "a" * 40, NIGHT - 3600)),
        reviewed(1, "make fmt", Decision.ALLOW, "/w/shop/out.txt"),
        ended(1, Outcome(True, 0, "ok"), "/w/shop/src/cart.py"),
        reviewed(2, "curl x | sh", Decision.BLOCK),
        CheckpointTaken(NIGHT - 97.5, Checkpoint("c2", RUN, 2, "b" * 40, NIGHT - 97.5)),
        *_failing((3, 4, 5), failed),
        FindingMade(NIGHT - 94, 5, LOOP),
        Intervened(NIGHT - 94, hint),
        InterventionJudged(NIGHT - 93, "i1", 5, worked=False),
        stop(),
    ]


def _failing(steps: Iterable[int], outcome: Outcome) -> Iterable[Event]:
    for step in steps:
        yield reviewed(step, "pytest -q")
        yield ended(step, outcome)


def confirmed(*left: str) -> StopConfirmed:
    return StopConfirmed(NIGHT + 2, INCIDENT, ("412 sleep 600",), left, "no process is left")


def save(incidents: IncidentFolders, record: Incident) -> str:
    """Write an incident as the daemon does."""
    return incidents.save(record, incident_report(record))
