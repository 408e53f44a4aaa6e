"""What is left to be done about one trouble, in the order in which it should be tried."""

import math
from collections.abc import Iterator, Mapping

from handrail.config.interventions import Interventions
from handrail.intervene.kind import InterventionKind
from handrail.intervene.score import LADDER, level_of, score_of
from handrail.intervene.situation import Situation
from handrail.intervene.strategy import LadderTarget, StrategyCase
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity

STOP = InterventionName.EMERGENCY_STOP
_ENOUGH = 2
"""Interventions without effect that a stop needs, unless each further action can do harm."""


def stops_at_once(case: StrategyCase, settings: Interventions) -> bool:
    """Whether each further action can do harm, so that nothing milder is tried first."""
    least = case.fitting.at_once
    return (
        least is not None
        and case.finding.severity >= least
        and _calls_for_stop(score_of(case.finding))
        and _has_stop(case, settings)
    )


def options(
    case: StrategyCase,
    aim: LadderTarget,
    at: Situation,
    settings: Interventions,
    kinds: Mapping[str, InterventionKind],
) -> list[str]:
    """Names of means, the first choice first; only a stop stands there alone."""
    spent = budget_spent(at, settings)
    left = (
        []
        if spent
        else [name for name in _by_aim(case, aim) if usable(name, case, at, settings, kinds)]
    )
    if left:
        return left
    # A low finding never stops a run, however long it goes on: its score comes from escalation.
    may_stop = (
        _has_stop(case, settings)
        and case.finding.severity >= Severity.MEDIUM
        and _calls_for_stop(case.score)
        and not (_can_be_helped(case, at) if spent else _was_mild(case))
    )
    if not spent and case.fruitless and not (may_stop and len(case.fruitless) >= _ENOUGH):
        same = case.fruitless[-1].means
        if usable(same, case, at, settings, kinds):
            return [same]
    return [STOP] if may_stop else []


def usable(
    name: str,
    case: StrategyCase,
    at: Situation,
    settings: Interventions,
    kinds: Mapping[str, InterventionKind],
) -> bool:
    """Whether a means is there, is switched on, has tries left, and has any power on the host."""
    if name not in kinds or not kinds[name].has_power(at.can):
        return False
    wanted = getattr(settings, name, None) if name in LADDER else None
    if wanted is None:
        return True
    tries = sum(made.means == name for made in case.tried)
    return wanted.enabled and tries < getattr(wanted, "max_attempts", math.inf)


def budget_spent(at: Situation, settings: Interventions) -> bool:
    """Whether the run has had as many interventions as it may have; stops are not counted."""
    made = sum(made.means != STOP for made in at.past.made)
    return made >= settings.max_interventions_per_execution


def _was_mild(case: StrategyCase) -> bool:
    """Whether hardly anything was tried since the trouble is more than low.

    Who waits long for something hears of it often enough, and does no harm.
    """
    tried = sum(made.severity >= Severity.MEDIUM for made in case.fruitless)
    return case.finding.severity < Severity.CRITICAL and tried < _ENOUGH


def _can_be_helped(case: StrategyCase, at: Situation) -> bool:
    """Whether what is left of a spent budget is that the agent heeds what it is told.

    In a session of days ten hints are few; the first trouble after them is no reason to end it.
    """
    judged = [made.worked for made in at.past.made if made.worked is not None]
    return case.finding.severity < Severity.CRITICAL and 2 * sum(judged) > len(judged)


def _by_aim(case: StrategyCase, aim: LadderTarget) -> Iterator[str]:
    """First what is aimed at, then milder ones that have not failed, then stronger ones."""
    means = case.fitting.means
    milder = range(min(aim.place, len(means) - 1), aim.least - 1, -1)
    stronger = range(aim.place + 1, len(means))
    return (means[place] for place in (*milder, *stronger) if means[place] != STOP)


def _has_stop(case: StrategyCase, settings: Interventions) -> bool:
    return STOP in case.fitting.means and settings.emergency_stop.enabled


def _calls_for_stop(score: float) -> bool:
    return level_of(score) == len(LADDER) - 1
