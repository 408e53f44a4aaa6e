"""Settings in environment variables."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine


def test_values_are_read_as_yaml(machine: "ScratchMachine") -> None:
    config = machine.load(
        {
            "HANDRAIL_STEP_REVIEWER__ENABLED": "false",
            "HANDRAIL_STEP_REVIEWER__CACHE__MAX_SIZE": "12",
            "HANDRAIL_SECRETS": "[a.key, b.key]",
            "HANDRAIL_HOSTS": "{trusted: [git.corp]}",
        }
    ).config
    assert config.step_reviewer.enabled is False
    assert config.step_reviewer.cache.max_size == 12
    assert config.secrets == ("a.key", "b.key")
    assert config.hosts.trusted == ("git.corp",)


def test_a_text_is_taken_as_it_is(machine: "ScratchMachine") -> None:
    assert machine.load({"HANDRAIL_GOAL": "fix: the [cart"}).config.goal == "fix: the [cart"


def test_relative_globs_mean_the_current_folder(machine: "ScratchMachine") -> None:
    assert machine.load({"HANDRAIL_SCOPE": "[src]"}).config.scope == (f"{machine.project}/src",)


def test_an_empty_variable_is_not_set(machine: "ScratchMachine") -> None:
    machine.write("goal: ship\n")
    settings = machine.load({"HANDRAIL_GOAL": "", "HANDRAIL_STEP_REVIEWER__MODE": ""})
    assert (settings.config.goal, settings.config.step_reviewer.mode) == ("ship", "blocking")


def test_other_variables_of_handrail_are_no_settings(machine: "ScratchMachine") -> None:
    assert machine.load({"HANDRAIL_HOME": "/var/lib/x", "HANDRAILING__X": "1"}).config.goal == ""


def test_a_misspelt_variable_is_told(machine: "ScratchMachine") -> None:
    assert machine.problems(HANDRAIL_STEP_REVIEWR__MODE="async") == [
        (
            "HANDRAIL_STEP_REVIEWR__MODE: step_reviewr: unknown key; did you mean step_reviewer? "
            "allowed: goal, scope, protected, secrets, regenerable, hosts, programs, attended, "
            "on_fault, limits, prices, log, step_reviewer, detection, interventions, checkpoints, "
            "trash, control, approvals, notify, panel, judge, fleet, desktop"
        )
    ]


def test_a_wrong_value_is_told_with_its_variable(machine: "ScratchMachine") -> None:
    name = "HANDRAIL_STEP_REVIEWER__RISK__HIGH_THRESHOLD"
    assert machine.problems(**{name: "lots"}) == [
        (
            f"{name}: step_reviewer.risk.high_threshold: 'lots' is not allowed; "
            "expected a number from 0 to 1"
        )
    ]


def test_broken_yaml_is_told_with_its_variable(machine: "ScratchMachine") -> None:
    [problem] = machine.problems(HANDRAIL_SECRETS="[a")
    assert problem.startswith("HANDRAIL_SECRETS: not YAML: did not find expected")
