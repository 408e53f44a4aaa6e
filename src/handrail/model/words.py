"""Every word of the model, from the file in which it stands."""

from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import Checkpoint
from handrail.model.control import Command, Standing
from handrail.model.effect import KINDS, Effect, Kind
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, Intervention, Means
from handrail.model.knowledge import Fact, Program, Wrapper
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.review import Factor, Rationality, Review, Rewrite, Risk, RuleHit, Step, Verdict

__all__ = [
    "KINDS",
    "Action",
    "Allowance",
    "Checkpoint",
    "Command",
    "Decision",
    "Effect",
    "Fact",
    "Factor",
    "Finding",
    "Intervention",
    "Kind",
    "Means",
    "Outcome",
    "Program",
    "Rationality",
    "Review",
    "Rewrite",
    "Risk",
    "RuleHit",
    "Severity",
    "Standing",
    "Step",
    "Undo",
    "Verdict",
    "Wrapper",
]
