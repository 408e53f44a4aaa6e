"""Findings with what was done about them, and the values of a run over time."""

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from handrail.api.messages.runs import RunSeries, SeriesMark
from handrail.api.messages.timeline import FindingRow, InterventionRow
from handrail.model import event as events
from handrail.model.event import Event
from handrail.words.interventions import done_in_words, effect_in_words, finding_in_words
from handrail.words.sentence import in_words

_MAX_TEXT = 2_000
_MAX_POINTS = 2_000
"""Points of a chart; of longer runs, every n-th is shown."""

NumberedEvent = tuple[int, Event]


class _OpenFinding(msgspec.Struct):
    row: FindingRow
    name: str
    made: dict[str, InterventionRow] = {}
    """By the intervention's id."""


def list_findings(story: Iterable[NumberedEvent]) -> list[FindingRow]:
    """Return the findings of a run, the latest first; the same trouble once, as it stands now."""
    found: dict[str, _OpenFinding] = {}
    for seq, event in story:
        match event:
            case events.FindingMade():
                name = event.finding.name
                before = found.pop(name, None)
                made = before.made if before else {}
                found[name] = _OpenFinding(_finding_row(seq, event), name, made)
            case events.Intervened():
                about = found.get(event.intervention.finding.name)
                if about is not None:
                    about.made[event.intervention.id] = _intervention_row(event)
            case events.InterventionJudged():
                _judge(found.values(), event)
            case events.FeedbackGiven() if event.finding:
                for each in found.values():
                    if each.row.kind == event.finding:
                        said: Literal["right", "wrong"] = "right" if event.right else "wrong"
                        each.row = msgspec.structs.replace(each.row, feedback=said)
            case _:
                pass
    return list(_joined(reversed(found.values())))


def _joined(found: Iterable[_OpenFinding]) -> Iterator[FindingRow]:
    for each in found:
        yield msgspec.structs.replace(each.row, interventions=tuple(each.made.values()))


def _finding_row(seq: int, event: events.FindingMade) -> FindingRow:
    finding = event.finding
    return FindingRow(
        seq=seq,
        at=event.at,
        step=event.step,
        kind=finding.kind,
        label=in_words(finding.kind),
        says=finding.says[:_MAX_TEXT],
        severity=str(finding.severity),
        confidence=finding.confidence,
        impact=finding.impact,
        evidence=finding.evidence,
        feedback="",
        interventions=(),
    )


def _intervention_row(event: events.Intervened) -> InterventionRow:
    done = event.intervention
    return InterventionRow(
        id=done.id,
        at=event.at,
        step=done.step,
        means=done.means,
        label=done_in_words(done),
        says=(done.guidance or done.limits)[:_MAX_TEXT],
        score=done.score,
        effect="open",
        effect_says="",
        effect_step=0,
    )


def _judge(found: Iterable[_OpenFinding], event: events.InterventionJudged) -> None:
    for each in found:
        made = each.made.get(event.intervention)
        if made is not None:
            each.made[made.id] = msgspec.structs.replace(
                made,
                effect="helped" if event.worked else "did not help",
                effect_says=effect_in_words(event)[:_MAX_TEXT],
                effect_step=event.step,
            )


class _Point(msgspec.Struct):
    at: float
    step: int
    risk: float | None = None
    tokens: float | None = None
    cost_usd: float | None = None
    memory_mb: float | None = None


def run_series(story: Iterable[NumberedEvent]) -> RunSeries:
    """Return risk, tokens, cost and memory of a run over time."""
    points: list[_Point] = []
    marks: list[SeriesMark] = []
    step = 0
    for _, event in story:
        match event:
            case events.ActionReviewed():
                step = event.step
                points.append(_Point(event.at, step, risk=event.review.risk.score))
            case events.UsageSampled() | events.UsageMeasured():
                points.append(
                    _Point(
                        event.at,
                        step,
                        tokens=event.tokens or None,
                        cost_usd=event.cost_usd or None,
                        memory_mb=event.memory_mb or None,
                    )
                )
            case events.FindingMade():
                marks.append(SeriesMark(event.at, step, finding_in_words(event.finding), "yellow"))
            case events.Intervened():
                marks.append(
                    SeriesMark(event.at, step, done_in_words(event.intervention), "yellow")
                )
            case events.RolledBack() if not event.problem:
                marks.append(SeriesMark(event.at, step, "rolled back", "red"))
            case events.StopConfirmed():
                marks.append(SeriesMark(event.at, step, "emergency stop", "red"))
            case _:
                pass
    kept = points[:: len(points) // _MAX_POINTS + 1]
    return RunSeries(
        at=tuple(each.at for each in kept),
        step=tuple(each.step for each in kept),
        risk=tuple(each.risk for each in kept),
        tokens=tuple(each.tokens for each in kept),
        cost_usd=tuple(each.cost_usd for each in kept),
        memory_mb=tuple(each.memory_mb for each in kept),
        marks=tuple(marks[-_MAX_POINTS:]),
    )
