"""Choose the next place on the ladder of fitting interventions."""

from collections.abc import Callable, Sequence

import msgspec

from handrail.config.interventions import Strategy as Settings
from handrail.detect.description import FindingDescription, FittingInterventions
from handrail.intervene.effectiveness import success_rate
from handrail.intervene.score import LADDER, level_of, score_of
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import PastIntervention
from handrail.model.ordinal import Severity

_PLACE_OF_LEVEL = (0, 1, 1, 2, 3)
_PLACES = {severity: place for place, severity in enumerate(list(Severity)[1:])}


class StrategyCase(msgspec.Struct, frozen=True):
    """One finding, its fitting interventions, and those tried."""

    finding: Finding
    about: FindingDescription
    """The description of its kind."""
    fitting: FittingInterventions
    tried: tuple[PastIntervention, ...]
    """Interventions against this finding, the newest last."""
    made: Sequence[PastIntervention] = ()
    """All interventions of the run so far."""

    @property
    def fruitless(self) -> tuple[PastIntervention, ...]:
        """Return the interventions without effect since the last success."""
        helped = max((i for i, made in enumerate(self.tried) if made.worked), default=-1)
        return tuple(made for made in self.tried[helped + 1 :] if made.worked is False)

    @property
    def score(self) -> float:
        """Return the required strength of an intervention."""
        return score_of(self.finding, len(self.fruitless))

    @property
    def reached(self) -> int:
        """Return the strongest place on the ladder that did not help; -1: none was tried.

        A rollback that put no file back was only a plan: a real one may still help.
        """
        means = self.fitting.means
        return max(
            (means.index(m.means) - _is_mere_plan(m) for m in self.fruitless if m.means in means),
            default=-1,
        )


def _is_mere_plan(made: PastIntervention) -> bool:
    return made.means == InterventionName.CHECKPOINT_ROLLBACK and not made.checkpoint


class LadderTarget(msgspec.Struct, frozen=True):
    """The target place on the ladder of fitting interventions."""

    place: int
    least: int = 0
    """The least place, because milder ones did not help."""


Pick = Callable[[StrategyCase, Settings], LadderTarget]


def progressive_strategy(case: StrategyCase, settings: Settings) -> LadderTarget:
    """Choose by score: one step milder after a success, one step stronger after a failure."""
    place = _place(case, case.score)
    judged = [made for made in case.tried if made.worked is not None]
    if not judged or judged[-1].means not in case.fitting.means:
        return LadderTarget(place)
    last = judged[-1]
    helps = success_rate(case.made, last.means, last.kind) >= settings.effectiveness_threshold
    if last.worked:
        return LadderTarget(max(place - helps, 0))
    least = case.reached
    if helps:  # a usual success: repeat it in other words before something stronger
        return LadderTarget(max(_place(case, score_of(case.finding)), least), least)
    return LadderTarget(max(place, least + 1), least + 1)


def pattern_specific_strategy(case: StrategyCase, settings: Settings) -> LadderTarget:
    """Choose by severity: one of the kind's four interventions, past those that failed."""
    wanted = case.fitting.places[_PLACES.get(case.finding.severity, 0)]
    place = case.fitting.means.index(wanted)
    least = case.reached + 1
    return LadderTarget(max(place, least), least)


STRATEGIES: dict[str, Pick] = {
    "progressive": progressive_strategy,
    "pattern_specific": pattern_specific_strategy,
}


def _place(case: StrategyCase, score: float) -> int:
    """Return the strongest fitting intervention for a score; at least the mildest."""
    level, means = level_of(score), case.fitting.means
    if not set(means) <= set(LADDER):
        # Only the place in the user's row tells the strength of their own intervention.
        return means.index(case.fitting.places[_PLACE_OF_LEVEL[level]])
    fitting = [place for place, name in enumerate(means) if LADDER.index(name) <= level]
    return max(fitting, default=0)
