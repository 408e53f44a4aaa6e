"""Handrail reviews what an AI agent is about to do, before it does it.

`Supervisor` is where to begin; docs/library.md explains all names. Each is loaded when it is used
first, so that `import handrail` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.checkpoint import CheckpointError, CheckpointRecord
    from handrail.config.detection import Detection
    from handrail.config.interventions import Interventions
    from handrail.detect import CompletedStep, Detector, FindingDescription, FittingInterventions
    from handrail.fleet.pipeline.result import (
        BlockedAction,
        PipelineResult,
        ReviewSummary,
        StepResult,
    )
    from handrail.intervene import Capability, InterventionDraft, InterventionKind, RunSituation
    from handrail.library.action import SupervisedAction
    from handrail.library.errors import (
        ActionBlockedError,
        ControlError,
        HandrailError,
        PipelineFileError,
        StartError,
        SupervisorClosedError,
    )
    from handrail.library.pipelines.execution import run_pipeline
    from handrail.library.supervisor import Supervisor
    from handrail.library.verdict import ActionVerdict, RestoredFiles
    from handrail.model.action import Action
    from handrail.model.effect import Effect, Kind
    from handrail.model.event import Event
    from handrail.model.finding import Finding
    from handrail.model.ordinal import Decision, Severity
    from handrail.model.program import Fact, Program
    from handrail.model.review import RuleHit
    from handrail.review import Rule
    from handrail.review.context import ReviewContext

__version__ = "0.1.0"

__all__ = [
    "Action",
    "ActionBlockedError",
    "ActionVerdict",
    "BlockedAction",
    "Capability",
    "CheckpointError",
    "CheckpointRecord",
    "CompletedStep",
    "ControlError",
    "Decision",
    "Detection",
    "Detector",
    "Effect",
    "Event",
    "Fact",
    "Finding",
    "FindingDescription",
    "FittingInterventions",
    "HandrailError",
    "InterventionDraft",
    "InterventionKind",
    "Interventions",
    "Kind",
    "PipelineFileError",
    "PipelineResult",
    "Program",
    "RestoredFiles",
    "ReviewContext",
    "ReviewSummary",
    "Rule",
    "RuleHit",
    "RunSituation",
    "Severity",
    "StartError",
    "StepResult",
    "SupervisedAction",
    "Supervisor",
    "SupervisorClosedError",
    "__version__",
    "run_pipeline",
]

_MODULES = {
    "checkpoint": "CheckpointError CheckpointRecord",
    "config.detection": "Detection",
    "config.interventions": "Interventions",
    "detect": "CompletedStep FindingDescription Detector FittingInterventions",
    "fleet.pipeline.result": "BlockedAction PipelineResult ReviewSummary StepResult",
    "intervene": "Capability InterventionDraft InterventionKind RunSituation",
    "library.action": "SupervisedAction",
    "library.errors": "ActionBlockedError ControlError HandrailError PipelineFileError"
    " StartError SupervisorClosedError",
    "library.pipelines.execution": "run_pipeline",
    "library.supervisor": "Supervisor",
    "library.verdict": "ActionVerdict RestoredFiles",
    "model.action": "Action",
    "model.effect": "Effect Kind",
    "model.event": "Event",
    "model.finding": "Finding",
    "model.ordinal": "Decision Severity",
    "model.program": "Fact Program",
    "model.review": "RuleHit",
    "review": "Rule",
    "review.context": "ReviewContext",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a public name when it is used first."""
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
