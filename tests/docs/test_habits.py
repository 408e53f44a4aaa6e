"""What is said in two places of the workshop is the same in both."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
Page = Callable[[str], str]


def test_the_core_rooms_are_the_same_for_make_and_for_the_floors(
    floors: ModuleType, page: Page
) -> None:
    core = re.search(r"(?m)^CORE = (.+)$", page("Makefile"))
    assert core is not None
    assert core[1].split() == list(floors.FLOORS)
    assert [room for room in floors.FLOORS if not (ROOT / "tests" / room).is_dir()] == []


def test_coverage_is_counted_by_room(floors: ModuleType) -> None:
    def file(lines: int, branches: int) -> dict[str, int]:
        return {
            "covered_lines": lines,
            "covered_branches": branches,
            "num_statements": 10,
            "num_branches": 10,
        }

    counted = floors.by_room(
        {
            "src/handrail/shell/a.py": file(10, 10),
            "src/handrail/shell/sub/b.py": file(5, 0),
            "src/handrail/model/c.py": file(0, 0),
        }
    )
    assert counted == {"shell": 62.5, "model": 0.0}


def test_the_lowest_python_is_the_first_that_ci_tests(page: Page) -> None:
    project = tomllib.loads(page("pyproject.toml"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert project["requires-python"] == f">={named[0]}"
    assert named == sorted(named, key=lambda version: int(version.split(".")[1]))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_do_nothing_but_what_it_says(workflow: Path) -> None:
    text = workflow.read_text()
    assert yaml.safe_load(text)["permissions"] == {}
    used = re.findall(r"uses: (\S+)(.*)", text)
    assert used
    loose = [
        action
        for action, version in used
        if not (re.search(r"@[0-9a-f]{40}$", action) and re.search(r"# v\d", version))
    ]
    assert loose == []


def test_pre_commit_runs_only_what_make_installed(page: Page) -> None:
    repos = yaml.safe_load(page(".pre-commit-config.yaml"))["repos"]
    assert {repo["repo"] for repo in repos} == {"local"}
    entries = [hook["entry"] for repo in repos for hook in repo["hooks"]]
    assert [entry for entry in entries if not entry.startswith(".venv/bin/")] == []


def test_pre_commit_runs_everything_that_make_lint_runs(page: Page) -> None:
    recipe = re.search(r"(?m)^lint:.*\n((?:\t.*\n)+)", page("Makefile"))
    assert recipe is not None
    commands = re.sub(r"\$\(tool\)|@\.venv/bin/", "", recipe[1]).split("\n")
    wanted = [_bare(command) for command in commands if command.strip()]
    repos = yaml.safe_load(page(".pre-commit-config.yaml"))["repos"]
    hooks = [hook["entry"].removeprefix(".venv/bin/") for repo in repos for hook in repo["hooks"]]
    assert [_bare(entry) for entry in hooks] == wanted


def _bare(command: str) -> str:
    """A command without the files, which pre-commit chooses, and without what only it needs."""
    return re.sub(r" --force-exclude| --check|\$\(PYTHON_SOURCES\)", "", command).strip()
