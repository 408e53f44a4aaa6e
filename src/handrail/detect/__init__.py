"""Detectors: patterns over many actions that show a run going wrong."""

from handrail.detect.completed_step import CompletedStep, Ending, completed_step
from handrail.detect.description import (
    GO_BACK,
    SLOW_DOWN,
    Advice,
    FindingDescription,
    FittingInterventions,
)
from handrail.detect.detector import Detector
from handrail.detect.run_detectors import RunDetectors
from handrail.detect.usage_sample import UsageSample
from handrail.model.intent import Intent, intent_of

__all__ = [
    "GO_BACK",
    "SLOW_DOWN",
    "Advice",
    "CompletedStep",
    "Detector",
    "Ending",
    "FindingDescription",
    "FittingInterventions",
    "Intent",
    "RunDetectors",
    "UsageSample",
    "completed_step",
    "intent_of",
]
