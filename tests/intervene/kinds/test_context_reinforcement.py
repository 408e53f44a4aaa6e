"""The task said again."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.interventions import ContextReinforcement, Interventions
from handrail.detect.description import FindingDescription
from handrail.detect.registry import KINDS, description_of
from handrail.intervene import InterventionDraft, RunSituation
from handrail.intervene.kinds.context_reinforcement import MAX_REMINDER
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from tests.intervene.controller_setup import draft_of, finding, situation

AT = situation(
    request="Fix the cart so that it adds up.",
    goals=("Make the tests pass", "Fix the cart so that it adds up.", "Keep the shop fast"),
    scope=("/home/dev/shop", "/tmp"),
)
CONSTRAINTS = ("No new dependencies.", "Never touch other files of customers.")
CREEP = finding("scope_creep", says="It opened /etc/passwd.", facts={"path": "/etc/passwd"})


def draft(found: Finding, at: RunSituation, settings: ContextReinforcement) -> InterventionDraft:
    whole = Interventions(context_reinforcement=settings)
    return draft_of(InterventionName.CONTEXT_REINFORCEMENT, found, at, whole)


def said(
    found: Finding = CREEP,
    at: RunSituation = AT,
    strength: Literal["light", "medium", "strong"] = "medium",
    *,
    examples: bool = True,
) -> str:
    settings = ContextReinforcement(
        reinforcement_strength=strength, include_examples=examples, constraints=CONSTRAINTS
    )
    return draft(found, at, settings).guidance


def test_the_whole_reminder() -> None:
    assert said() == (
        "This run opened `/etc/passwd`. A reminder of what this run is for.\n\n"
        "The request: Fix the cart so that it adds up.\n\n"
        "Keep to this:\n"
        "- **Work only on the files of this task; other files are not yours.**\n"
        "- **Never touch other files of customers.**\n"
        "- No new dependencies.\n\n"
        "Boundaries: change files only in `/home/dev/shop`, `/tmp`.\n\n"
        "Goals, the most important first:\n"
        "- Make the tests pass\n"
        "- Keep the shop fast\n\n"
        "For example: If a file elsewhere seems to be the cause, write down its path and your "
        "reason, and go on."
    )


def test_the_relevant_constraints_come_first_and_are_emphasised() -> None:
    lines = said(finding("goal_drift", facts={"fall": "0.5"})).splitlines()
    assert "- No new dependencies." in lines
    assert not any(line.startswith("- **No new") for line in lines)


def test_strength_decides_how_much_is_said() -> None:
    light, medium, strong = (said(strength=each) for each in ("light", "medium", "strong"))
    assert len(light) < len(medium) < len(strong)
    assert "Boundaries" not in light
    assert "No new dependencies" not in light
    assert "Never touch other files" in light
    assert strong.endswith("say in one sentence how it serves the request.")


def test_examples_can_be_left_out() -> None:
    assert "For example" in said()
    assert "For example" not in said(examples=False)
    assert "For example" not in said(strength="light")


def test_a_long_request_is_cut() -> None:
    text = said(at=situation(request="word " * 1000))
    assert "word wor …\n" in text
    assert len(text) <= MAX_REMINDER


def test_without_a_request_the_goal_stands_in() -> None:
    assert "The request: Fix the cart" in said(at=situation(goal="Fix the cart"))


def test_without_anything_known_there_are_still_the_constraints() -> None:
    text = said(at=situation())
    assert "The request" not in text
    assert "Keep to this" in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_own_constraint_and_its_own_example(kind: str) -> None:
    about = description_of(kind)
    assert about.constraint not in ("", FindingDescription().constraint)
    assert about.example not in ("", FindingDescription().example)


@given(
    st.text(max_size=3000),
    st.lists(st.text(max_size=1000), max_size=20).map(tuple),
    st.lists(st.text(max_size=1000), max_size=20).map(tuple),
    st.sampled_from(["light", "medium", "strong"]),
)
def test_it_is_never_too_long(
    text: str,
    goals: tuple[str, ...],
    constraints: tuple[str, ...],
    strength: Literal["light", "medium", "strong"],
) -> None:
    at = situation(request=text, goal=text, goals=goals, scope=goals)
    settings = ContextReinforcement(reinforcement_strength=strength, constraints=constraints)
    told = draft(finding(says=text), at, settings).guidance
    assert 0 < len(told) <= MAX_REMINDER
