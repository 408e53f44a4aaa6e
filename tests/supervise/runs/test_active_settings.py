"""Settings go into the log and come back the same."""

import msgspec
import pytest

from handrail.config import Config
from handrail.config.schema import CustomRule, Limits, Rules, StepReviewer
from handrail.model import Decision
from handrail.model.active_settings import ActiveSettings
from handrail.model.effect import Kind
from handrail.model.event import Event, RunStarted
from handrail.model.program import Fact, Program
from handrail.supervise.runs.active_settings import active_settings, config_of, settings_identity

RULE = CustomRule("no-make", Decision.BLOCK, "not here", commands=("make",))
CONFIGS = [
    Config(),
    Config(scope=("/home/me/shop",), on_fault="deny_all"),
    Config(limits=Limits(actions=7)),
    Config(step_reviewer=StepReviewer(enabled=False, rules=Rules(custom=(RULE,)))),
    Config(programs={"shopctl": Program(facts=(Fact(Kind.DESTROY, "orders purge"),))}),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_settings_come_back_as_they_were(config: Config) -> None:
    event = RunStarted(0.0, "claude", "/", settings=active_settings(config))
    read: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
    assert isinstance(read, RunStarted)
    assert read.settings is not None
    assert config_of(read.settings) == config
    assert read.settings.id == settings_identity(config)


def test_the_usual_settings_take_no_room() -> None:
    assert active_settings(Config()).values == {}


def test_other_settings_are_told_apart() -> None:
    assert len({settings_identity(config) for config in CONFIGS}) == len(CONFIGS)


def test_of_very_large_settings_the_scope_is_kept() -> None:
    config = Config(scope=("/srv",), protected=tuple(f"/srv/{n}" for n in range(20_000)))
    settings = active_settings(config)
    assert config_of(settings) == Config(scope=("/srv",))
    assert settings.id == settings_identity(config)


@pytest.mark.parametrize("values", [{"nonsense": 1}, {"scope": 7}, {"limits": {"actions": -1}}])
def test_settings_of_another_version_are_replaced_by_the_defaults(
    values: dict[str, object],
) -> None:
    assert config_of(ActiveSettings("x", values)) == Config()
