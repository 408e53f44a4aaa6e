"""List the interventions that are left for one finding, in the order to try them."""

import math
from collections.abc import Iterator, Mapping

import msgspec

from handrail.config.interventions import Interventions
from handrail.intervene.kind import InterventionKind
from handrail.intervene.score import LADDER, level_of, score_of
from handrail.intervene.situation import RunSituation
from handrail.intervene.strategy import LadderTarget, StrategyCase
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity

STOP = InterventionName.EMERGENCY_STOP
_ENOUGH = 2
"""Interventions without effect before a stop, unless each further action can do harm."""


class Candidates(msgspec.Struct, frozen=True):
    """The interventions still possible against a finding, by settings, host and history."""

    case: StrategyCase
    at: RunSituation
    settings: Interventions
    kinds: Mapping[str, InterventionKind]

    @property
    def stops_at_once(self) -> bool:
        """Return whether each further action can do harm, so that nothing milder comes first."""
        least, finding = self.case.fitting.at_once, self.case.finding
        is_harmful = least is not None and finding.severity >= least
        return is_harmful and _calls_for_stop(score_of(finding)) and self._has_stop

    @property
    def budget_spent(self) -> bool:
        """Return whether the run has had its maximum of interventions; stops do not count."""
        made = sum(made.means != STOP for made in self.at.past.made)
        return made >= self.settings.max_interventions_per_execution

    def options(self, aim: LadderTarget) -> list[str]:
        """Return names of interventions, the first choice first; a stop is always alone."""
        case, spent = self.case, self.budget_spent
        left = [] if spent else [name for name in self._by_aim(aim) if self.usable(name)]
        if left:
            return left
        # Only escalation raises the score of a lesser finding: without evidence that it gets worse,
        # or that nothing changes, such a run is never stopped, however long it lasts.
        may_stop = (
            self._has_stop
            and case.finding.severity >= Severity.HIGH
            and _calls_for_stop(case.score)
            and not (self._heeds_hints() if spent else self._was_mild())
        )
        if not spent and case.fruitless and not (may_stop and len(case.fruitless) >= _ENOUGH):
            same = case.fruitless[-1].means
            if self.usable(same):
                return [same]
        return [STOP] if may_stop else []

    def usable(self, name: str) -> bool:
        """Return whether an intervention exists, is enabled, has tries left and suits the host."""
        if name not in self.kinds or not self.kinds[name].has_power(self.at.can):
            return False
        wanted = getattr(self.settings, name, None) if name in LADDER else None
        if wanted is None:
            return True
        tries = sum(made.means == name for made in self.case.tried)
        return wanted.enabled and tries < getattr(wanted, "max_attempts", math.inf)

    def _was_mild(self) -> bool:
        """Return whether little was tried since the finding became more than low.

        An agent that waits for something long hears of it often enough, and does no harm.
        """
        tried = sum(made.severity >= Severity.MEDIUM for made in self.case.fruitless)
        return self.case.finding.severity < Severity.CRITICAL and tried < _ENOUGH

    def _heeds_hints(self) -> bool:
        """Return whether the agent usually heeds hints: then a spent budget is no reason to stop.

        Ten hints are few in a session of days.
        """
        judged = [made.worked for made in self.at.past.made if made.worked is not None]
        return self.case.finding.severity < Severity.CRITICAL and 2 * sum(judged) > len(judged)

    def _by_aim(self, aim: LadderTarget) -> Iterator[str]:
        """Yield first the aim, then milder ones that have not failed, then stronger ones."""
        means = self.case.fitting.means
        milder = range(min(aim.place, len(means) - 1), aim.least - 1, -1)
        stronger = range(aim.place + 1, len(means))
        return (means[place] for place in (*milder, *stronger) if means[place] != STOP)

    @property
    def _has_stop(self) -> bool:
        return STOP in self.case.fitting.means and self.settings.emergency_stop.enabled


def _calls_for_stop(score: float) -> bool:
    return level_of(score) == len(LADDER) - 1
