"""The `interventions` section of `handrail.yaml`: how Handrail corrects a run gone wrong."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.text_values import FilePath, FindingKind, MeansName

Factor = Annotated[float, Meta(gt=0, le=1)]


class SoftCorrection(Struct, frozen=True, forbid_unknown_fields=True):
    """A hint in the agent's conversation: the trouble, and a better next step."""

    enabled: Annotated[bool, Meta(description="Whether Handrail uses it.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often to use it against the same trouble in one run.", ge=1)
    ] = 3
    custom_prompts_path: Annotated[
        FilePath,
        Meta(
            description="A YAML file with your own texts: lists by kind of finding, with fields "
            "such as `{error}`. Handrail uses them before its own."
        ),
    ] = ""


class ContextReinforcement(Struct, frozen=True, forbid_unknown_fields=True):
    """A reminder of the task, its constraints and its boundaries."""

    enabled: Annotated[bool, Meta(description="Whether Handrail uses it.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often to use it against the same trouble in one run.", ge=1)
    ] = 2
    reinforcement_strength: Annotated[
        Literal["light", "medium", "strong"],
        Meta(
            description="How much the reminder says. light: the request and the most important "
            "constraint; medium: boundaries and goals too; strong: everything, and "
            "the agent must say how its next step serves the request."
        ),
    ] = "medium"
    constraints: Annotated[
        tuple[str, ...],
        Meta(description="Constraints for the agent, one sentence each."),
    ] = ()
    include_examples: Annotated[
        bool, Meta(description="Whether to add an example of a better next step; never with light.")
    ] = True


class ReductionFactors(Struct, frozen=True, forbid_unknown_fields=True):
    """Factors for limits, by the growth of use from one sample to the next."""

    moderate: Annotated[
        Factor, Meta(description="Growth above 1.2, or trouble without growth.")
    ] = 0.85
    aggressive: Annotated[Factor, Meta(description="Growth above 1.5.")] = 0.7
    severe: Annotated[Factor, Meta(description="Growth above 2.")] = 0.5


class ResourceThrottling(Struct, frozen=True, forbid_unknown_fields=True):
    """Lower limits on calls, file changes, time, memory and tokens."""

    enabled: Annotated[bool, Meta(description="Whether Handrail uses it.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often to use it against the same trouble in one run.", ge=1)
    ] = 3
    reduction_factors: ReductionFactors = ReductionFactors()
    metrics_window_seconds: Annotated[
        int,
        Meta(
            description="The time over which Handrail measures the use of a run. File changes and "
            "tokens are limited to the remainder of ten such windows.",
            ge=1,
        ),
    ] = 60


class SafeCheckpointCriteria(Struct, frozen=True, forbid_unknown_fields=True):
    """When a checkpoint is safe to go back to."""

    min_success_rate: Annotated[
        float, Meta(description="Share of successes in the last 10 actions before it.", ge=0, le=1)
    ] = 0.8
    no_errors_duration_seconds: Annotated[
        int, Meta(description="For how long before it no action failed.", ge=0)
    ] = 60


class CheckpointRollback(Struct, frozen=True, forbid_unknown_fields=True):
    """Put the files back to the state before the trouble."""

    enabled: Annotated[bool, Meta(description="Whether Handrail uses it.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often to use it against the same trouble in one run.", ge=1)
    ] = 2
    max_rollback_depth: Annotated[
        int,
        Meta(
            description="How many checkpoints from before the trouble to try, newest first.",
            ge=1,
        ),
    ] = 3
    checkpoint_retention_minutes: Annotated[
        int, Meta(description="Handrail goes back to no older checkpoint.", ge=1)
    ] = 30
    safe_checkpoint_criteria: SafeCheckpointCriteria = SafeCheckpointCriteria()


class EmergencyStop(Struct, frozen=True, forbid_unknown_fields=True):
    """Stop the agent for certain, and save an incident."""

    enabled: Annotated[bool, Meta(description="Whether Handrail uses it.")] = True
    auto_cleanup: Annotated[
        bool,
        Meta(
            description="Whether a stop also cleans up what the run has left: processes, its "
            "temporary files and worktrees, locks of git. They go to the trash. Otherwise an abort "
            "does it. Files of the work tree stay."
        ),
    ] = False
    preserve_incident_data_days: Annotated[
        int,
        Meta(
            description="How long Handrail keeps incidents. Only your own settings count here, "
            "not a project's file.",
            ge=1,
        ),
    ] = 30


class Strategy(Struct, frozen=True, forbid_unknown_fields=True):
    """How Handrail chooses the next intervention, and when it judges the last one."""

    type: Annotated[
        Literal["progressive", "pattern_specific", "custom"],
        Meta(
            description="progressive: by the score and the effect so far; pattern_specific: by "
            "the kind and severity of the finding; custom: by your own code."
        ),
    ] = "progressive"
    custom: Annotated[
        str,
        Meta(description="With `type: custom`: the name of its entry point."),
    ] = ""
    patterns: Annotated[
        dict[FindingKind, tuple[MeansName, ...]],
        Meta(
            description="Interventions for a kind of finding: four, for low, medium, high and "
            "critical; built-in or from a package of your own. `default` stands for "
            "all other kinds."
        ),
    ] = {}
    effectiveness_threshold: Annotated[
        float,
        Meta(
            description="If an intervention helped less often, a stronger one follows.",
            ge=0,
            le=1,
        ),
    ] = 0.6
    escalation_delay_seconds: Annotated[
        int, Meta(description="How long an intervention has time to work …", ge=0)
    ] = 120
    escalation_delay_actions: Annotated[
        int, Meta(description="… or for how many actions; the earlier one counts.", ge=1)
    ] = 3
    effect_actions: Annotated[
        int, Meta(description="If the trouble stays away for so many actions, it helped.", ge=1)
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
    """How Handrail corrects a run gone wrong, with the mildest means that works."""

    enabled: Annotated[bool, Meta(description="Whether Handrail intervenes at all.")] = True
    max_interventions_per_execution: Annotated[
        int, Meta(description="How many in one run at most; a stop always stops.", ge=1)
    ] = 10
    intervention_cooldown_seconds: Annotated[
        int, Meta(description="Time between two interventions; a stop does not wait …", ge=0)
    ] = 30
    intervention_cooldown_actions: Annotated[
        int, Meta(description="… or so many actions; the earlier one counts.", ge=1)
    ] = 5
    soft_correction: SoftCorrection = SoftCorrection()
    context_reinforcement: ContextReinforcement = ContextReinforcement()
    resource_throttling: ResourceThrottling = ResourceThrottling()
    checkpoint_rollback: CheckpointRollback = CheckpointRollback()
    emergency_stop: EmergencyStop = EmergencyStop()
    strategy: Strategy = Strategy()
