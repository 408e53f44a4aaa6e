"""Many actions: patterns of trouble, each an incremental fold over what the agent does."""

from handrail.detect.deed import Deed, Ending, deed_of
from handrail.detect.detector import Detector
from handrail.detect.watch import Watch
from handrail.model.intent import Intent, intent_of

__all__ = ["Deed", "Detector", "Ending", "Intent", "Watch", "deed_of", "intent_of"]
