"""`handrail checkpoints`: what was saved, in a table that fits."""

import os
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.cli.checkpoint_records import NOW, record
from tests.cli.conftest import HandrailShell

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointStore,
    CheckpointTrigger,
    Coverage,
    LeftOut,
    checkpoint_folder,
)
from handrail.cli.commands.checkpoints import show
from handrail.cli.output.terminal import TerminalOutput, columns

pytestmark = pytest.mark.slow


@pytest.fixture
def checkpoints(shell: HandrailShell) -> CheckpointStore:
    folder = checkpoint_folder(str(shell.state), str(shell.project))
    environ = {**shell.environ, "PATH": os.environ["PATH"]}
    return CheckpointStore(folder, str(shell.project), environ=environ)


def lines(capsys: pytest.CaptureFixture[str], width: int = 80) -> Iterator[str]:
    records = [
        record(
            14,
            moment=CheckpointTrigger.BEFORE_ACTION,
            why="before Bash: git clean -fdx && rm -rf build dist " + "and so on " * 9,
            run="3f2a",
            step=212,
            files=1203,
            bytes=12_000,
        ),
        record(13, moment=CheckpointTrigger.RESTORED, why="went back to c9", back_to="c9"),
        record(12, coverage=Coverage((LeftOut("big.bin", "too large"),)), name="before-refactor"),
        record(9, moment=CheckpointTrigger.PROMPT, created_at=NOW - timedelta(days=3)),
    ]
    show(TerminalOutput(colour=False, width=width), records, {"3f2a": "shop-3f2a"})
    yield from capsys.readouterr().out.splitlines()


def test_a_line_says_when_why_and_how_much(capsys: pytest.CaptureFixture[str]) -> None:
    head, action, restored, named, prompt = lines(capsys)
    assert head.split() == ["ID", "AGE", "WHY", "RUN", "STEP", "FILES", "SIZE"]
    assert action.split()[0] == "c14"
    assert "before Bash: git clean -fdx" in action
    assert action.endswith(" shop-3f2a 212  1,203  12 KB")
    assert restored.startswith(" ↶  c13")
    assert "before-refactor" in named
    assert named.endswith("◐")
    assert "before a prompt" in prompt


def test_a_narrow_terminal_shows_what_matters_most(capsys: pytest.CaptureFixture[str]) -> None:
    assert "SIZE" not in next(lines(capsys, 60))
    assert next(lines(capsys, 40)).split() == ["ID", "AGE", "WHY"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_screen(capsys: pytest.CaptureFixture[str], width: int) -> None:
    assert max(columns(line) for line in lines(capsys, width)) <= min(width, 80)


def test_before_the_first_one_it_is_said_how_they_come_about(shell: HandrailShell) -> None:
    ran = shell.run("checkpoints")
    assert ran.code == 0
    text = "".join(ran.out.split())  # a long path is broken
    assert text.startswith(f"Nocheckpointsof{shell.project}yet.")
    assert text.endswith("Savethemnow:handrailcheckpoint")
    assert shell.run("checkpoints", "--json").json == []
    assert not shell.state.exists()


def test_of_a_long_list_the_newest_are_shown(
    shell: HandrailShell, checkpoints: CheckpointStore
) -> None:
    for number in range(23):
        (shell.project / "cart.py").write_text(str(number))
        checkpoints.save(CheckpointInfo(CheckpointTrigger.PERIODIC, f"after step {number}"))
    out = shell.run("checkpoints").out.splitlines()
    assert len(out) == 1 + 20 + 1
    assert out[1].split()[0] == "c23"
    assert out[-1] == " … and 3 older ones: handrail checkpoints --all"
    assert len(shell.run("checkpoints", "--all").out.splitlines()) == 24
    assert [each["id"] for each in shell.run("checkpoints", "--json").json][::22] == ["c23", "c1"]


def test_a_run_that_the_log_does_not_know_is_called_by_its_id(
    shell: HandrailShell, checkpoints: CheckpointStore
) -> None:
    checkpoints.save(
        CheckpointInfo(CheckpointTrigger.PROMPT, "prompt: fix it", run="3f2a9c1e-0b11", step=4)
    )
    [_, line] = shell.run("checkpoints").out.splitlines()
    assert "prompt: fix it" in line
    assert "3f2a9c1e 4" in line
