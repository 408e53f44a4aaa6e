"""Files that a run wrote are read when it runs them; everyday code runs. See code_in_files.yaml."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from _pytest.mark import ParameterSet

from handrail.model import Action, Decision, Kind, Review
from handrail.model.history import History
from handrail.review import Reviewer
from handrail.review.code_in_files import MAX_CHARACTERS

TABLES = yaml.safe_load((Path(__file__).parent / "code_in_files.yaml").read_text("utf-8"))
WIPE = "import os, shutil\nshutil.rmtree(os.path.expanduser('~/photos'))\n"


class FileProject(NamedTuple):
    """A project and a home beside it, neither in a temp folder as the reviewer sees it."""

    path: Path
    home: Path

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def write_case(self, case: dict[str, object]) -> History:
        """Write the files of a case; those under `old` were there before the run began."""
        files, old = _files(case), case.get("old", [])
        assert isinstance(old, list)
        if not old:
            self.write(files)
            return History(began=1.0)
        self.write({name: files.pop(name) for name in old})
        last = max(os.stat(self.path / name).st_ctime for name in old)
        began = last
        while began <= last:
            self.write(files)
            began = min(os.stat(self.path / name).st_ctime for name in files)
        return History(began=began)

    def review(self, command: str, history: History | None = None) -> Review:
        environ = {"HOME": str(self.home), "HANDRAIL_HOME": str(self.home / "state")}
        action = Action("Bash", {"command": command}, str(self.path))
        return Reviewer(environ=environ).review(action, history or History(began=1.0))


@pytest.fixture
def project(tmp_path: Path) -> FileProject:
    made = FileProject(tmp_path / "project", tmp_path / "home")
    (made.path / ".git").mkdir(parents=True)
    (made.home / "photos").mkdir(parents=True)
    for name in (".claude/settings.json", ".aws/credentials"):
        (made.home / name).parent.mkdir()
        (made.home / name).write_text("{}")
    return made


def _cases(table: str) -> list[ParameterSet]:
    return [pytest.param(case, id=name) for name, case in TABLES[table].items()]


def shown(review: Review) -> str:
    return " | ".join((review.decision.value, *review.reasons))


@pytest.mark.parametrize("case", _cases("stopped"))
def test_code_that_does_harm_outside_the_project_is_refused_when_it_runs(
    project: FileProject, case: dict[str, object]
) -> None:
    history = project.write_case(case)
    found = project.review(str(case["run"]), history)
    assert found.decision is Decision.BLOCK, shown(found)
    assert any(str(project.path) in reason and "which" in reason for reason in found.reasons)
    assert found.alternative


@pytest.mark.parametrize("case", _cases("runs"))
def test_everyday_code_runs(project: FileProject, case: dict[str, object]) -> None:
    history = project.write_case(case)
    found = project.review(str(case["run"]), history)
    without = project.review(str(case["run"]), History())
    assert found.decision == without.decision, shown(found)
    assert not found.decision.stops, shown(found)


def _files(case: dict[str, object]) -> dict[str, str]:
    files = case["files"]
    assert isinstance(files, dict)
    return dict(files)


def test_code_that_was_there_before_the_run_is_not_read(project: FileProject) -> None:
    project.write({"wipe.py": WIPE})
    later = os.stat(project.path / "wipe.py").st_ctime + 1
    assert not project.review("python3 wipe.py", History(began=later)).decision.stops


def test_the_time_that_touch_sets_does_not_count(project: FileProject) -> None:
    project.write({"wipe.py": WIPE})
    os.utime(project.path / "wipe.py", (1, 1))
    assert project.review("python3 wipe.py", History(began=100.0)).decision is Decision.BLOCK


def test_a_file_over_the_limit_runs_behind_a_checkpoint(project: FileProject) -> None:
    project.write({"wipe.py": WIPE + "x = 1\n" * MAX_CHARACTERS})
    found = project.review("python3 wipe.py")
    assert not found.decision.stops
    assert any(each.kind is Kind.RUN and "too much to read" in each.says for each in found.effects)


def test_a_file_over_the_limit_hides_no_other(project: FileProject) -> None:
    project.write({"big.py": "x = 1\n" * MAX_CHARACTERS, "wipe.py": WIPE})
    assert project.review("python3 big.py; python3 wipe.py").decision is Decision.BLOCK


def test_a_binary_file_is_not_read(project: FileProject) -> None:
    (project.path / "tool").write_bytes(b"\x7fELF\0" + WIPE.encode())
    assert not project.review("./tool").decision.stops


def test_a_file_that_runs_itself_comes_to_an_end(project: FileProject) -> None:
    project.write({"a": "bash b; bash a\n", "b": "bash a\n"})
    assert not project.review("bash a").decision.stops
