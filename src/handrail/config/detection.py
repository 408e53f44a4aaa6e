"""The `detection` section of `handrail.yaml`: the patterns that Handrail looks for in a run."""

from typing import Annotated

from msgspec import Meta, Struct

from handrail.config.text_values import FindingKind, Glob, Regex
from handrail.model.effect import Kind
from handrail.model.ordinal import Severity

Share = Annotated[float, Meta(ge=0, le=1)]
Part = Annotated[float, Meta(ge=0, le=0.99)]
"""A share that can be exceeded."""


class ScopeCreep(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent works outside the scope."""

    allowed_share: Annotated[
        Part, Meta(description="Share of touched paths allowed outside the scope.")
    ] = 0.3
    min_paths: Annotated[
        int, Meta(description="How many paths to see before the share counts.", ge=1, le=50)
    ] = 6
    critical_paths: Annotated[
        tuple[Glob, ...],
        Meta(
            description="Touching one of these paths is enough. Secrets and paths of the system "
            "and of other users always count."
        ),
    ] = ()


class ResourceSpiral(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent uses more and more."""

    growth: Annotated[
        float, Meta(description="Mean growth from one sample to the next.", ge=1.2, le=10)
    ] = 1.5
    samples: Annotated[
        int, Meta(description="How many samples must grow; a sample is five actions.", ge=3, le=6)
    ] = 4


class GoalDrift(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent turns away from the goal."""

    fall: Annotated[
        float,
        Meta(
            description="How far the mean alignment with the goal falls from the first to the "
            "second half of the last 20 actions; 0.4 is the most possible.",
            ge=0,
            le=0.39,
        ),
    ] = 0.2
    lowest_opinion: Annotated[
        Share,
        Meta(description="A model's score for the alignment counts as drift below this; 0: never."),
    ] = 0.4


class Hallucination(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent relies on things that are not there."""

    min_occurrences: Annotated[
        int, Meta(description="How many missing things within 20 actions.", ge=1, le=20)
    ] = 2


class ExplorationWandering(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent looks around and changes nothing."""

    threshold: Annotated[
        Part, Meta(description="Above this score, from 0 to 1, the agent wanders.")
    ] = 0.7
    max_unique_directories: Annotated[
        int, Meta(description="So many folders within 40 looks count as very many.", ge=2, le=40)
    ] = 12
    backtrack_limit: Annotated[
        float,
        Meta(description="Such a share of moves back to an old folder is very much.", gt=0, le=1),
    ] = 0.4


class CountingRule(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of your own: the same sort of action, several times within the last few."""

    name: Annotated[str, Meta(description="The name of the finding.", min_length=1)]
    says: Annotated[
        str, Meta(description="What is wrong, in one sentence; the agent reads it.", min_length=1)
    ]
    times: Annotated[int, Meta(description="How often it must happen.", ge=1, le=50)] = 3
    within: Annotated[int, Meta(description="… within this many actions.", ge=1, le=50)] = 10
    severity: Annotated[Severity, Meta(description="Severity of the finding.")] = Severity.LOW
    tools: Annotated[
        tuple[str, ...], Meta(description="Condition: the tool has one of these names.")
    ] = ()
    commands: Annotated[
        tuple[Regex, ...],
        Meta(
            description="Condition: one of these regular expressions matches in the first 120 "
            "characters of the command, path, pattern or address."
        ),
    ] = ()
    kinds: Annotated[
        tuple[Kind, ...], Meta(description="Condition: an effect is of one of these kinds.")
    ] = ()
    failed: Annotated[
        bool | None, Meta(description="Condition: the action failed (true) or worked (false).")
    ] = None

    def __post_init__(self) -> None:
        if not (self.tools or self.commands or self.kinds or self.failed is not None):
            raise ValueError(
                "a rule without a condition would count everything; "
                "give it tools, commands, kinds or failed"
            )
        if self.times > self.within:
            raise ValueError(f"{self.times} times cannot happen within {self.within} actions")


class Detection(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns over many actions: signs of a run going wrong."""

    enabled: Annotated[bool, Meta(description="Whether Handrail looks for patterns.")] = True
    disabled: Annotated[
        tuple[FindingKind, ...],
        Meta(description="Kinds of findings to leave out, for example `goal_drift`."),
    ] = ()
    scope_creep: ScopeCreep = ScopeCreep()
    resource_spiral: ResourceSpiral = ResourceSpiral()
    goal_drift: GoalDrift = GoalDrift()
    hallucination: Hallucination = Hallucination()
    exploration_wandering: ExplorationWandering = ExplorationWandering()
    counting: Annotated[tuple[CountingRule, ...], Meta(description="Patterns of your own.")] = ()
