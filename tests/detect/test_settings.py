"""The `detection` section of `handrail.yaml`."""

from pathlib import Path

import pytest

from handrail.config import ConfigError, load_settings
from handrail.config.detection import Detection


def read(folder: Path, text: str) -> Detection:
    (folder / "handrail.yaml").write_text(text)
    return load_settings(folder, environ={"HOME": str(folder)}).config.detection


def test_thresholds_are_read(tmp_path: Path) -> None:
    read_settings = read(
        tmp_path,
        "detection:\n"
        "  scope_creep: {allowed_share: 0.5, min_paths: 9, critical_paths: [src/vault]}\n"
        "  resource_spiral: {growth: 2, samples: 3}\n"
        "  goal_drift: {fall: 0.3, lowest_opinion: 0.1}\n"
        "  hallucination: {min_occurrences: 4}\n"
        "  exploration_wandering: {threshold: 0.8, max_unique_directories: 20}\n",
    )
    assert read_settings.scope_creep.min_paths == 9
    assert read_settings.scope_creep.critical_paths == (f"{tmp_path}/src/vault",)
    assert read_settings.resource_spiral.samples == 3
    assert read_settings.goal_drift.lowest_opinion == 0.1
    assert read_settings.hallucination.min_occurrences == 4
    assert read_settings.exploration_wandering.max_unique_directories == 20


@pytest.mark.parametrize(
    "line",
    [
        "scope_creep: {allowed_share: 1}",
        "scope_creep: {min_paths: 0}",
        "resource_spiral: {growth: 1}",
        "resource_spiral: {samples: 2}",
        "goal_drift: {fall: 0.4}",
        "hallucination: {min_occurrences: 0}",
        "hallucination: {min_occurrences: 21}",
        "exploration_wandering: {threshold: 1}",
        "exploration_wandering: {backtrack_limit: 0}",
        "exploration_wandering: {max_unique_directories: 41}",
        "goal_drift: {slope: 0.3}",
        "counting: [{name: a, says: b}]",
        "counting: [{name: a, says: b, tools: [Bash], times: 5, within: 4}]",
        "counting: [{name: a, says: b, commands: ['(']}]",
    ],
)
def test_what_could_never_be_reached_or_is_unknown_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read(tmp_path, f"detection:\n  {line}\n")
    (problem,) = raised.value.problems
    assert "detection" in str(problem)
    assert "handrail.yaml:2" in str(problem)
