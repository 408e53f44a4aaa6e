"""The settings of `handrail.yaml`, except the interventions.

The descriptions are the reference: `docs/configuration.md`, the JSON Schema and the error
messages come from them. A type such as `Glob` gives a text its meaning, so that Handrail checks
it, and makes it absolute, where it was written.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.approvals import Approvals
from handrail.config.checkpoints import Checkpoints
from handrail.config.control import Control
from handrail.config.desktop import Desktop
from handrail.config.detection import Detection
from handrail.config.fleet import Fleet
from handrail.config.interventions import Interventions
from handrail.config.judge import Judge
from handrail.config.notify import Notify
from handrail.config.panel import PanelSettings
from handrail.config.prices import ModelPrice
from handrail.config.text_values import FilePath, Glob, Place, Regex
from handrail.config.thresholds import must_ascend
from handrail.config.trash import Trash
from handrail.model.decodable import decodable
from handrail.model.effect import Kind
from handrail.model.ordinal import Decision
from handrail.model.program import Program

Share = Annotated[float, Meta(ge=0, le=1)]


class RiskThresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """The risk scores from which an action counts as low, medium, high or critical.

    Lower numbers are stricter.
    """

    low_threshold: Annotated[Share, Meta(description="From here on the risk is low.")] = 0.3
    medium_threshold: Annotated[Share, Meta(description="From here on it is medium.")] = 0.6
    high_threshold: Annotated[Share, Meta(description="From here on it is high.")] = 0.8
    critical_threshold: Annotated[Share, Meta(description="From here on it is critical.")] = 0.95

    def __post_init__(self) -> None:
        must_ascend(
            low_threshold=self.low_threshold,
            medium_threshold=self.medium_threshold,
            high_threshold=self.high_threshold,
            critical_threshold=self.critical_threshold,
        )


class RationalityThresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """The scores from which an action fits the goal and the steps before it."""

    high_threshold: Annotated[Share, Meta(description="From here on it fits well.")] = 0.8
    medium_threshold: Annotated[Share, Meta(description="From here on it fits.")] = 0.5
    low_threshold: Annotated[
        Share, Meta(description="From here on it fits badly; below, it does not fit.")
    ] = 0.3

    def __post_init__(self) -> None:
        must_ascend(
            low_threshold=self.low_threshold,
            medium_threshold=self.medium_threshold,
            high_threshold=self.high_threshold,
        )


class CustomRule(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of your own. It applies when an action meets all its conditions."""

    name: Annotated[str, Meta(description="The name of the rule in reviews.", min_length=1)]
    decision: Annotated[Decision, Meta(description="The decision about a matching action.")]
    says: Annotated[
        str, Meta(description="Why, in one sentence; the agent reads it.", min_length=1)
    ]
    instead: Annotated[str, Meta(description="A better way for the agent.")] = ""
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
        Meta(description="Condition: one of these regular expressions matches in the command."),
    ] = ()

    def __post_init__(self) -> None:
        if not (self.kinds or self.targets or self.tools or self.commands):
            raise ValueError(
                "a rule without a condition would apply to everything; "
                "give it kinds, targets, tools or commands"
            )


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rules apply."""

    builtin: Annotated[
        Literal["all", "essential", "none"],
        Meta(description="Built-in rules: all, only those against irreversible harm, or none."),
    ] = "all"
    custom_rules_path: Annotated[
        FilePath, Meta(description="A YAML file with more custom rules, under the key `rules`.")
    ] = ""
    custom: Annotated[tuple[CustomRule, ...], Meta(description="Your own rules.")] = ()
    disabled: Annotated[
        tuple[str, ...], Meta(description="Names of rules, built in or custom, to leave out.")
    ] = ()


class Cache(Struct, frozen=True, forbid_unknown_fields=True):
    """Parsed commands, kept for the next time. Handrail judges each action anew."""

    enabled: Annotated[bool, Meta(description="Whether Handrail keeps them.")] = True
    ttl_minutes: Annotated[float, Meta(description="How long Handrail keeps one.", gt=0)] = 5
    max_size: Annotated[int, Meta(description="How many it keeps.", ge=1)] = 1000


class Performance(Struct, frozen=True, forbid_unknown_fields=True):
    """How long a review may take."""

    max_review_time_ms: Annotated[
        float, Meta(description="A command that takes longer to read does not run.", gt=0)
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

    enabled: Annotated[bool, Meta(description="Whether Handrail reviews actions at all.")] = True
    mode: Annotated[
        Literal["blocking", "async"],
        Meta(
            description="blocking: every action waits until its verdict is on the disk; async: "
            "only risky ones do."
        ),
    ] = "blocking"
    max_file_operations: Annotated[
        int,
        Meta(description="How many file changes a run may make; 0: no limit.", ge=0),
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
    services: Annotated[
        dict[str, tuple[str, ...]],
        Meta(
            description="Hosts that secrets are meant for, by the names of their variables: "
            "`ACME_*: [api.acme.com]`. Handrail knows the big services, and those that a .env "
            "file names beside the secret."
        ),
    ] = {}


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """How much one run may do. Handrail refuses everything beyond. 0: no limit."""

    actions: Annotated[int, Meta(description="Actions in one run.", ge=0)] = 0
    minutes: Annotated[
        float,
        Meta(
            description="Minutes since the run began, without the time a person held it.",
            ge=0,
        ),
    ] = 0
    tokens: Annotated[
        int,
        Meta(description="Tokens that the run reads and writes, its sub-agents too.", ge=0),
    ] = 0
    cost_usd: Annotated[
        float,
        Meta(
            description="US dollars, by the host's own figure or by `prices`. A cost that nobody "
            "knows limits nothing.",
            ge=0,
        ),
    ] = 0
    memory_mb: Annotated[
        float,
        Meta(
            description="Megabytes of memory that the agent and all processes below it use. Above "
            "it, the agent may only read and end processes.",
            ge=0,
        ),
    ] = 0


class Log(Struct, frozen=True, forbid_unknown_fields=True):
    """The log of all runs."""

    keep_days: Annotated[
        int, Meta(description="Handrail forgets runs that ended longer ago; 0: never.", ge=0)
    ] = 30


@decodable
class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings of Handrail."""

    goal: Annotated[str, Meta(description="The agent's task, in one sentence.")] = ""
    scope: Annotated[
        tuple[Place, ...],
        Meta(
            description="Folders or globs the agent may change, besides the temp folders. Empty: "
            "the git work tree around the current folder, or that folder."
        ),
    ] = ()
    protected: Annotated[tuple[Glob, ...], Meta(description="More files nobody may change.")] = ()
    secrets: Annotated[tuple[Glob, ...], Meta(description="More files with secrets.")] = ()
    regenerable: Annotated[
        tuple[Glob, ...],
        Meta(description="More files a build makes again, so an agent may delete them."),
    ] = ()
    hosts: Hosts = Hosts()
    programs: Annotated[
        dict[str, Program],
        Meta(description="Facts about programs, added to those Handrail knows."),
    ] = {}
    attended: Annotated[
        Literal["auto", "always", "never"],
        Meta(
            description="Whether a person can be asked before a refusal. auto: in a terminal "
            "session with a permission mode that asks."
        ),
    ] = "auto"
    on_fault: Annotated[
        Literal["deny", "deny_all", "warn"],
        Meta(
            description="When Handrail itself fails. deny: refuse actions that change something; "
            "deny_all: refuse all; warn: let all run and say so every time."
        ),
    ] = "deny"
    limits: Limits = Limits()
    prices: Annotated[
        dict[str, ModelPrice],
        Meta(
            description="What the tokens of a model cost, where the host does not tell. The names "
            "may have stars: `*-sonnet-*`."
        ),
    ] = {}
    log: Log = Log()
    step_reviewer: StepReviewer = StepReviewer()
    detection: Detection = Detection()
    interventions: Interventions = Interventions()
    checkpoints: Checkpoints = Checkpoints()
    trash: Trash = Trash()
    control: Control = Control()
    approvals: Approvals = Approvals()
    notify: Notify = Notify()
    panel: PanelSettings = PanelSettings()
    judge: Judge = Judge()
    fleet: Fleet = Fleet()
    desktop: Desktop = Desktop()


class RulesFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file at `custom_rules_path`."""

    rules: Annotated[tuple[CustomRule, ...], Meta(description="Your own rules.")] = ()
