"""What may stand in `handrail.yaml`: everything but the interventions.

The descriptions are the reference: `docs/configuration.md`, the JSON Schema and the error
messages are made from them. A type such as `Glob` says what a text stands for, so that it
is checked, and made absolute, where it was written.
"""

from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.checkpoints import Checkpoints
from handrail.config.control import Control
from handrail.config.detection import Detection
from handrail.config.interventions import Interventions
from handrail.config.judge import Judge
from handrail.config.notify import Notify
from handrail.config.text_values import FilePath, Glob, Place, Regex
from handrail.model.decodable import decodable
from handrail.model.effect import Kind
from handrail.model.ordinal import Decision
from handrail.model.program import Program

Share = Annotated[float, Meta(ge=0, le=1)]


def _must_ascend(**thresholds: float) -> None:
    if any(lower > higher for lower, higher in pairwise(thresholds.values())):
        said = ", ".join(f"{name} {value:g}" for name, value in thresholds.items())
        raise ValueError(f"each threshold must be at least the one before it: {said}")


class RiskThresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """From which risk score on an action counts as low, medium, high or critical.

    Lower numbers are stricter.
    """

    low_threshold: Annotated[Share, Meta(description="From here on the risk is low.")] = 0.3
    medium_threshold: Annotated[Share, Meta(description="From here on it is medium.")] = 0.6
    high_threshold: Annotated[Share, Meta(description="From here on it is high.")] = 0.8
    critical_threshold: Annotated[Share, Meta(description="From here on it is critical.")] = 0.95

    def __post_init__(self) -> None:
        _must_ascend(
            low_threshold=self.low_threshold,
            medium_threshold=self.medium_threshold,
            high_threshold=self.high_threshold,
            critical_threshold=self.critical_threshold,
        )


class RationalityThresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """From which score on an action counts as fitting the goal and the steps before it."""

    high_threshold: Annotated[Share, Meta(description="From here on it fits well.")] = 0.8
    medium_threshold: Annotated[Share, Meta(description="From here on it fits.")] = 0.5
    low_threshold: Annotated[
        Share, Meta(description="From here on it fits badly; below, not at all.")
    ] = 0.3

    def __post_init__(self) -> None:
        _must_ascend(
            low_threshold=self.low_threshold,
            medium_threshold=self.medium_threshold,
            high_threshold=self.high_threshold,
        )


