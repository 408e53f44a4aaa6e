"""Reminder: repeats request, constraints, boundaries, goals and an example."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from handrail.intervene.capability import Capability
from handrail.intervene.draft import InterventionDraft
from handrail.intervene.kind import InterventionKind
from handrail.intervene.situation import RunSituation
from handrail.intervene.wording import fields_for, fresh_text, one_line, places_in_words
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName

if TYPE_CHECKING:
    from handrail.config.interventions import ContextReinforcement, Interventions
    from handrail.detect.description import FindingDescription

MAX_REMINDER = 2_000
_REQUESTS = {"light": 300, "medium": 600, "strong": 800}
"""Characters of the request to repeat."""
_MAX_LINE = 200
_MAX_CONSTRAINTS = 6
_MAX_GOALS = 3
_SHORT = 4
_COMMON = frozenset(
    "before else every from have into nothing never only other others than that them this what "
    "when which with without your".split()
)
"""Words that do not tell the subject of a sentence, like all short ones."""


def _context_reinforcement(
    finding: Finding, at: RunSituation, about: "FindingDescription", settings: "Interventions"
) -> InterventionDraft:
    parts: list[str] = []
    room = MAX_REMINDER
    for part in _parts(finding, at, about, settings.context_reinforcement):
        if len(part) + 2 <= room:  # less important parts come later, and drop out whole
            parts.append(part)
            room -= len(part) + 2
    return InterventionDraft(fresh_text("\n\n".join(parts), at, MAX_REMINDER))


def _parts(
    finding: Finding,
    at: RunSituation,
    about: "FindingDescription",
    settings: "ContextReinforcement",
) -> Iterator[str]:
    strength = settings.reinforcement_strength
    says, before = fields_for(finding, at)["says"], _reminded(finding, at)
    if before:
        yield (
            f"{says} You were reminded of this in step {before[-1]}, and it goes on. Stop it now, "
            "or say why the task needs it and wait for an answer."
        )
        strength = "light"
    else:
        yield f"{says} A reminder of what this run is for."
    request = at.request or at.goal
    if request:
        yield f"The request: {one_line(request, _REQUESTS[strength])}"
    yield _listed("Keep to this:", _constraints(finding, about.constraint, settings))
    if strength != "light":
        if at.scope:
            yield f"Boundaries: change files only in {places_in_words(at.scope)}."
        goals = [one_line(goal, _MAX_LINE) for goal in _goals(at, request)]
        if goals:
            yield _listed("Goals, the most important first:", goals)
        if settings.include_examples:
            yield f"For example: {about.example}"
    if strength == "strong":
        yield "Before your next action, say in one sentence how it serves the request."


def _reminded(finding: Finding, at: RunSituation) -> list[int]:
    """Return the steps of earlier reminders because of the same trouble."""
    return [
        made.step
        for made in at.past.made
        if made.name == finding.name and made.means == InterventionName.CONTEXT_REINFORCEMENT
    ]


def _constraints(finding: Finding, first: str, settings: "ContextReinforcement") -> list[str]:
    """Return the constraints: those about the finding first and emphasised, then the others."""
    about = _words(" ".join((finding.kind.replace("_", " "), first, *finding.facts.values())))
    emphasised = [f"**{first}**"]
    others = []
    for constraint in settings.constraints:
        line = one_line(constraint, _MAX_LINE)
        if _words(line) & about:
            emphasised.append(f"**{line}**")
        else:
            others.append(line)
    if settings.reinforcement_strength == "light":
        others = []
    return (emphasised + others)[:_MAX_CONSTRAINTS]


def _goals(at: RunSituation, request: str) -> list[str]:
    """Return the goals that the request does not mention."""
    others = [goal.strip() for goal in at.goals if goal.strip() not in ("", request.strip())]
    return list(dict.fromkeys(others))[:_MAX_GOALS]


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) >= _SHORT} - _COMMON


def _listed(title: str, lines: list[str]) -> str:
    return "\n".join([title, *(f"- {line}" for line in lines)])


KIND = InterventionKind(
    name=InterventionName.CONTEXT_REINFORCEMENT,
    label="reminder",
    phrase="a reminder",
    done="task said again",
    does="Reminds the agent of the request, the most important constraint, boundaries, goals and "
    "an example, in at most 2,000 characters.",
    otherwise="Handrail skips it.",
    uses=(Capability.INJECT,),
    always=False,
    strength=0.3,
    make=_context_reinforcement,
)
