"""Every word of the model, from the file in which it stands."""

from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import ControlCommand, Standing
from handrail.model.effect import KINDS, Effect, Kind
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, InterventionName
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.program import Fact, Program, Wrapper
from handrail.model.review import (
    CommandStep,
    Rationality,
    Review,
    Rewrite,
    Risk,
    RiskFactor,
    RuleHit,
    Verdict,
)

__all__ = [
    "KINDS",
    "Action",
    "Allowance",
    "Checkpoint",
    "CommandStep",
    "ControlCommand",
    "Decision",
    "Effect",
    "Fact",
    "Finding",
    "Intervention",
    "InterventionName",
    "Kind",
    "Outcome",
    "Program",
    "Rationality",
    "Review",
    "Rewrite",
    "Risk",
    "RiskFactor",
    "RuleHit",
    "Severity",
    "Standing",
    "Undo",
    "Verdict",
    "Wrapper",
]
