"""The `interventions` section of `handrail.yaml`: what is done about a run that goes wrong."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.text_values import FilePath, FindingKind, MeansName

Factor = Annotated[float, Meta(gt=0, le=1)]


class SoftCorrection(Struct, frozen=True, forbid_unknown_fields=True):
    """A hint in the agent's conversation: what was seen, and what to try instead."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often against the same trouble in one run.", ge=1)
    ] = 3
    custom_prompts_path: Annotated[
        FilePath,
        Meta(
            description="A YAML file with your own texts: lists by kind of finding, with fields "
            "such as `{error}`. They come before the built-in ones."
        ),
    ] = ""


class ContextReinforcement(Struct, frozen=True, forbid_unknown_fields=True):
    """The task, its constraints and its boundaries said again."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often against the same trouble in one run.", ge=1)
    ] = 2
    reinforcement_strength: Annotated[
        Literal["light", "medium", "strong"],
        Meta(
            description="How much is said again. light: the request and the constraint that "
            "matters now; medium: boundaries and goals too; strong: everything, and the agent is "
            "asked to say how its next step serves the request."
        ),
    ] = "medium"
    constraints: Annotated[
        tuple[str, ...],
        Meta(description="What the agent must keep to, one sentence each."),
    ] = ()
    include_examples: Annotated[
        bool, Meta(description="Whether an example of a better next step is given; not if light.")
    ] = True


class ReductionFactors(Struct, frozen=True, forbid_unknown_fields=True):
    """What a limit is multiplied by, by how much the use grew from one sample to the next."""

    moderate: Annotated[
        Factor, Meta(description="Growth above 1.2, or trouble that is no growth.")
    ] = 0.85
    aggressive: Annotated[Factor, Meta(description="Growth above 1.5.")] = 0.7
    severe: Annotated[Factor, Meta(description="Growth above 2.")] = 0.5


class ResourceThrottling(Struct, frozen=True, forbid_unknown_fields=True):
    """Lower limits on calls, file changes, time, memory and tokens."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often against the same trouble in one run.", ge=1)
    ] = 3
    reduction_factors: ReductionFactors = ReductionFactors()
    metrics_window_seconds: Annotated[
        int,
        Meta(
            description="Over which time the use of a run is measured; file changes and tokens "
            "are limited to what is left of ten such windows.",
            ge=1,
        ),
    ] = 60


class SafeCheckpointCriteria(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes a checkpoint one to go back to."""

    min_success_rate: Annotated[
        float, Meta(description="Share of the last 10 actions before it that worked.", ge=0, le=1)
    ] = 0.8
    no_errors_duration_seconds: Annotated[
        int, Meta(description="How long before it nothing failed.", ge=0)
    ] = 60


class CheckpointRollback(Struct, frozen=True, forbid_unknown_fields=True):
    """The files put back to before the trouble began."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often against the same trouble in one run.", ge=1)
    ] = 2
    max_rollback_depth: Annotated[
        int,
        Meta(
            description="How many checkpoints from before the trouble are looked at, the newest "
            "first.",
            ge=1,
        ),
    ] = 3
    checkpoint_retention_minutes: Annotated[
        int, Meta(description="No checkpoint is gone back to that is older.", ge=1)
    ] = 30
    safe_checkpoint_criteria: SafeCheckpointCriteria = SafeCheckpointCriteria()


class EmergencyStop(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent stopped for certain, and an incident saved."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    preserve_incident_data_days: Annotated[
        int,
        Meta(
            description="How long incidents are kept. Counts in your own settings only; a "
            "project's file does not change it.",
            ge=1,
        ),
    ] = 30


class Strategy(Struct, frozen=True, forbid_unknown_fields=True):
    """How the next intervention is chosen, and when the last one is judged."""

    type: Annotated[
        Literal["progressive", "pattern_specific", "custom"],
        Meta(
            description="By the score and the effect so far; by the kind and severity of the "
            "finding; or by your own code."
        ),
    ] = "progressive"
    custom: Annotated[
        str,
        Meta(description="With `type: custom`: its name among the entry points."),
    ] = ""
    patterns: Annotated[
        dict[FindingKind, tuple[MeansName, ...]],
        Meta(
            description="What fits a kind of finding: four means, for low, medium, high and "
            "critical; built-in ones or those of a package of your own. `default` stands for all "
            "kinds that are not listed."
        ),
    ] = {}
    effectiveness_threshold: Annotated[
        float,
        Meta(
            description="A means that helped in a smaller share of cases is followed by a "
            "stronger one.",
            ge=0,
            le=1,
        ),
    ] = 0.6
    escalation_delay_seconds: Annotated[
        int, Meta(description="How long an intervention has to show effect …", ge=0)
    ] = 120
    escalation_delay_actions: Annotated[
        int, Meta(description="… or how many actions, whichever comes first.", ge=1)
    ] = 3
    effect_actions: Annotated[
        int, Meta(description="It helped if the trouble is gone after so many actions.", ge=1)
    ] = 5

    def __post_init__(self) -> None:
        if self.type == "custom" and not self.custom:
            raise ValueError("type custom needs the name of a strategy under the key custom")
        for kind, means in self.patterns.items():
            if len(means) != 4:
                raise ValueError(
                    f"patterns.{kind} needs four means, for low, medium, high and critical; "
                    f"it has {len(means)}"
                )


class Interventions(Struct, frozen=True, forbid_unknown_fields=True):
    """What is done about a run that goes wrong, by the mildest means that works."""

    enabled: Annotated[bool, Meta(description="Whether anything is done.")] = True
    max_interventions_per_execution: Annotated[
        int, Meta(description="How many in one run at most; a stop always stops.", ge=1)
    ] = 10
    intervention_cooldown_seconds: Annotated[
        int, Meta(description="Time between two of them; a stop does not wait.", ge=0)
    ] = 30
    soft_correction: SoftCorrection = SoftCorrection()
    context_reinforcement: ContextReinforcement = ContextReinforcement()
    resource_throttling: ResourceThrottling = ResourceThrottling()
    checkpoint_rollback: CheckpointRollback = CheckpointRollback()
    emergency_stop: EmergencyStop = EmergencyStop()
    strategy: Strategy = Strategy()
