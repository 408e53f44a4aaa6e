"""A change of Handrail's own packages stops work; an upgrade does not."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from handrail.server.integrity.installers import is_a_persons, is_installer
from handrail.server.integrity.packages import OwnPackages, own_packages
from tests.server.integrity.bench import IntegrityBench
from tests.server.integrity.python_environment import PythonEnvironment

REINSTALL = "pipx reinstall handrail"


@pytest.fixture
def env(tmp_path: Path) -> PythonEnvironment:
    return PythonEnvironment(tmp_path / "pipx" / "venvs" / "handrail")


@pytest.fixture
def own(env: PythonEnvironment) -> OwnPackages:
    return OwnPackages(env.packages, person_installs=lambda: False)


@pytest.fixture
def bench(tmp_path: Path, own: OwnPackages) -> IntegrityBench:
    return IntegrityBench(tmp_path / "home", own)


def test_a_call_that_changes_a_package_ends_its_run_and_all_work(
    env: PythonEnvironment, own: OwnPackages, bench: IntegrityBench
) -> None:
    rules = env.site / "handrail" / "review" / "rules.py"
    bench.start()
    bench.begin(3)
    rules.write_text("RULES = 0\n")
    bench.end(3)
    bench.watcher.lost = True  # as a notification would say
    bench.later()
    assert bench.stopped == ["r1"]
    [notice] = bench.notices.unseen()
    assert "step 3, Bash" in notice.says
    assert str(rules) in notice.says
    assert REINSTALL in notice.fix
    assert str(rules) in own.find_problem()
    assert REINSTALL in own.find_problem()


def test_work_goes_on_once_they_are_whole_again(
    env: PythonEnvironment, own: OwnPackages, bench: IntegrityBench
) -> None:
    bench.start()
    rules = env.site / "handrail" / "review" / "rules.py"
    was = rules.read_text()
    rules.write_text("RULES = 0\n")
    bench.watcher.lost = True
    bench.later()
    assert own.find_problem()
    rules.write_text(was)
    bench.watcher.lost = True
    bench.later()
    assert own.find_problem() == ""


def test_an_upgrade_outside_of_calls_is_taken_over_in_silence(
    env: PythonEnvironment, own: OwnPackages, bench: IntegrityBench
) -> None:
    bench.start()
    env.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 2\n", "rich/fast.so": "y"})
    bench.watcher.lost = True
    bench.later()
    assert own.find_problem() == ""
    assert bench.notices.unseen() == []
    assert bench.stopped == []


def test_a_call_that_replaces_a_package_with_its_record_ends_its_run(
    env: PythonEnvironment, bench: IntegrityBench
) -> None:
    bench.start()
    bench.begin(3)
    env.install("handrail", "1.0", {"handrail/review/rules.py": "RULES = 0\n"})
    bench.end(3)
    bench.watcher.lost = True
    bench.later()
    assert bench.stopped == ["r1"]


def test_a_person_may_upgrade_while_a_call_is_under_way(
    env: PythonEnvironment, tmp_path: Path
) -> None:
    at_work = [True]
    own = OwnPackages(env.packages, person_installs=lambda: at_work[0])
    bench = IntegrityBench(tmp_path / "home", own)
    bench.start()
    bench.begin()
    env.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 2\n", "rich/fast.so": "y"})
    bench.watcher.lost = True
    bench.monitor.turn()
    at_work[0] = False  # pip ends before the files have been quiet for long enough
    bench.end()
    bench.later()
    assert (bench.stopped, bench.notices.unseen()) == ([], [])
    bench.begin(2)
    env.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 3\n", "rich/fast.so": "y"})
    bench.end(2)
    bench.watcher.lost = True
    bench.later()
    assert bench.stopped == ["r1"], "the next one is not explained by that"


def test_an_agent_may_upgrade_what_its_project_shares_with_handrail(
    tmp_path: Path,
) -> None:
    env = PythonEnvironment(tmp_path / "shop" / ".venv")
    own = OwnPackages(env.packages, person_installs=lambda: False)
    bench = IntegrityBench(tmp_path / "home", own)
    bench.start()
    bench.begin()
    env.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 2\n", "rich/fast.so": "y"})
    bench.end()
    bench.watcher.lost = True
    bench.later()
    assert (bench.stopped, bench.notices.unseen()) == ([], [])


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("/usr/bin/python3 -m pip install -U handrail", True),
        ("/usr/bin/python3 /usr/bin/pipx upgrade handrail", True),
        ("/opt/pip3.12 install x", True),
        ("uv tool upgrade handrail", True),
        ("python3 -m pytest tests/pip", False),
        ("vim pipeline.py", False),
    ],
)
def test_an_installer_is_known_by_its_command_line(line: str, found: bool) -> None:
    assert is_installer(line.split()) is found


@pytest.mark.parametrize("mark", ["", "CLAUDECODE"])
def test_an_installer_that_an_agent_started_is_no_persons(tmp_path: Path, mark: str) -> None:
    pip = tmp_path / "pip"
    pip.write_text("print('at work', flush=True); input()")
    environ = {"PATH": "/usr/bin:/bin", **({mark: "1"} if mark else {})}
    with subprocess.Popen(
        [sys.executable, str(pip)], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert is_a_persons(psutil.Process(process.pid)) is (not mark)
        process.communicate(b"\n")


def test_the_first_look_compares_only_handrails_own_files(
    env: PythonEnvironment, tmp_path: Path
) -> None:
    """Some distributors change what they pack, and leave the records."""
    (env.site / "rich" / "fast.so").write_text("stripped")
    (env.site / "_virtualenv.pth").write_text("import _virtualenv\n")
    own = OwnPackages(env.packages._replace(since=0.0))
    assert list(own.losses()) == []
    (env.site / "handrail" / "review" / "rules.py").write_text("RULES = 0\n")
    own = OwnPackages(env.packages._replace(since=0.0))
    assert [loss.part for loss in own.losses()] == ["packages"]


def test_the_packages_of_this_handrail_are_found() -> None:
    found = own_packages()
    assert found is not None
    assert {"handrail", "starlette", "tree-sitter-bash"} <= set(found.names)
    assert "pytest" not in found.names, "what only some extra needs is left alone"
    assert all(Path(folder).is_dir() for folder in found.folders)
