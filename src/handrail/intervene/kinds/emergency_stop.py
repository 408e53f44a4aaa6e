"""Emergency stop: ends a run that harms or cannot be helped."""

from typing import TYPE_CHECKING

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.incidents.record import incident_id
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import RunSituation
from handrail.intervene.wording import fields_for, fresh_text
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName

if TYPE_CHECKING:
    from handrail.config.interventions import Interventions
    from handrail.detect.description import FindingDescription

MAX_FAREWELL = 500


def _emergency_stop(
    finding: Finding, at: RunSituation, _about: "FindingDescription", _settings: "Interventions"
) -> InterventionDraft:
    """Draft the last message to the agent, with the number of the incident."""
    stops = sum(made.means == InterventionName.EMERGENCY_STOP for made in at.past.made)
    incident = incident_id(at.now, at.cwd, at.run, stops + 1)
    said = (
        f"This run is stopped: {fields_for(finding, at)['says']} Do nothing more. A person decides "
        f"how it goes on (incident {incident})."
    )
    return InterventionDraft(
        fresh_text(said, at, MAX_FAREWELL), incident=incident, limits=_limits(at)
    )


def _limits(at: RunSituation) -> str:
    if at.attended:
        return "The host's own window is left to the person at it; every call is refused."
    if Capability.END in at.can:
        return ""
    if Capability.STOP in at.can:
        return "This host ends the run itself; Handrail cannot end its processes."
    return "This host cannot be ended from here; every call is refused instead."


KIND = InterventionKind(
    name=InterventionName.EMERGENCY_STOP,
    label="emergency stop",
    phrase="a stop",
    does="Refuses every call, ends the run's processes, and saves an incident.",
    otherwise="Handrail refuses every call.",
    uses=(Capability.STOP, Capability.END),
    strength=0.9,
    make=_emergency_stop,
)
