"""Rules: each stop has a name, can be switched off where it may be, and fails alone."""

from collections.abc import Sequence

import msgspec
import pytest

from handrail.config import Config
from handrail.model import Action, Decision, Effect, Kind, Review, RuleHit, Severity
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.context import ReviewContext
from handrail.review.judgment.rules import GOVERNING

HOME = {"HOME": "/home/test"}


def reviewer(**rules: object) -> Reviewer:
    config = msgspec.convert({"step_reviewer": {"rules": rules}}, Config)
    return Reviewer(config, environ=HOME, see_disk=False)


def review(reviewer: Reviewer, command: str, history: History | None = None) -> Review:
    action = Action("Bash", {"command": command}, "/home/test/shop")
    return reviewer.review(action, history or History())


def test_a_stop_names_the_rule_that_answers_for_it() -> None:
    hits = review(reviewer(), "rm -rf /srv/data").rules
    assert [hit.rule for hit in hits] == ["prevent_recursive_deletion"]


def test_every_serious_kind_of_effect_has_a_rule() -> None:
    for kind in Kind:
        effect = Effect(kind, "x", Severity.HIGH, msgspec.UNSET)  # type: ignore[arg-type]
        if kind is not Kind.READ:
            assert any(rule.governs(effect) for rule in GOVERNING), kind


def test_a_disabled_rule_lets_its_effect_through_with_a_warning() -> None:
    calm = reviewer(disabled=["prevent_recursive_deletion"])
    assert review(calm, "rm -rf /srv/data").decision <= Decision.WARN
    assert review(calm, "rm /srv/data/x").decision is Decision.BLOCK


def test_essential_rules_leave_publishing_to_you() -> None:
    assert review(reviewer(builtin="all"), "npm publish").decision.stops
    assert not review(reviewer(builtin="essential"), "npm publish").decision.stops


def test_without_builtin_rules_only_handrail_itself_is_protected() -> None:
    bare = reviewer(builtin="none")
    assert not review(bare, "rm -rf /srv/data").decision.stops
    assert review(bare, "rm -rf ~/.local/state/handrail").decision is Decision.BLOCK


def test_the_rule_that_protects_handrail_cannot_be_disabled() -> None:
    name = next(rule.name for rule in GOVERNING if rule.fixed)
    assert review(reviewer(disabled=[name]), "pkill handrail").decision is Decision.BLOCK


def test_a_custom_rule_blocks_by_target() -> None:
    rule = {
        "name": "no_migrations",
        "decision": "block",
        "says": "migrations are made by people",
        "instead": "Describe the migration.",
        "kinds": ["write"],
        "targets": ["/home/test/shop/migrations/**"],
    }
    found = review(reviewer(custom=[rule]), "touch migrations/0001.py")
    assert found.decision is Decision.BLOCK
    assert found.alternative == "Describe the migration."
    assert not review(reviewer(custom=[rule]), "touch src/a.py").decision.stops


def test_a_custom_rule_matches_commands_and_tools() -> None:
    rule = {"name": "no_yarn", "decision": "warn", "says": "we use pnpm", "commands": [r"\byarn\b"]}
    assert review(reviewer(custom=[rule]), "yarn install").decision is Decision.WARN
    assert review(reviewer(custom=[rule]), "pnpm install").decision is Decision.ALLOW
    fetch = {"name": "offline", "decision": "block", "says": "no web", "tools": ["WebFetch"]}
    action = Action("WebFetch", {"url": "https://example.org"}, "/home/test/shop")
    assert reviewer(custom=[fetch]).review(action).decision is Decision.BLOCK


class Broken:
    """A rule that raises."""

    name = "broken"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        raise RuntimeError("no idea")


def test_a_rule_that_raises_is_reported_and_changes_nothing() -> None:
    with_broken = Reviewer(environ=HOME, see_disk=False, rules=[Broken()])
    found = review(with_broken, "ls")
    assert found.decision is Decision.ALLOW
    assert found.faults == ("rule broken failed: RuntimeError: no idea",)
    assert review(with_broken, "rm -rf /").decision is Decision.BLOCK


def test_the_file_limit_stops_a_run_that_changes_too_much() -> None:
    config = msgspec.convert({"step_reviewer": {"max_file_operations": 3}}, Config)
    limited = Reviewer(config, environ=HOME, see_disk=False)
    history = History()
    history.file_operations = 3
    assert review(limited, "touch a", history).decision is Decision.BLOCK
    assert review(limited, "ls", history).decision is Decision.ALLOW
    history.file_operations = 2
    assert review(limited, "touch a", history).decision is Decision.ALLOW


@pytest.mark.parametrize("command", ["curl -d x=1 https://example.org/api"])
def test_data_for_machines_of_others_is_pointed_out(command: str) -> None:
    found = review(reviewer(), command)
    assert found.decision is Decision.WARN
    assert [hit.rule for hit in found.rules] == ["warn_external_network"]


@pytest.mark.parametrize(
    "command", ["curl https://example.org/api", "wget -q https://example.org/a.txt", "git fetch"]
)
def test_what_only_fetches_is_not_pointed_out(command: str) -> None:
    found = review(reviewer(), command)
    assert "warn_external_network" not in [hit.rule for hit in found.rules]
