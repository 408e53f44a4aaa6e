"""The judgement of one action, and the answer to the host."""

import msgspec

from handrail.model.decodable import decodable
from handrail.model.effect import Effect
from handrail.model.ordinal import Decision, Severity


class RiskFactor(msgspec.Struct, frozen=True):
    """One number that went into a risk score, and why."""

    name: str
    weight: float


class Risk(msgspec.Struct, frozen=True):
    """How dangerous an action is: 0 (nothing) to 1, with the sum that led there."""

    score: float
    severity: Severity
    factors: tuple[RiskFactor, ...] = ()


class Rationality(msgspec.Struct, frozen=True):
    """How well an action fits the goal and what was done before; 0.5 to 0.8 is neutral."""

    score: float
    goal_alignment: float
    logical_progression: float
    efficiency: float
    completeness: float
    issues: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()


@decodable
class RuleHit(msgspec.Struct, frozen=True):
    """A rule that objects to an action."""

    rule: str
    decision: Decision
    says: str
    instead: str = ""


class Rewrite(msgspec.Struct, frozen=True):
    """A safer input with the same aim."""

    input: dict[str, object]
    changes: tuple[str, ...]
    """The changes and their reasons, one sentence each."""
    restore: str = ""
    """One command line that puts everything back, where there is something to put back."""


class CommandStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """One simple command of the program as understood: its text and what it does."""

    text: str
    says: str
    blamed: bool = False


class Review(msgspec.Struct, frozen=True):
    """Risk, rationality, effects and rule hits of one action, and the decision they lead to."""

    decision: Decision
    risk: Risk
    rationality: Rationality
    effects: tuple[Effect, ...] = ()
    rules: tuple[RuleHit, ...] = ()
    reasons: tuple[str, ...] = ()
    """All reasons in plain words, the one that decided first."""
    alternative: str = ""
    """The alternative; never empty for a refused action."""
    rewrite: Rewrite | None = None
    checkpoint_first: bool = False
    """It may run, but only after a checkpoint was taken."""
    confidence: float = 1.0
    """Lower where parts of the action could not be known before it runs."""
    steps: tuple[CommandStep, ...] = ()
    faults: tuple[str, ...] = ()
    """Faults of Handrail itself: a rule that raised does not decide; any other one blocks."""
    outside: tuple[str, ...] = ()
    """Paths that it touches outside of the scope."""
    outgoing: tuple[str, ...] = ()
    """Machines of others that it sends something to, or connects to."""
    strange: tuple[str, ...] = ()
    """Programs with unforeseeable effects: unknown ones, and those that run a project's migrations.
    """
    permitted_by: str = ""
    """Settings by which a person would let a refused action run; empty: none may."""
    alternatives: tuple[str, ...] = ()
    """All alternatives, the best first."""
    id: str = ""
    """The name of the review: unique in its run, or made from the action outside of one."""

    @property
    def explanation(self) -> str:
        """The decision and its main reason as one sentence."""
        if self.reasons:
            return self.reasons[0]
        worst = max(self.effects, key=lambda effect: effect.severity, default=None)
        if worst is None or worst.severity is Severity.NONE:
            return "Nothing in it is risky."
        return f"It {worst.text}."


@decodable
class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to the host about an action."""

    decision: Decision
    reason: str = ""
    alternative: str = ""
    updated_input: dict[str, object] | None = None
    changes: tuple[str, ...] = ()
    """The changes of the input and their reasons, one sentence each."""
    restore: str = ""
    """One command line that brings back the files moved away by the changed input."""
    guidance: tuple[str, ...] = ()
    """Further texts for the agent."""
    overrulable: bool = False
    """A person may permit it nevertheless."""
    permitted_by: str = ""
    """Settings that would permit it, even if nobody can be asked."""
    stop: bool = False
    """The run ends here."""
    alarm: str = ""
    """A text that the person at the host must see at once."""
    passing: bool = False
    """Refused only for now: the agent may ask again later."""
    alternatives: tuple[str, ...] = ()
    """Further alternatives, besides the best one."""
