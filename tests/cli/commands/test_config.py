"""`handrail config`: what is set, from where, what is wrong."""

import json

import pytest
from rich.cells import cell_len
from tests.cli.conftest import HandrailShell, Run

SETTINGS = "goal: fix the cart\nstep_reviewer:\n  risk: {high_threshold: 0.7}\n"


@pytest.fixture
def configured(shell: HandrailShell) -> HandrailShell:
    (shell.project / "handrail.yaml").write_text(SETTINGS)
    return shell


def test_only_what_is_set_is_shown(configured: HandrailShell) -> None:
    lines = configured.run("config", "show").out.splitlines()
    assert [line.split() for line in lines] == [
        ["goal", "fix", "the", "cart", "handrail.yaml:1"],
        ["step_reviewer.risk.high_threshold", "0.7", "handrail.yaml:3"],
    ]
    assert lines[0].index("fix") == lines[1].index("0.7")


def test_all_are_shown_if_asked_for(configured: HandrailShell) -> None:
    ran = configured.run("config", "show", "--all")
    assert "step_reviewer.cache.ttl_minutes" in ran.out
    assert all(cell_len(line) <= 80 for line in ran.out.splitlines())


def test_long_values_fit(shell: HandrailShell) -> None:
    (shell.project / "handrail.yaml").write_text(f"goal: {'very ' * 50}\nscope: [{'a' * 90}]\n")
    out = shell.run("config", "show", "--all").out
    assert all(cell_len(line) <= 80 for line in out.splitlines())


def test_as_json(configured: HandrailShell) -> None:
    key = "step_reviewer.risk.high_threshold"
    assert configured.run("config", "show", "--json").json == [
        {"key": "goal", "value": "fix the cart", "from": "handrail.yaml:1", "in_force": True},
        {"key": key, "value": 0.7, "from": "handrail.yaml:3", "in_force": True},
    ]


def test_without_settings_it_says_so(run: Run) -> None:
    assert "All settings are defaults" in run("config", "show").out
    assert run("config", "show", "--json").json == []


def test_check_tells_everything_that_is_wrong(shell: HandrailShell) -> None:
    (shell.project / "bad.yaml").write_text("nope: 1\nstep_reviewer: {mode: x}\n")
    ran = shell.run("config", "check", "bad.yaml")
    assert ran.code == 1
    assert ran.out.count("✗") == 2
    answer = shell.run("config", "check", "bad.yaml", "--json")
    assert answer.code == 1
    assert answer.json["ok"] is False
    assert [problem.split(":")[1] for problem in answer.json["problems"]] == ["1", "2"]


def test_check_is_content(configured: HandrailShell) -> None:
    assert configured.run("config", "check").code == 0
    assert configured.run("config", "check", "--json").json == {"ok": True, "problems": []}


def test_the_schema_is_json(run: Run) -> None:
    assert json.loads(run("config", "schema").out)["title"] == "handrail.yaml"


def test_the_reference_is_markdown(run: Run) -> None:
    assert run("config", "reference").out.startswith("# Configuration\n")


def test_names_of_rules_that_mean_nothing_are_told(shell: HandrailShell) -> None:
    (shell.project / "handrail.yaml").write_text(
        "step_reviewer:\n  rules:\n    disabled: [protect_handrail, protect_fils]\n"
    )
    ran = shell.run("config", "check", "--json")
    problems = json.loads(ran.out)["problems"]
    assert "handrail.yaml:3" in problems[0]
    assert "cannot be switched off" in problems[0]
    assert "did you mean protect_files?" in problems[1]
