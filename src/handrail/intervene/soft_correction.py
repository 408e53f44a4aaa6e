"""A hint: what was seen, and what to try instead."""

from collections.abc import Sequence

from handrail.config.prompts import Prompts
from handrail.intervene.capability import Capability
from handrail.intervene.draft import Draft
from handrail.intervene.situation import Situation
from handrail.intervene.wording import Fields, fields_for, fill, fresh, templates
from handrail.model.finding import Finding
from handrail.model.intervention import Means

MAX_HINT = 500
_AGAIN = "again"
_DEFAULT = "default"
_UNHEARD = "The host takes no text for the agent, so only a person can read this."


def soft_correction(finding: Finding, at: Situation, own: Prompts) -> Draft:
    """The next hint for this kind of trouble; `own` texts come before the built-in ones."""
    limits = "" if Capability.INJECT in at.can else _UNHEARD
    return Draft(_hint(finding, at, own), limits=limits)


def _hint(finding: Finding, at: Situation, own: Prompts) -> str:
    given = sum(
        made.kind == finding.kind and made.means == Means.SOFT_CORRECTION for made in at.past.made
    )
    fields = fields_for(finding, at, given + 1)
    usable = _filled(_texts(finding.kind, own), fields)
    again = _filled(templates("soft_correction")[_AGAIN], fields)
    for text in (*usable[given:], *again):
        if not at.past.knows(text):
            return text
    return fresh(finding.says or finding.kind, at, MAX_HINT)


def _texts(kind: str, own: Prompts) -> Sequence[str]:
    ours = templates("soft_correction")
    return (*own.get(kind, own.get(_DEFAULT, ())), *ours.get(kind, ours[_DEFAULT]))


def _filled(texts: Sequence[str], fields: Fields) -> list[str]:
    return [text for template in texts if (text := fill(template, fields, MAX_HINT))]
