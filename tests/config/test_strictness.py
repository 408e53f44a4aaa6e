"""Which settings are laxer than others, and what two sets forbid together."""

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config import Config
from handrail.config.fleet import FleetQuestions
from handrail.config.loosening import ANY, LOOSENING, NEVER
from handrail.config.schema import CustomRule
from handrail.config.strictness import find_laxer, stricter
from handrail.model.effect import Kind
from handrail.model.ordinal import Decision, Severity
from handrail.model.program import Fact, Program

OWN = Config(scope=("/home/you/shop",))
"""Defaults, as they are in a project."""
UNKNOWN_ORDER = {key for key, rule in LOOSENING.items() if rule is ANY}


def keys(value: msgspec.Struct, path: str = "") -> Iterator[str]:
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        if isinstance(inner, msgspec.Struct):
            yield from keys(inner, f"{path}{name}.")
        else:
            yield f"{path}{name}"


def with_value(key: str, value: object, base: Config = OWN) -> Config:
    tree = msgspec.to_builtins(base)
    *sections, name = key.split(".")
    at = tree
    for section in sections:
        at = at[section]
    at[name] = msgspec.to_builtins(value)
    return msgspec.convert(tree, Config)


def test_every_key_of_the_schema_says_how_it_loosens() -> None:
    assert sorted(LOOSENING) == sorted(keys(Config()))


RULE = CustomRule("no-make", Decision.BLOCK, "not here", commands=("make",))


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("step_reviewer.enabled", False, "true → false"),
        ("step_reviewer.mode", "async", "blocking → async"),
        ("step_reviewer.rules.disabled", ["no_publishing"], "also no_publishing"),
        ("step_reviewer.rules.builtin", "essential", "all → essential"),
        ("step_reviewer.risk.critical_threshold", 1.0, "0.95 → 1.0"),
        ("step_reviewer.rationality.low_threshold", 0.1, "0.3 → 0.1"),
        ("scope", ["/home/you/shop", "/srv"], "also /srv"),
        ("scope", ["/home/you/**"], "also /home/you/**"),
        ("hosts.trusted", ["evil.example"], "also evil.example"),
        ("regenerable", ["*.py"], "also *.py"),
        ("programs", {"rm": Program(harmless="-rf")}, "empty → rm"),
        ("attended", "always", "auto → always"),
        ("on_fault", "warn", "deny → warn"),
        ("detection.enabled", False, "true → false"),
        ("interventions.emergency_stop.enabled", False, "true → false"),
        ("checkpoints.enabled", False, "true → false"),
        ("checkpoints.include", [".env"], "without .env.*, *.sqlite, *.sqlite3, *.db"),
        ("checkpoints.every_tasks", 0, "5 → 0"),
        ("log.keep_days", 1, "30 → 1"),
        ("notify.urls", ["ntfy://evil.example"], "empty → ntfy://evil.example"),
        ("notify.severity", "critical", "high → critical"),
        ("judge.enabled", True, "false → true"),
        ("checkpoints.before_unattended", False, "true → false"),
        ("fleet.slots", 8, "3 → 8"),
        ("fleet.max_iterations", 0, "10 → 0"),
        ("fleet.max_retries", 9, "3 → 9"),
        ("fleet.lease_seconds", 600, "60 → 600.0"),
        ("fleet.stall_iterations", 0, "5 → 0"),
        ("fleet.questions.limit", 9, "5 → 9"),
        ("fleet.questions.timeout_minutes", 1, "10 → 1.0"),
        (
            "fleet.questions.default_answer",
            "yes",
            f"{FleetQuestions().default_answer} → yes",
        ),
        ("fleet.disk.warn_mb", 600, "1000 → 600"),
        ("fleet.disk.pause_mb", 200, "500 → 200"),
        ("fleet.disk.stop_mb", 0, "100 → 0"),
        ("fleet.workspace.setup", ["npm ci"], "empty → npm ci"),
        ("fleet.merge.auto", True, "false → true"),
        ("desktop.enabled", False, "true → false"),
        ("desktop.interval_seconds", 3600, "600 → 3600.0"),
        ("desktop.min_cooldown_seconds", 0, "60 → 0.0"),
        ("desktop.max_retries", 9, "3 → 9"),
        ("desktop.confidence_threshold", 0.5, "0.85 → 0.5"),
        ("desktop.save_screenshots", False, "true → false"),
        ("desktop.screenshot_dir", "/srv/pictures", "empty → /srv/pictures"),
        ("desktop.vision", True, "false → true"),
        ("desktop.model", "claude-opus-5", "claude-haiku-5-5 → claude-opus-5"),
        ("desktop.max_cost_usd", 50, "1.0 → 50.0"),
        ("desktop.verification.enabled", False, "true → false"),
    ],
)
def test_a_laxer_setting_is_named_with_its_change(key: str, value: object, says: str) -> None:
    loosened = find_laxer(OWN, with_value(key, value))
    assert [(each.key, each.says) for each in loosened] == [(key, says)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("goal", "fix the cart"),
        ("scope", ["/home/you/shop/src/**"]),
        ("scope", ["/home/you/shop", "/tmp/build"]),
        ("protected", ["*.lock"]),
        ("secrets", ["*.pem"]),
        ("on_fault", "deny_all"),
        ("attended", "never"),
        ("limits.actions", 5),
        ("limits.minutes", 10),
        ("log.keep_days", 0),
        ("step_reviewer.max_file_operations", 10),
        ("step_reviewer.rules.custom", [RULE]),
        ("step_reviewer.risk.low_threshold", 0.1),
        ("detection.hallucination.min_occurrences", 1),
        ("checkpoints.every_tasks", 1),
        ("notify.severity", "low"),
        ("fleet.slots", 1),
        ("fleet.max_iterations", 5),
        ("fleet.max_retries", 0),
        ("fleet.lease_seconds", 10),
        ("fleet.stall_iterations", 2),
        ("fleet.budget_usd", 20),
        ("fleet.questions.limit", 1),
        ("fleet.questions.timeout_minutes", 600),
        ("fleet.disk.warn_mb", 5000),
        ("fleet.disk.stop_mb", 400),
        ("desktop.interval_seconds", 60),
        ("desktop.confidence_threshold", 0.95),
        ("desktop.max_calls", 0),
        ("desktop.exclude_windows", ["*Bitwarden*"]),
        ("desktop.verification.similarity_threshold", 1.0),
    ],
)
def test_a_stricter_setting_needs_no_leave(key: str, value: object) -> None:
    config = with_value(key, value)
    assert find_laxer(OWN, config) == ()
    assert stricter(OWN, config) == config


