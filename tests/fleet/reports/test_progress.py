"""The progress of a fleet, in a terminal and in a log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from handrail.fleet.reports.figures import duration
from handrail.fleet.reports.progress import FleetProgress, TaskProgress, log_lines, terminal_lines
from handrail.fleet.tasks.task import TaskStatus

ACTIVE, BLOCKED, DONE, FAILED, PENDING = (
    TaskStatus.ACTIVE,
    TaskStatus.BLOCKED,
    TaskStatus.DONE,
    TaskStatus.FAILED,
    TaskStatus.PENDING,
)
AUTH = TaskProgress(
    id="auth",
    title="Add the login",
    status=ACTIVE,
    slot=1,
    iteration=3,
    max_iterations=12,
    cost_usd=0.42,
    seconds=754,
)
CART = TaskProgress(id="cart", status=BLOCKED, says="It needs a\ndatabase.", cost_usd=1.2)
FLEET = FleetProgress(
    tasks=(
        AUTH,
        CART,
        TaskProgress(id="docs", status=DONE),
        TaskProgress(id="tax"),
        TaskProgress(id="pay", status=ACTIVE, slot=3, held=True, iteration=1),
    ),
    slots=3,
    seconds=5,
    cost_usd=4.2,
    questions=1,
)


def test_the_display_in_a_terminal() -> None:
    first, *others = terminal_lines(FLEET, 120)
    assert first == (
        "████░░░░░░░░░░░░░░░░ 1/5 done · 2 active · 1 pending · 1 blocked"
        " · 1 question · $4.20 · 5 s"
    )
    assert others == [
        " 1 ● auth  ██░░░░░░  iteration 3 of 12  $0.42  12 min  Add the login",
        " 2 ○ free",
        " 3 ‖ pay  iteration 1  $0.00  0 s",
        " ▲ cart  blocked  It needs a database.",
    ]


def test_the_budget_stands_beside_the_cost() -> None:
    (line,) = terminal_lines(FleetProgress(cost_usd=4.2, budget_usd=20, seconds=4_354), 80)
    assert line.endswith(" 0/0 done · $4.20 of $20.00 · 1 h 12 min")


def test_a_paused_fleet_says_so_first() -> None:
    assert terminal_lines(FleetProgress(paused=True), 60) == [
        "‖ paused · ░░░░░░░░░░░░░░░░░░░░ 0/0 done · $0.00 · 0 s"
    ]


def test_a_narrow_terminal_cuts_its_lines() -> None:
    assert terminal_lines(FLEET, 24)[1:3] == [" 1 ● auth  ██░░░░░░  it…", " 2 ○ free"]
    assert terminal_lines(FLEET, 1) == ["", "", "", "", ""]


def test_many_blocked_tasks_are_cut_with_a_count() -> None:
    tasks = tuple(TaskProgress(id=f"t{n}", status=BLOCKED) for n in range(1000))
    lines = terminal_lines(FleetProgress(tasks=tasks), 80)
    assert len(lines) == 7
    assert lines[-1] == "   … and 995 more"


def test_a_slot_that_was_taken_away_is_shown_until_its_task_ends() -> None:
    lines = terminal_lines(FleetProgress(tasks=(AUTH,), slots=0), 80)
    assert [line[:9] for line in lines[1:]] == [" 1 ● auth"]


def _with(task: TaskProgress, **fleet: bool | int | float) -> FleetProgress:
    return FleetProgress(tasks=(task,), slots=1, **fleet)  # type: ignore[arg-type]


def test_the_log_tells_each_change_once() -> None:
    new = TaskProgress(id="auth")
    done = TaskProgress(id="auth", status=DONE, cost_usd=1.25)
    assert log_lines(None, _with(new)) == []
    assert log_lines(_with(new), _with(AUTH)) == ["auth: active, slot 1, iteration 3 of 12, $0.42"]
    assert log_lines(_with(AUTH), _with(AUTH)) == []
    assert log_lines(_with(AUTH), _with(done, cost_usd=1.25)) == [
        "auth: done, $1.25",
        "1 of 1 task done, $1.25",
    ]
    assert log_lines(_with(done), _with(CART)) == [
        "cart: blocked, $1.20, It needs a database.",
        "0 of 1 task done, $0.00",
    ]


def test_what_ended_before_the_run_is_counted_and_what_waits_for_a_person_is_told() -> None:
    done = TaskProgress(id="docs", status=DONE)
    failed = TaskProgress(id="old", status=FAILED, says="cancelled by ada")
    assert log_lines(None, FleetProgress(tasks=(done, failed, CART))) == [
        "cart: blocked, $1.20, It needs a database.",
        "1 of 3 tasks done, $0.00",
    ]


def test_the_log_tells_of_questions() -> None:
    calm, asked = _with(AUTH), _with(AUTH, questions=2)
    assert log_lines(calm, asked) == ["questions for a person: 2"]
    assert log_lines(asked, calm) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (11_100, "3 h 5 min")],
)
def test_a_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


TASKS = st.builds(
    TaskProgress,
    id=st.sampled_from("abcd"),
    title=st.text(max_size=30),
    status=st.sampled_from(TaskStatus),
    slot=st.integers(0, 5),
    iteration=st.integers(0, 100),
    max_iterations=st.integers(0, 50),
    cost_usd=st.floats(0, 1e6),
    seconds=st.floats(-10, 1e7),
    held=st.booleans(),
    says=st.text(max_size=30),
)
FLEETS = st.builds(
    FleetProgress,
    tasks=st.lists(TASKS, max_size=6, unique_by=lambda task: task.id).map(tuple),
    slots=st.integers(0, 5),
    seconds=st.floats(-10, 1e7),
    cost_usd=st.floats(0, 1e6),
    budget_usd=st.floats(0, 1e6),
    paused=st.booleans(),
    questions=st.integers(0, 9),
)


@given(FLEETS, st.integers(1, 130))
def test_no_line_is_wider_than_the_terminal_or_more_than_one(
    fleet: FleetProgress, width: int
) -> None:
    for line in terminal_lines(fleet, width):
        assert cell_len(line) <= width
        assert len(line.splitlines()) <= 1
        assert "\x1b" not in line


@given(FLEETS)
def test_nothing_is_printed_if_nothing_has_changed(fleet: FleetProgress) -> None:
    assert log_lines(fleet, fleet) == []


@given(FLEETS, FLEETS)
def test_every_change_of_a_status_has_a_line(before: FleetProgress, after: FleetProgress) -> None:
    lines = log_lines(before, after)
    known = {task.id: task.status for task in before.tasks}
    for task in after.tasks:
        if known.get(task.id, PENDING) is not task.status:
            assert any(line.startswith(f"{task.id}: ") for line in lines)
