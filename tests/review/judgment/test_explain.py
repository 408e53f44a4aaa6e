"""A judgement in words: the alternatives to a refused action."""

from handrail.model import Effect, Kind, Severity, Undo
from handrail.model.action import Action
from handrail.model.ordinal import Decision
from handrail.model.review import RuleHit
from handrail.review import Reviewer
from handrail.review.judgment.explain import alternatives_for


def effect(severity: Severity, instead: str) -> Effect:
    return Effect(Kind.DELETE, "x", severity, Undo.IMPOSSIBLE, instead=instead)


def test_all_alternatives_are_listed_the_one_for_the_worst_effect_first() -> None:
    effects = [effect(Severity.HIGH, "Move it."), effect(Severity.CRITICAL, "Name the folder.")]
    hits = [RuleHit("mine", Decision.BLOCK, "no", "Ask me."), RuleHit("two", Decision.BLOCK, "no")]
    assert alternatives_for(effects, hits) == ("Name the folder.", "Move it.", "Ask me.")


def test_none_is_listed_twice_and_none_for_a_mild_effect() -> None:
    effects = [effect(Severity.HIGH, "Move it."), effect(Severity.LOW, "Look first.")]
    hits = [RuleHit("mine", Decision.BLOCK, "no", "Move it.")]
    assert alternatives_for(effects, hits) == ("Move it.",)


def test_there_is_always_one() -> None:
    assert alternatives_for([], []) == ("Explain why you need it; a person can do it or allow it.",)


def test_a_review_has_an_id_and_all_alternatives() -> None:
    reviewer = Reviewer(see_disk=False)
    found = reviewer.review(Action("Bash", {"command": "rm -rf / ; chmod 777 /etc"}, "/p"))
    assert found.alternatives[0] == found.alternative
    assert len(found.alternatives) > 1
    assert (
        found.id
        == reviewer.review(Action("Bash", {"command": "rm -rf / ; chmod 777 /etc"}, "/p")).id
    )
    assert found.id != reviewer.review(Action("Bash", {"command": "ls"}, "/p")).id
