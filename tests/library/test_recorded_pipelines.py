"""A pipeline is in the daemon's log: while it runs, after its end, and after a kill."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep, time

import psutil
import pytest

from handrail import run_pipeline
from handrail.api.messages.fleets import PipelineRow
from handrail.api.rows.pipeline_rows import pipeline_row
from handrail.fleet.pipeline.recorded import read_pipelines
from handrail.fleet.pipeline.runner_process import may_live
from handrail.store.opening import open_log
from tests.library.conftest import SupervisedProject
from tests.server.daemon_sandbox import DaemonSandbox

pytestmark = pytest.mark.slow

PATIENCE = 60.0
SLEEPER = """
name: sleeper
steps:
  - {name: first, type: command, command: 'true'}
  - {name: nap, type: command, command: touch began; exec sleep 600}
  - {name: never, type: command, command: 'true'}
"""


@pytest.fixture
def place(sandbox: DaemonSandbox, folder: Path) -> Iterator[SupervisedProject]:
    made = SupervisedProject(sandbox, folder, daemon=True)
    yield made
    made.close()


def rows(place: SupervisedProject) -> list[PipelineRow]:
    with closing(open_log(place.sandbox.home.log, "read")) as store:
        found = read_pipelines(store, 10)
    here = [each for each in found if each.begun.folder == str(place.folder)]
    return [pipeline_row(each, time(), lives=may_live(each.begun)) for each in here]


def is_napping(place: SupervisedProject) -> bool:
    """Whether the log says that the second step runs: the process tells it in a thread."""
    return any(row.steps[1].status == "running" for row in rows(place))


@contextmanager
def sleeper(place: SupervisedProject) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the sleeper in a process of its own, whose second step has begun."""
    (place.folder / "sleeper.yaml").write_text(SLEEPER)
    command = [sys.executable, "-m", "handrail", "pipeline", "run", "sleeper.yaml"]
    with subprocess.Popen(
        command, cwd=place.folder, env=place.sandbox.environ, stdout=subprocess.PIPE
    ) as process:
        try:
            until = monotonic() + PATIENCE
            while not ((place.folder / "began").exists() and is_napping(place)):
                assert monotonic() < until
                sleep(0.02)
            yield process
        finally:
            alive = process.poll() is None
            left = psutil.Process(process.pid).children(recursive=True) if alive else []
            process.kill()
            for each in left:
                with suppress(psutil.NoSuchProcess):
                    each.kill()


def test_a_pipeline_is_recorded_with_its_steps_runs_and_reviews(place: SupervisedProject) -> None:
    result = run_pipeline(
        """
name: greeting
steps:
  - {name: hello, type: command, command: echo hello}
  - {name: fails, type: command, command: exit 3}
  - {name: after, type: command, command: echo never}
""",
        folder=place.folder,
        environ=place.sandbox.environ,
    )
    (row,) = rows(place)
    assert (row.name, row.status, row.error, row.file) == ("greeting", "error", "step_failed", "")
    assert [(step.name, step.status) for step in row.steps] == [
        ("hello", "ok"), ("fails", "failed"), ("after", "skipped"),
    ]  # fmt: skip
    assert row.steps[0].runs == result.steps[0].runs
    assert row.review["total"] == result.review_summary.total == 2


def test_a_killed_process_leaves_an_interrupted_pipeline(place: SupervisedProject) -> None:
    with sleeper(place):
        (row,) = rows(place)
        assert (row.status, [step.status for step in row.steps]) == (
            "running", ["ok", "running", "waiting"],
        )  # fmt: skip
    (row,) = rows(place)
    assert (row.status, row.error) == ("error", "interrupted")
    assert [step.status for step in row.steps] == ["ok", "interrupted", "not_run"]


def test_what_happens_while_the_daemon_is_away_is_recorded_later(
    place: SupervisedProject,
) -> None:
    with sleeper(place) as process:
        place.sandbox.kill()
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    (row,) = rows(place)
    assert (row.status, row.error) == ("error", "interrupted")
    assert row.steps[1].status == "interrupted"
    assert row.steps[1].says.startswith("it was interrupted")
