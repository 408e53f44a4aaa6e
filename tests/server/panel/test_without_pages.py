"""Installed from source without npm: the pages are missing, and everything else works."""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import handrail
from handrail.server.http.api_connection import connect_api
from handrail.server.panel.messages import HOW_TO_BUILD
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.panel.browser import ask_port
from tests.server.panel.test_panel_command import on_terminal

pytestmark = pytest.mark.slow


def installed(root: Path) -> str:
    """A Python with Handrail as it is without the built pages, and with all that it needs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / "venv"], check=True)
    unbuilt = shutil.ignore_patterns("panel_files", "__pycache__")
    shutil.copytree(Path(handrail.__file__).parent, root / "lib/handrail", ignore=unbuilt)
    (packages,) = (root / "venv" / "lib").glob("python3*/site-packages")
    (packages / "all.pth").write_text(f"{root / 'lib'}\n{sysconfig.get_path('purelib')}\n")
    return str(root / "venv" / "bin" / "python")


@pytest.fixture(scope="module")
def python() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        yield installed(Path(folder))


@pytest.fixture(scope="module")
def place(python: str) -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        started = place.execute([python, "-m", "handrail", "serve", "--background"])
        assert started.returncode == 0, started.stderr
        yield place


@pytest.mark.parametrize("args", [["panel", "--print"], ["panel"], ["demo", "--panel"]])
def test_one_line_says_how_to_build_them(
    place: DaemonSandbox, python: str, args: list[str]
) -> None:
    ran = on_terminal(place, args, python)
    said = [line for line in ran.text.splitlines() if line.strip()]
    assert (ran.code, len(said)) == (2, 1)
    assert HOW_TO_BUILD in said[0]
    assert "login#" not in ran.text


def test_a_browser_reads_the_same(place: DaemonSandbox) -> None:
    answer = ask_port(place.home, "GET", "/")
    assert HOW_TO_BUILD.encode() in answer.body


def test_reviews_and_the_api_work_without_them(place: DaemonSandbox) -> None:
    place.tell("SessionStart", source="startup")
    refused = place.before("rm -rf / --no-preserve-root")
    assert refused["hookSpecificOutput"]["permissionDecision"] == "deny"
    (run,) = connect_api(place.home).list_runs().items
    assert run.stopped_actions == 1
