"""The `fleet` section: its defaults, its bounds, and thresholds that contradict each other."""

from typing import TYPE_CHECKING

import pytest

from handrail.config.fleet import DiskThresholds, Fleet

if TYPE_CHECKING:
    from tests.config.conftest import ScratchMachine


def test_a_fleet_without_settings_has_three_slots_and_no_budget() -> None:
    fleet = Fleet()
    assert (fleet.slots, fleet.max_retries, fleet.stall_iterations) == (3, 3, 5)
    assert (fleet.lease_seconds, fleet.budget_usd) == (60, 0)
    assert fleet.disk == DiskThresholds(warn_mb=1000, pause_mb=500, stop_mb=100)
    assert not fleet.merge.auto
    assert fleet.workspace.setup == ()
    assert (fleet.questions.limit, fleet.questions.timeout_minutes) == (5, 10)
    assert fleet.questions.default_answer.startswith("Nobody can answer now.")


def test_every_key_of_the_fleet_can_be_written(machine: "ScratchMachine") -> None:
    machine.write(
        """\
fleet:
  slots: 5
  max_iterations: 0
  max_retries: 0
  lease_seconds: 2
  stall_iterations: 0
  budget_usd: 12.5
  disk: {warn_mb: 2000, pause_mb: 900, stop_mb: 0}
  questions: {limit: 3, timeout_minutes: 0, default_answer: Go on.}
  workspace:
    setup:
      - npm ci
      - make assets
  merge: {auto: on}
"""
    )
    fleet = machine.load().config.fleet
    assert (fleet.slots, fleet.max_iterations, fleet.max_retries) == (5, 0, 0)
    assert (fleet.lease_seconds, fleet.stall_iterations, fleet.budget_usd) == (2, 0, 12.5)
    assert fleet.disk == DiskThresholds(warn_mb=2000, pause_mb=900, stop_mb=0)
    assert (fleet.questions.limit, fleet.questions.default_answer) == (3, "Go on.")
    assert fleet.workspace.setup == ("npm ci", "make assets")
    assert fleet.merge.auto


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("slots: 0", "fleet.slots: 0 is not allowed; expected a whole number from 1 to 100"),
        ("slots: 101", "fleet.slots: 101 is not allowed; expected a whole number from 1 to 100"),
        (
            "lease_seconds: 0",
            "fleet.lease_seconds: 0 is not allowed; expected a number from 1 to 3600",
        ),
        (
            "max_retries: -1",
            "fleet.max_retries: -1 is not allowed; expected a whole number, at least 0",
        ),
        ("budget_usd: -1", "fleet.budget_usd: -1 is not allowed; expected a number, at least 0"),
        (
            "merge: {auto: always}",
            "fleet.merge.auto: 'always' is not allowed; expected true or false",
        ),
        (
            "workspace: {setup: npm ci}",
            "fleet.workspace.setup: 'npm ci' is not allowed; expected a list of texts",
        ),
        (
            "workspace: {setup: ['']}",
            "fleet.workspace.setup[0]: '' is not allowed; expected a text that is not empty",
        ),
        (
            "workspace: {setups: []}",
            "fleet.workspace.setups: unknown key; did you mean setup? allowed: setup",
        ),
        (
            "disk: {pause_mb: 2000}",
            (
                "fleet.disk: each threshold must be at least the one before it: "
                "stop_mb 100, pause_mb 2000, warn_mb 1000"
            ),
        ),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(
    machine: "ScratchMachine", text: str, problem: str
) -> None:
    assert machine.problems(f"fleet:\n  {text}\n") == [f"handrail.yaml:2: {problem}"]


def test_a_threshold_from_the_environment_must_fit_the_others(machine: "ScratchMachine") -> None:
    (problem,) = machine.problems(HANDRAIL_FLEET__DISK__STOP_MB="800")
    assert "each threshold must be at least the one before it: stop_mb 800" in problem
