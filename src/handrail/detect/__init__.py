"""Many actions: patterns of trouble, each an incremental fold over what the agent does."""

from handrail.detect.deed import Deed, Ending, deed_of
from handrail.detect.description import GO_BACK, SLOW_DOWN, Advice, Description, Fitting
from handrail.detect.detector import Detector
from handrail.detect.watch import Watch
from handrail.model.intent import Intent, intent_of

__all__ = [
    "GO_BACK",
    "SLOW_DOWN",
    "Advice",
    "Deed",
    "Description",
    "Detector",
    "Ending",
    "Fitting",
    "Intent",
    "Watch",
    "deed_of",
    "intent_of",
]