class CustomRule(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of your own. It applies when each of the conditions it has is met."""

    name: Annotated[str, Meta(description="What reviews call it.", min_length=1)]
    decision: Annotated[Decision, Meta(description="What becomes of an action it applies to.")]
    says: Annotated[
        str, Meta(description="Why, in one sentence; the agent reads it.", min_length=1)
    ]
    instead: Annotated[str, Meta(description="What the agent should do instead.")] = ""
    kinds: Annotated[
        tuple[Kind, ...], Meta(description="Condition: an effect is of one of these kinds.")
    ] = ()
    targets: Annotated[
        tuple[Glob, ...],
        Meta(description="Condition: an effect's target matches one of these globs."),
    ] = ()
    tools: Annotated[
        tuple[str, ...], Meta(description="Condition: the tool has one of these names.")
    ] = ()
    commands: Annotated[
        tuple[Regex, ...],
        Meta(description="Condition: one of these regular expressions is found in the command."),
    ] = ()

    def __post_init__(self) -> None:
        if not (self.kinds or self.targets or self.tools or self.commands):
            raise ValueError(
                "a rule without a condition would apply to everything; "
                "give it kinds, targets, tools or commands"
            )


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rules are applied."""

    builtin: Annotated[
        Literal["all", "essential", "none"],
        Meta(description="Which built-in rules: all, those against irreversible harm, or none."),
    ] = "all"
    custom_rules_path: Annotated[
        FilePath, Meta(description="A YAML file with more custom rules, under the key `rules`.")
    ] = ""
    custom: Annotated[tuple[CustomRule, ...], Meta(description="Your own rules.")] = ()
    disabled: Annotated[
        tuple[str, ...], Meta(description="Names of rules, built in or custom, to leave out.")
    ] = ()


class Cache(Struct, frozen=True, forbid_unknown_fields=True):
    """Readings of commands, kept for when they come again; the judgement is always made anew."""

    enabled: Annotated[bool, Meta(description="Whether readings are kept.")] = True
    ttl_minutes: Annotated[float, Meta(description="How long one is kept.", gt=0)] = 5
    max_size: Annotated[int, Meta(description="How many are kept.", ge=1)] = 1000


class Performance(Struct, frozen=True, forbid_unknown_fields=True):
    """How long a review may take."""

    max_review_time_ms: Annotated[
        float, Meta(description="What cannot be read within this time is not run.", gt=0)
    ] = 100
    async_threshold: Annotated[
        Share,
        Meta(
            description="With `mode: async`, an action below this risk does not wait until its "
            "verdict is on the disk."
        ),
    ] = 0.3


class StepReviewer(Struct, frozen=True, forbid_unknown_fields=True):
    """The review of every action before it runs."""

    enabled: Annotated[bool, Meta(description="Whether actions are reviewed at all.")] = True
    mode: Annotated[
        Literal["blocking", "async"],
        Meta(
            description="Whether every action waits until its verdict is on the disk, or only "
            "risky ones."
        ),
    ] = "blocking"
    max_file_operations: Annotated[
        int,
        Meta(description="File changes in one run before it is stopped; 0: no limit.", ge=0),
    ] = 0
    risk: RiskThresholds = RiskThresholds()
    rationality: RationalityThresholds = RationalityThresholds()
    rules: Rules = Rules()
    cache: Cache = Cache()
    performance: Performance = Performance()


class Hosts(Struct, frozen=True, forbid_unknown_fields=True):
    """Machines on the network."""

    trusted: Annotated[
        tuple[str, ...],
        Meta(description="Hosts that do not count as external: `git.example.com`, `*.corp`."),
    ] = ()


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """How much one run may do; what comes after is refused. 0: no limit."""

    actions: Annotated[int, Meta(description="Actions in one run.", ge=0)] = 0
    minutes: Annotated[
        float,
        Meta(
            description="Minutes since the run began, without those for which a person held it.",
            ge=0,
        ),
    ] = 0


class Log(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of what happened."""

    keep_days: Annotated[
        int, Meta(description="Runs that ended longer ago are forgotten; 0: never.", ge=0)
    ] = 30


@decodable
class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of Handrail."""

    goal: Annotated[str, Meta(description="What the agent is working on, in a sentence.")] = ""
    scope: Annotated[
        tuple[Place, ...],
        Meta(
            description="Folders or globs that the agent may change, besides the temp folders. "
            "Empty: the git work tree around the current folder, or that folder."
        ),
    ] = ()
    protected: Annotated[
        tuple[Glob, ...], Meta(description="More files that may never be changed.")
    ] = ()
    secrets: Annotated[tuple[Glob, ...], Meta(description="More files that hold secrets.")] = ()
    regenerable: Annotated[
        tuple[Glob, ...],
        Meta(description="More files that a build makes again, so they may simply be deleted."),
    ] = ()
    hosts: Hosts = Hosts()
    programs: Annotated[
        dict[str, Program],
        Meta(description="What programs do that Handrail does not know; added to what it knows."),
    ] = {}
    attended: Annotated[
        Literal["auto", "always", "never"],
        Meta(
            description="Whether somebody can be asked before a refusal. auto: in a terminal "
            "session whose permission mode asks."
        ),
    ] = "auto"
    on_fault: Annotated[
        Literal["deny", "deny_all", "warn"],
        Meta(
            description="When Handrail itself fails: refuse what would change something, refuse "
            "everything, or let everything run and say so every time."
        ),
    ] = "deny"
    limits: Limits = Limits()
    log: Log = Log()
    step_reviewer: StepReviewer = StepReviewer()
    detection: Detection = Detection()
    interventions: Interventions = Interventions()
    checkpoints: Checkpoints = Checkpoints()
    control: Control = Control()
    notify: Notify = Notify()
    judge: Judge = Judge()


class RulesFile(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the file at `custom_rules_path`."""

    rules: Annotated[tuple[CustomRule, ...], Meta(description="Your own rules.")] = ()
