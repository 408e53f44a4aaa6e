"""Guidance: a hint about the finding, with another way to try."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import RunSituation
from handrail.intervene.wording import Fields, fields_for, fill_text, fresh_text
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName

if TYPE_CHECKING:
    from handrail.config.interventions import Interventions
    from handrail.detect.description import FindingDescription

MAX_HINT = 500
AGAIN = (
    "{nth} hint about the same sort of trouble, at step {step}: {says} The hints so far did not "
    "help, so do not look for another one: write down what you tried, say that it did not work, "
    "and stop with that report, or ask."
)
"""After the last hint; {nth} and {step} make it a new text each time."""
_UNHEARD = "The host takes no text for the agent, so only a person can read this."


def _soft_correction(
    finding: Finding, at: RunSituation, about: "FindingDescription", _settings: "Interventions"
) -> InterventionDraft:
    limits = "" if Capability.INJECT in at.can else _UNHEARD
    return InterventionDraft(_hint(finding, at, about.hints), limits=limits)


def _hint(finding: Finding, at: RunSituation, hints: Sequence[str]) -> str:
    """Return the next hint for this kind of finding."""
    given = sum(
        made.kind == finding.kind and made.means == InterventionName.SOFT_CORRECTION
        for made in at.past.made
    )
    fields = fields_for(finding, at, given + 1)
    usable = _filled(hints, fields)
    for text in (*usable[given:], *_filled((AGAIN,), fields)):
        if not at.past.was_told(text):
            return text
    return fresh_text(finding.says or finding.kind, at, MAX_HINT)


def _filled(texts: Sequence[str], fields: Fields) -> list[str]:
    return [text for template in texts if (text := fill_text(template, fields, MAX_HINT))]


KIND = InterventionKind(
    name=InterventionName.SOFT_CORRECTION,
    label="guidance",
    done="guidance sent",
    does="Sends the agent a hint of at most 500 characters: the finding, its steps, and another "
    "way to try. Never the same text twice in a run.",
    otherwise="Only a person sees it.",
    uses=(Capability.INJECT,),
    make=_soft_correction,
)
