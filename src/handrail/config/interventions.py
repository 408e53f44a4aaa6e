"""The `interventions` section of `handrail.yaml`.

Nothing reads it yet: it takes effect with live supervision. It is here in full so that a
file written now is checked now, and stays valid.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.texts import FilePath

Factor = Annotated[float, Meta(gt=0, le=1)]


class SoftCorrection(Struct, frozen=True, forbid_unknown_fields=True):
    """Guidance in the agent's conversation."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_attempts: Annotated[
        int, Meta(description="How often, before something stronger is tried.", ge=1)
    ] = 3
    custom_prompts_path: Annotated[
        FilePath, Meta(description="A YAML file with your own texts, by finding.")
    ] = ""


class ContextReinforcement(Struct, frozen=True, forbid_unknown_fields=True):
    """The task, its constraints and boundaries said again."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    reinforcement_strength: Annotated[
        Literal["light", "medium", "strong"], Meta(description="How much is said again.")
    ] = "medium"
    include_examples: Annotated[bool, Meta(description="Whether with examples.")] = True


class ReductionFactors(Struct, frozen=True, forbid_unknown_fields=True):
    """What a limit is multiplied by."""

    moderate: Annotated[Factor, Meta(description="Growth above 1.2 per sample.")] = 0.85
    aggressive: Annotated[Factor, Meta(description="Growth above 1.5.")] = 0.7
    severe: Annotated[Factor, Meta(description="Growth above 2.")] = 0.5


class ResourceThrottling(Struct, frozen=True, forbid_unknown_fields=True):
    """Lower limits on files, memory, tokens and time."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    reduction_factors: ReductionFactors = ReductionFactors()
    metrics_window_seconds: Annotated[
        int, Meta(description="Over which time growth is measured.", ge=1)
    ] = 60


class SafeCheckpointCriteria(Struct, frozen=True, forbid_unknown_fields=True):
    """What makes a checkpoint one to go back to."""

    min_success_rate: Annotated[
        float, Meta(description="Share of actions before it that worked.", ge=0, le=1)
    ] = 0.8
    no_errors_duration_seconds: Annotated[
        int, Meta(description="How long before it nothing failed.", ge=0)
    ] = 60


class CheckpointRollback(Struct, frozen=True, forbid_unknown_fields=True):
    """Files, conversation and state put back to before the trouble began."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    max_rollback_depth: Annotated[
        int, Meta(description="How many checkpoints back at most.", ge=1)
    ] = 3
    checkpoint_retention_minutes: Annotated[
        int, Meta(description="How long checkpoints are kept.", ge=1)
    ] = 30
    safe_checkpoint_criteria: SafeCheckpointCriteria = SafeCheckpointCriteria()


class EmergencyStop(Struct, frozen=True, forbid_unknown_fields=True):
    """The agent stopped for certain, and an incident saved."""

    enabled: Annotated[bool, Meta(description="Whether it is used.")] = True
    auto_cleanup: Annotated[
        bool, Meta(description="Whether the run's temporary files are removed.")
    ] = False
    notification_channels: Annotated[
        tuple[str, ...], Meta(description="Who is told: `email`, `slack` …")
    ] = ()
    preserve_incident_data_days: Annotated[
        int, Meta(description="How long incidents are kept.", ge=1)
    ] = 30


class Strategy(Struct, frozen=True, forbid_unknown_fields=True):
    """How the next intervention is chosen."""

    type: Annotated[
        Literal["progressive", "pattern_specific", "custom"],
        Meta(description="By effect so far, by the kind of finding, or by your own code."),
    ] = "progressive"
    effectiveness_threshold: Annotated[
        float, Meta(description="Below this, something stronger is tried.", ge=0, le=1)
    ] = 0.6
    escalation_delay_seconds: Annotated[
        int, Meta(description="How long an intervention has to show effect.", ge=0)
    ] = 120


class Interventions(Struct, frozen=True, forbid_unknown_fields=True):
    """What is done about a run that goes wrong. Takes effect with live supervision."""

    enabled: Annotated[bool, Meta(description="Whether anything is done.")] = True
    max_interventions_per_execution: Annotated[
        int, Meta(description="How many in one run at most.", ge=1)
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
