"""Keys of the designs that Handrail comes from are taken over, or answered with the right one."""

import re
from pathlib import Path

import pytest

from handrail.config import Config, ConfigError, load_settings
from handrail.config.foreign_keys import ANSWERS, RENAMED
from handrail.config.validation import type_at


def load(folder: Path, text: str) -> Config:
    (folder / "handrail.yaml").write_text(text)
    return load_settings(folder, environ={"HOME": str(folder / "home")}).config


def problem(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as raised:
        load(folder, text)
    return str(raised.value)


def test_periodic_checkpoints_are_those_after_every_few_tasks(tmp_path: Path) -> None:
    assert load(tmp_path, "checkpoints:\n  periodic: 3\n").checkpoints.every_tasks == 3


@pytest.mark.parametrize("key", ["beforeAutopilot", "before_autopilot"])
def test_an_autopilot_is_an_unattended_run(tmp_path: Path, key: str) -> None:
    assert load(tmp_path, "").checkpoints.before_unattended
    config = load(tmp_path, f"checkpoints:\n  {key}: false\n")
    assert not config.checkpoints.before_unattended


def test_a_mistake_in_a_renamed_key_is_told_with_its_line(tmp_path: Path) -> None:
    said = problem(tmp_path, "checkpoints:\n  periodic: often\n")
    assert "handrail.yaml:2: checkpoints.every_tasks: 'often' is not allowed" in said


def test_both_names_at_once_are_a_mistake(tmp_path: Path) -> None:
    said = problem(tmp_path, "checkpoints:\n  periodic: 3\n  every_tasks: 4\n")
    assert "handrail.yaml:2: checkpoints.periodic: unknown key; write `checkpoints.every_t" in said


@pytest.mark.parametrize("key", ["auto_cleanup", "emergency_stop"])
def test_a_key_of_the_emergency_stop_is_told_its_place(tmp_path: Path, key: str) -> None:
    said = problem(tmp_path, f"{key}: true\n")
    assert f"{key}: unknown key; write `interventions.emergency_stop" in said
    assert "allowed:" not in said  # the answer is enough


def test_the_section_of_a_graphical_watch_is_told_its_name(tmp_path: Path) -> None:
    text = "intervention:\n  enabled: true\n  interval_seconds: 600\n"
    said = problem(tmp_path, text)
    assert "handrail.yaml:1: intervention: unknown key; write `desktop` for the watch" in said
    renamed = load(tmp_path, text.replace("intervention:", "desktop:"))
    assert renamed.desktop.interval_seconds == 600


def test_the_sections_of_safety_stand_at_the_top(tmp_path: Path) -> None:
    text = "safety:\n  step_reviewer:\n    risk: {high_threshold: 0.7}\n"
    assert load(tmp_path, text).step_reviewer.risk.high_threshold == 0.7


def test_a_section_in_both_places_is_a_mistake(tmp_path: Path) -> None:
    said = problem(tmp_path, "step_reviewer: {mode: async}\nsafety:\n  step_reviewer: {}\n")
    assert "safety: unknown key; write its sections at the top level" in said


@pytest.mark.parametrize(
    ("text", "line", "answer"),
    [
        (
            "interventions:\n  emergency_stop:\n    notification_channels: [email, slack]\n",
            "3: interventions.emergency_stop.notification_channels",
            "write addresses into `notify.urls`",
        ),
        (
            "limits:\n  beforeAutopilot: true\n",
            "2: limits.beforeAutopilot",
            "write `checkpoints.before_unattended`, once",
        ),
        (
            "limits:\n  file_operations: 20\n",
            "2: limits.file_operations",
            "write `step_reviewer.max_file_operations`",
        ),
    ],
)
def test_a_key_without_an_equal_is_answered(
    tmp_path: Path, text: str, line: str, answer: str
) -> None:
    assert f"handrail.yaml:{line}: unknown key; {answer}" in problem(tmp_path, text)


def test_every_answer_names_keys_that_there_are() -> None:
    for answer in ANSWERS.values():
        for key in re.findall(r"`([a-z_]+(?:\.[a-z_]+)*)`", answer):
            assert type_at(Config, key.split(".")) is not None, key
    for path, name in RENAMED.items():
        assert type_at(Config, [path.partition(".")[0], name]) is not None
