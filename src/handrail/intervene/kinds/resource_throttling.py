"""Lower limits for a run that uses more and more."""

from typing import TYPE_CHECKING

import msgspec

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import CurrentUsage, RunSituation
from handrail.intervene.wording import fields_for, fresh_text
from handrail.model.finding import Finding
from handrail.model.intervention import Allowance, InterventionName

if TYPE_CHECKING:
    from handrail.config.interventions import Interventions, ReductionFactors
    from handrail.detect.description import FindingDescription

MAX_NOTICE = 700
_WINDOWS = 10
"""Windows that a budget covers at the lower rate."""


class ThrottledResource(msgspec.Struct, frozen=True):
    """One limit."""

    name: str
    """Its name in the allowance and in the usage."""
    series: str
    """The name of its growth among a finding's facts; empty: nobody measures it."""
    needs: Capability
    """The host needs this capability."""
    least: int
    """The lowest limit: a run that can do nothing is not throttled, but stopped."""
    usual: float
    """The base of the cut if the use is unknown."""
    says: str
    windows: int = 1


_FILES = "file_operations"
PARTS = (
    ThrottledResource("calls_per_minute", "calls", Capability.DENY, 4, 30, "{} calls a minute"),
    ThrottledResource(_FILES, _FILES, Capability.DENY, 20, 20, "{} more file changes", _WINDOWS),
    ThrottledResource(
        "command_seconds", "time", Capability.REWRITE, 10, 120, "{} s for one command"
    ),
    ThrottledResource("memory_mb", "memory", Capability.LIMIT, 256, 2048, "{} MB of memory"),
    ThrottledResource(
        "tokens", "tokens", Capability.METER, 10_000, 50_000, "{} more tokens", _WINDOWS
    ),
    ThrottledResource("batch", "", Capability.DENY, 1, 4, "{} at the same time"),
)
_BY_SERIES = {part.series: part for part in PARTS if part.series}
_ALWAYS = ("calls_per_minute", "batch")
"""The limits to cut if no growth is known."""
_ADVICE = (
    "Handrail refuses everything above this. Do less at once: one piece, look at its result, "
    "then the next."
)


def _resource_throttling(
    finding: Finding, at: RunSituation, _about: "FindingDescription", settings: "Interventions"
) -> InterventionDraft:
    """Draft an allowance below the use of the run, and the notice about it."""
    factors = settings.resource_throttling.reduction_factors
    cuts = {part: _factor(growth, factors) for part, growth in growth_of(finding).items()}
    if not any(part.needs in at.can for part in cuts):
        # The growing resource cannot be limited here, but its speed can.
        cuts |= {part: factors.moderate for part in PARTS if part.name in _ALWAYS}
    allowance = at.allowance or Allowance()
    for part, factor in cuts.items():
        if part.needs in at.can:
            lower = _lowered(part, factor, allowance, at.usage)
            allowance = msgspec.structs.replace(allowance, **{part.name: lower})
    unkept = [part for part in cuts if part.needs not in at.can]
    notice = f"{fields_for(finding, at)['says']} From now on: {_in_words(allowance)}. {_ADVICE}"
    return InterventionDraft(fresh_text(notice, at, MAX_NOTICE), allowance, limits=_limits(unkept))


def growth_of(finding: Finding) -> dict[ThrottledResource, float]:
    """Return the growing limits, and their growth from one sample to the next."""
    if "series" not in finding.facts:
        return {}
    return {
        part: _number(finding.facts[series])
        for series, part in _BY_SERIES.items()
        if series in finding.facts
    }


def _factor(growth: float, factors: "ReductionFactors") -> float:
    steps = ((2.0, factors.severe), (1.5, factors.aggressive), (1.2, factors.moderate))
    return next((factor for above, factor in steps if growth > above), 1.0)


def _lowered(
    part: ThrottledResource, factor: float, allowance: Allowance, usage: CurrentUsage
) -> int:
    current: int = getattr(allowance, part.name)
    used: float = getattr(usage, part.name)
    base = current or (used or part.usual) * part.windows
    lower = max(int(base * factor), part.least)
    return min(lower, current) if current else lower


def _in_words(allowance: Allowance) -> str:
    limits = [
        part.says.format(f"{getattr(allowance, part.name):,}")
        for part in PARTS
        if getattr(allowance, part.name)
    ]
    return ", ".join(limits) or "no new limits"


def _limits(unkept: list[ThrottledResource]) -> str:
    if not unkept:
        return ""
    names = ", ".join(part.name.replace("_", " ") for part in unkept)
    return f"This host lets Handrail set no limit on: {names}."


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


KIND = InterventionKind(
    name=InterventionName.RESOURCE_THROTTLING,
    label="lower limits",
    does="Lowers the limits of the run, refuses calls beyond them, and gives commands less time "
    "and memory.",
    otherwise="Handrail sets the possible limits only; without any, it skips it.",
    uses=tuple(dict.fromkeys(part.needs for part in PARTS)),
    always=False,
    strength=0.5,
    make=_resource_throttling,
)
