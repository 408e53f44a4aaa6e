"""The examples run, each in a process of its own, and so does what the pages show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SAYS = {
    "agent_loop": ["cart.py", "Handrail stopped this: it deletes /", "left the rest"],
    "custom_detector": ["printed a lot. Use head, tail or grep.", "['long_outputs']"],
    "custom_rule": [
        "deploy production -> block",
        "Deploy to staging first.",
        "deploy staging -> warn",
        "shopctl orders purge -> block",
        "shopctl orders purge --dry-run -> allow",
    ],
}
ON_A_DESKTOP = {"desktop_robot"}
"""They run in tests/desktop/e2e."""
BLOCKS = [
    block
    for page in ("library", "desktop")
    for block in re.findall(
        r"(?ms)^```python\n(.*?)^```$", (ROOT / "docs" / f"{page}.md").read_text()
    )
]


def run(sandbox: DaemonSandbox, *args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *args],
        cwd=sandbox.project,
        env=sandbox.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_every_example_is_run() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == {*SAYS, *ON_A_DESKTOP}


@pytest.mark.parametrize("name", SAYS)
def test_an_example_does_what_it_says(sandbox: DaemonSandbox, name: str) -> None:
    ran = run(sandbox, str(ROOT / "examples" / f"{name}.py"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [text for text in SAYS[name] if text not in ran.stdout] == []


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split("\n")[0] for block in BLOCKS])
def test_what_the_page_shows_runs(sandbox: DaemonSandbox, block: str) -> None:
    ran = run(sandbox, "-c", block)
    assert (ran.returncode, ran.stderr) == (0, "")
    for shown in re.findall(r"print\(.*\)  # (.*)", block):
        assert shown in ran.stdout
