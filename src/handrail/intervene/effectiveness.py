"""Judge each intervention by the agent's next actions."""

from collections.abc import Iterable, Sequence

from handrail.config.interventions import Strategy
from handrail.intervene.situation import RunSituation
from handrail.model.event import InterventionJudged
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.intervention_history import PastIntervention


def judge_interventions(
    findings: Sequence[Finding], at: RunSituation, settings: Strategy
) -> list[InterventionJudged]:
    """Judge the interventions so far."""
    names = {finding.name for finding in findings}
    judged = []
    for made in at.past.made:
        if (
            made.worked is not None
            or made.agent != at.agent
            or made.means == InterventionName.EMERGENCY_STOP
        ):
            continue
        deeds = made.deeds
        if made.name in names:
            if had_its_time(made, at, settings):
                says = f"{_words(made)} did not help: the same was seen again {_later(deeds)}."
                judged.append(_judged(made, at, says, worked=False))
        elif deeds >= settings.effect_actions and made.tested:
            says = f"{_words(made)} helped: the same was not seen {_later(deeds)}."
            judged.append(_judged(made, at, says, worked=True))
    return judged


def _judged(
    made: PastIntervention, at: RunSituation, says: str, *, worked: bool
) -> InterventionJudged:
    return InterventionJudged(at.now, made.id, at.step, worked, says, made.means, made.kind)


def had_its_time(made: PastIntervention, at: RunSituation, settings: Strategy) -> bool:
    """Return whether an intervention had enough actions or time to show an effect."""
    # Time alone is not enough: a fast loop does a lot of nothing in two minutes.
    deeds, seconds = made.deeds, at.now - made.at
    return deeds >= settings.escalation_delay_actions or (
        deeds > 0 and seconds >= settings.escalation_delay_seconds
    )


def success_rate(made: Iterable[PastIntervention], means: str, kind: str) -> float:
    """Return the share of cases in which an intervention helped against a kind of finding.

    1 where nothing is known against it.
    """
    judged = [each.worked for each in made if (each.means, each.kind) == (means, kind)]
    known = [worked for worked in judged if worked is not None]
    return sum(known) / len(known) if known else 1.0


def _words(made: PastIntervention) -> str:
    return made.means.replace("_", " ").capitalize()


def _later(deeds: int) -> str:
    return f"{deeds} action{'' if deeds == 1 else 's'} later"
