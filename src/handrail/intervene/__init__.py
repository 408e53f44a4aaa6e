"""Findings → interventions: five kinds, a controller that chooses, and what became of them."""

from handrail.intervene.capability import Capability
from handrail.intervene.draft import Draft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import Situation
from handrail.model.past import Made, Past

__all__ = ["Capability", "Draft", "InterventionKind", "Made", "Past", "Situation"]