def test_a_limit_that_is_taken_away_is_laxer() -> None:
    limited = with_value("limits.actions", 5)
    assert [each.key for each in find_laxer(limited, OWN)] == ["limits.actions"]
    assert stricter(limited, OWN).limits.actions == 5


def test_a_budget_that_is_taken_away_is_laxer() -> None:
    limited = with_value("fleet.budget_usd", 20)
    assert [each.key for each in find_laxer(limited, OWN)] == ["fleet.budget_usd"]
    assert stricter(limited, OWN).fleet.budget_usd == 20


def test_a_project_adds_windows_to_exclude_and_takes_none_away() -> None:
    own = with_value("desktop.exclude_windows", ["*Bitwarden*"])
    project = with_value("desktop.exclude_windows", ["*Mail*"])
    assert [each.key for each in find_laxer(own, project)] == ["desktop.exclude_windows"]
    assert stricter(own, project).desktop.exclude_windows == ("*Bitwarden*", "*Mail*")


def test_a_project_can_switch_the_model_off_but_not_on() -> None:
    asked = with_value("desktop.vision", value=True)
    assert not stricter(asked, OWN).desktop.vision
    assert not stricter(OWN, asked).desktop.vision


def test_of_two_scopes_only_what_lies_in_both_stays() -> None:
    other = with_value("scope", ["/home/you/shop/src", "/srv/**"])
    assert stricter(OWN, other).scope == ("/home/you/shop/src",)


def test_two_scopes_that_share_nothing_leave_the_temp_folders() -> None:
    assert stricter(OWN, with_value("scope", ["/srv"])).scope == ("/tmp",)


def test_a_folder_with_wildcards_in_its_name_is_a_folder() -> None:
    odd = with_value("scope", ["/home/you/a\\[1]"])
    assert find_laxer(odd, with_value("scope", ["/home/you/a\\[1]/src/*.py"])) == ()
    assert find_laxer(odd, with_value("scope", ["/home/you/a1/src"])) != ()


