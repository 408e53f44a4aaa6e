"""What people are told about the tasks of a fleet."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.engine.events import Lease, TaskAudited
from handrail.fleet.engine.fleet_state import FleetState, TaskMerge, TaskState
from handrail.fleet.tasks.dependencies import StartObstacle
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.words.tasks import (
    TASK_SIGNS,
    TaskLine,
    TaskWords,
    attempt_in_words,
    describe_task,
    list_tasks,
    summarize_tasks,
    task_table,
)

NOW = 1_777_800_000.0
OBSTACLE = StartObstacle("t", "a", "a", TaskStatus.FAILED)


def state(name: str = "t", *depends_on: str, **facts: Any) -> TaskState:
    task = Task(id=name, prompt=f"Do {name}\nwell", depends_on=depends_on)
    return TaskState(**{"task": task, "added": NOW - 300, "changed": NOW - 60, **facts})


def fleet(*states: TaskState) -> FleetState:
    return FleetState(tasks={each.task.id: each for each in states})


LEASE = Lease(owner="me", attempt=2, slot=3)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({}, "ready"),
        (
            {"tries": 1, "expiries": 1, "says": "no\nlock"},
            "ready: 2 attempts failed: no lock",
        ),
        ({"held": True}, "stopped: a person stopped it"),
        ({"held": True, "says": "wrong file"}, "stopped: wrong file"),
        ({"status": TaskStatus.ACTIVE}, "working"),
        ({"status": TaskStatus.ACTIVE, "lease": LEASE}, "working: in slot 3"),
        ({"status": TaskStatus.BLOCKED, "says": "which port?"}, "needs you: which port?"),
        ({"status": TaskStatus.FAILED, "says": "cancelled by you"}, "failed: cancelled by you"),
        ({"status": TaskStatus.DONE}, "done"),
        (
            {"status": TaskStatus.DONE, "merge": TaskMerge("merged", "main")},
            "merged: into main",
        ),
        (
            {"status": TaskStatus.DONE, "merge": TaskMerge("waiting", "main", says="not clean")},
            "done: its merge into main waits: not clean",
        ),
        (
            {"status": TaskStatus.DONE, "merge": TaskMerge("conflict", "main")},
            "needs you: it conflicts with main",
        ),
        (
            {"status": TaskStatus.DONE, "merge": TaskMerge("new_outcome", "{x}")},
            "done: new_outcome: {x}",
        ),
    ],
)  # fmt: skip
def test_a_task_says_how_it_stands_and_why(facts: dict[str, Any], says: str) -> None:
    assert describe_task(state(**facts)).says == says


def test_a_waiting_task_names_those_it_waits_for() -> None:
    assert describe_task(state(), ["a"]).says == "waiting: for a"
    assert describe_task(state(), list("abcde")).says == "waiting: for a, b, c and 2 more"


def test_a_task_that_cannot_start_says_why() -> None:
    words = describe_task(state(), ["a"], OBSTACLE)
    assert words.says == "cannot start: it depends on a, and a has failed"


def test_only_a_repeated_attempt_is_worth_a_word() -> None:
    assert attempt_in_words(state(attempt=1)) == ""
    assert attempt_in_words(state(attempt=4)) == "attempt 4"


def test_every_status_has_words() -> None:
    for status in TaskStatus:
        assert describe_task(state(status=status)).state in TASK_SIGNS


def test_a_list_says_what_each_task_waits_for() -> None:
    lines = list_tasks(
        fleet(
            state("a", status=TaskStatus.FAILED, says="no", cost_usd=0.42, attempt=3),
            state("b", "a"),
            state("c", "d"),
            state("d", status=TaskStatus.ACTIVE),
        ),
        NOW,
    )
    assert [line.words.state for line in lines] == ["failed", "cannot start", "waiting", "working"]
    assert (lines[0].age, lines[0].attempt, lines[0].cost) == ("1 min", "attempt 3", "$0.42")
    assert (lines[1].age, lines[1].label) == ("5 min", "Do b")
    assert summarize_tasks(lines) == "1 failed, 1 cannot start, 1 working, 1 waiting"


def test_the_age_of_a_task_at_work_counts_from_its_attempt() -> None:
    earlier = TaskAudited(NOW - 900, "a", 1, "start")
    begun = TaskAudited(NOW - 120, "a", 2, "start")
    at_work = state("a", status=TaskStatus.ACTIVE, attempt=2, audit=[earlier, begun])
    assert [line.age for line in list_tasks(fleet(at_work), NOW)] == ["2 min"]


def rendered(lines: list[TaskLine], width: int) -> list[str]:
    return ["  ".join(cells) for cells in task_table(lines, width, len)]


def test_a_table_lines_up_and_tells_reasons_of_what_needs_a_person() -> None:
    lines = list_tasks(
        fleet(
            state("build", status=TaskStatus.DONE),
            state("cart", "build", status=TaskStatus.BLOCKED, says="Which currency?"),
        ),
        NOW,
    )
    assert rendered(lines, 60) == [
        "build  done       1 min  Do build",
        "cart   needs you  1 min  Which currency?",
    ]


def test_a_narrow_table_gives_up_cost_then_attempt_then_age() -> None:
    (line,) = list_tasks(fleet(state("cart", attempt=2, cost_usd=1.5)), NOW)
    assert rendered([line], 70) == ["cart  ready  5 min  attempt 2  $1.50  Do cart"]
    assert rendered([line], 56) == ["cart  ready  5 min  attempt 2  Do cart"]
    assert rendered([line], 45) == ["cart  ready  5 min  Do cart"]
    assert rendered([line], 30) == ["cart  ready  Do cart"]


def test_an_empty_list_is_an_empty_table() -> None:
    assert task_table([], 80, len) == []
    assert summarize_tasks([]) == ""


TEXT = st.text(max_size=40)


@given(
    st.lists(
        st.builds(
            TaskLine,
            st.from_regex(r"[a-z][a-z0-9-]{0,59}", fullmatch=True),
            st.builds(TaskWords, st.sampled_from(list(TASK_SIGNS)), TEXT),
            TEXT.map(lambda text: text[:8]),
            st.sampled_from(["", "attempt 12"]),
            st.sampled_from(["", "$1,234.56"]),
            TEXT,
        ),
        max_size=5,
    ),
    st.integers(30, 200),
)
def test_no_line_is_wider_than_the_terminal(lines: list[TaskLine], width: int) -> None:
    assert all(len(line) <= width for line in rendered(lines, width))


def test_a_thousand_tasks_measure_each_text_a_few_times() -> None:
    """The work is counted, not timed: it grows with the tasks, and no faster."""

    def measures(size: int) -> int:
        asked = 0

        def columns(text: str) -> int:
            nonlocal asked
            asked += 1
            return len(text)

        states = [state(f"t{number}", f"t{number - 1}") for number in range(size)]
        task_table(list_tasks(fleet(*states), NOW), 80, columns)
        return asked

    assert measures(1000) <= 10 * measures(100) + 100
