"""What the log says about pipelines: past, running, and those whose process was killed."""

import subprocess
import sys

import msgspec
import pytest

from handrail.api.rows.pipeline_rows import pipeline_row
from handrail.fleet.pipeline.events import (
    PipelineBegun,
    PipelineEnded,
    PipelineEvent,
    PlannedStep,
    RecordedRefusal,
    StepBegun,
    StepEnded,
)
from handrail.fleet.pipeline.recorded import (
    RecordedPipeline,
    pipeline_topic,
    read_pipeline_log,
    read_pipelines,
)
from handrail.fleet.pipeline.result import ReviewSummary, StepStatus
from handrail.fleet.pipeline.runner_process import begun_here, may_live
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.store.memory import MemoryStore
from handrail.store.port import NewEntry

STEPS = (PlannedStep("build", "command"), PlannedStep("fix", "claude_code"))
BEGUN = PipelineBegun(100.0, "mend", STEPS, "/shop", "ci.yaml", "ada")
BUILT = StepEnded(
    103.0, "build", StepStatus.FAILED, "exit code 2", 2, ("r1",), 2, 2.5, True,
    (RecordedRefusal("r1", 3, "Bash", "rm -rf /", "It deletes everything.", "Name a folder."),),
    ReviewSummary(total=4, allowed=3, blocked_count=1), 10, 0.25,
)  # fmt: skip


def write(store: MemoryStore, pipeline: str, *events: PipelineEvent) -> None:
    topic = pipeline_topic(pipeline)
    for event in events:
        store.append([NewEntry(topic, msgspec.json.encode(event))]).result(0)


def recorded(*events: PipelineEvent) -> RecordedPipeline:
    store = MemoryStore()
    write(store, "p1", *events)
    (found,) = read_pipelines(store, 10)
    return found


def test_a_running_pipeline_shows_the_step_at_work_and_those_that_wait() -> None:
    row = pipeline_row(recorded(BEGUN, StepBegun(101.0, "build")), 105.0, lives=True)
    assert (row.status, row.error, row.seconds, row.by) == ("running", "", 5.0, "ada")
    assert [(step.name, step.status, step.seconds) for step in row.steps] == [
        ("build", "running", 4.0),
        ("fix", "waiting", 0.0),
    ]


def test_the_end_of_a_pipeline_tells_what_decided_it_and_sums_up() -> None:
    events = (BEGUN, StepBegun(101.0, "build"), BUILT, StepBegun(103.0, "fix"),
              StepEnded(110.0, "fix", StepStatus.OK, cost_usd=0.5),
              PipelineEnded(110.0, "blocked_by_reviewer", "build", 9.5))  # fmt: skip
    row = pipeline_row(recorded(*events), 500.0, lives=False)
    assert (row.status, row.error, row.seconds) == ("error", "blocked_by_reviewer", 9.5)
    assert (row.cost_usd, row.review["total"], row.review["blocked_count"]) == (0.75, 4, 1)
    (blocked,) = row.blocked
    assert (blocked.step, blocked.action, blocked.says) == ("build", 3, "rm -rf /")
    assert blocked.reason == "It deletes everything. Name a folder."


def test_a_pipeline_whose_process_is_gone_was_interrupted() -> None:
    row = pipeline_row(recorded(BEGUN, StepBegun(101.0, "build")), 900.0, lives=False)
    assert (row.status, row.error, row.seconds) == ("error", "interrupted", 1.0)
    assert [step.status for step in row.steps] == ["interrupted", "not_run"]


def test_the_latest_pipelines_come_first_and_damaged_ones_are_passed_over() -> None:
    store = MemoryStore()
    for name in ("a", "b", "c"):
        write(store, name, BEGUN)
    write(store, "odd", StepBegun(1.0, "build"))
    store.append([NewEntry(pipeline_topic("bad"), b"{nothing")]).result(0)
    assert {each.id for each in read_pipelines(store, 10)} == {"a", "b", "c"}
    assert read_pipeline_log(store, "nobody") is None


@pytest.mark.parametrize("step", ["later", "x" * 1000])
def test_a_step_that_nobody_planned_is_shown_all_the_same(step: str) -> None:
    row = pipeline_row(recorded(BEGUN, StepBegun(101.0, step)), 105.0, lives=True)
    assert row.steps[-1].name == step


def test_a_killed_process_cannot_be_taken_for_the_one_that_ran_the_pipeline() -> None:
    own = begun_here(1.0, "mend", folder="/shop", file="", by="")
    assert may_live(own)
    assert not may_live(msgspec.structs.replace(own, pid_began=own.pid_began + 100))
    assert not may_live(msgspec.structs.replace(own, boot="another boot"))
    assert may_live(msgspec.structs.replace(own, host="another machine", pid=0))
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    began = start_time_of_pid(child.pid)
    theirs = msgspec.structs.replace(own, pid=child.pid, pid_began=began)
    assert may_live(theirs)
    child.kill()
    child.communicate()
    assert not may_live(theirs)