def test_a_folder_beside_one_in_scope_is_not_in_scope() -> None:
    assert find_laxer(OWN, with_value("scope", ["/home/you/shopping"])) != ()


PLACES = st.sampled_from(["/a", "/a/b", "/a/**", "/a/*/c", "/b", "/b/c/**", "/tmp/x"])
NAMES = st.sampled_from(["one", "two", "three"])
RULES = st.sampled_from([RULE, CustomRule("no-npm", Decision.WARN, "no", tools=("npm",))])
BY_KEY: dict[str, st.SearchStrategy[object]] = {
    "scope": st.lists(PLACES, min_size=1, max_size=3, unique=True),
    "protected": st.lists(NAMES, max_size=3),
    "regenerable": st.lists(NAMES, max_size=3),
    "hosts.trusted": st.lists(NAMES, max_size=3),
    "programs": st.dictionaries(
        NAMES, st.sampled_from([Program(harmless="-n"), Program(facts=(Fact(Kind.DESTROY),))])
    ),
    "attended": st.sampled_from(["auto", "always", "never"]),
    "on_fault": st.sampled_from(["deny", "deny_all", "warn"]),
    "limits.actions": st.integers(0, 3),
    "limits.minutes": st.floats(0, 3, allow_nan=False),
    "log.keep_days": st.integers(0, 3),
    "step_reviewer.enabled": st.booleans(),
    "step_reviewer.rules.custom": st.lists(RULES, max_size=2),
    "step_reviewer.rules.disabled": st.lists(NAMES, max_size=3),
    "step_reviewer.rules.builtin": st.sampled_from(["all", "essential", "none"]),
    "step_reviewer.risk.critical_threshold": st.floats(0.8, 1),
    "step_reviewer.rationality.low_threshold": st.floats(0, 0.5),
    "detection.disabled": st.lists(NAMES, max_size=3),
    "interventions.strategy.patterns": st.dictionaries(
        NAMES, st.lists(NAMES, min_size=4, max_size=4)
    ),
    "checkpoints.every_tasks": st.integers(0, 3),
    "checkpoints.include": st.lists(NAMES, max_size=3),
    "notify.severity": st.sampled_from(list(Severity)),
    "judge.enabled": st.booleans(),
    "fleet.slots": st.integers(1, 5),
    "fleet.stall_iterations": st.integers(0, 3),
    "fleet.budget_usd": st.floats(0, 3, allow_nan=False),
    "fleet.disk": st.lists(st.integers(0, 900), min_size=3, max_size=3).map(
        lambda free: dict(zip(("stop_mb", "pause_mb", "warn_mb"), sorted(free), strict=True))
    ),
    "fleet.workspace.setup": st.lists(NAMES, max_size=2),
    "fleet.merge.auto": st.booleans(),
    "desktop.vision": st.booleans(),
    "desktop.exclude_windows": st.lists(NAMES, max_size=3),
    "desktop.confidence_threshold": st.floats(0, 1),
}


@st.composite
def configs(draw: st.DrawFn) -> Config:
    config = OWN
    for key, values in BY_KEY.items():
        if draw(st.booleans()):
            config = with_value(key, draw(values), config)
    return config


@given(configs())
def test_settings_are_no_laxer_than_themselves(one: Config) -> None:
    assert find_laxer(one, one) == ()
    assert stricter(one, one) == one


@given(configs(), configs())
def test_the_stricter_of_two_is_laxer_than_neither(one: Config, other: Config) -> None:
    """Of what cannot be compared the first one's value counts."""
    both = stricter(one, other)
    assert find_laxer(one, both) == ()
    assert {each.key for each in find_laxer(other, both)} <= UNKNOWN_ORDER


@given(configs(), configs())
def test_what_is_nowhere_laxer_is_taken_as_it_is(one: Config, other: Config) -> None:
    if not find_laxer(one, other):
        both = stricter(one, other)
        assert find_laxer(other, both) == () == find_laxer(both, other)


def test_what_holds_no_agent_back_is_taken_from_the_project() -> None:
    assert LOOSENING["goal"] is NEVER
    assert stricter(OWN, with_value("goal", "fix the cart")).goal == "fix the cart"
