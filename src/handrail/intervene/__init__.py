"""Interventions: five kinds, a controller that chooses, and their measured effect."""

from handrail.intervene.capability import Capability
from handrail.intervene.draft import Draft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import Situation
from handrail.model.intervention_history import InterventionHistory, PastIntervention

__all__ = [
    "Capability",
    "Draft",
    "InterventionHistory",
    "InterventionKind",
    "PastIntervention",
    "Situation",
]
