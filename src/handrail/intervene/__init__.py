"""Interventions: five kinds, a controller that chooses, and their measured effect."""

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import RunSituation
from handrail.model.intervention_history import InterventionHistory, PastIntervention

__all__ = [
    "Capability",
    "InterventionDraft",
    "InterventionHistory",
    "InterventionKind",
    "PastIntervention",
    "RunSituation",
]
