"""Which tasks wait for which: order, cycles, what is ready, what can never start, who is next."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.tasks.dependencies import (
    DependencyCycleError,
    count_waiting,
    cycle_on_add,
    find_cycles,
    in_order,
    missing_for,
    must_not_close_cycle,
    needs_of,
    ready,
    start_obstacles,
)
from handrail.fleet.tasks.task import Task, TaskStatus

PENDING, ACTIVE, DONE = TaskStatus.PENDING, TaskStatus.ACTIVE, TaskStatus.DONE
FAILED, BLOCKED = TaskStatus.FAILED, TaskStatus.BLOCKED


def task(name: str, *depends_on: str, priority: int = 0) -> Task:
    return Task(id=name, prompt="do it", depends_on=depends_on, priority=priority)


def names(tasks: list[Task]) -> list[str]:
    return [each.id for each in tasks]


CHAIN = [task("c", "b"), task("b", "a"), task("a")]


def test_a_task_comes_after_those_it_depends_on() -> None:
    assert names(in_order(CHAIN)) == ["a", "b", "c"]


def test_tasks_without_dependencies_keep_their_order() -> None:
    assert names(in_order([task("z"), task("a"), task("m")])) == ["z", "a", "m"]


def test_a_dependency_outside_of_the_tasks_counts_as_met() -> None:
    assert names(in_order([task("b", "elsewhere"), task("a", "b")])) == ["b", "a"]


def test_an_order_of_tasks_in_a_cycle_names_the_cycle() -> None:
    with pytest.raises(DependencyCycleError, match="tasks wait for each other: a -> b -> a"):
        in_order([task("x"), task("a", "b"), task("b", "a")])


@pytest.mark.parametrize(
    ("needs", "cycles"),
    [
        ({}, []),
        ({"a": ["b"], "b": []}, []),
        ({"a": ["a"]}, [("a", "a")]),
        ({"a": ["b"], "b": ["a"]}, [("a", "b", "a")]),
        ({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, [("a", "b", "c", "a")]),
        ({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, [("a", "b", "a"), ("c", "d", "c")]),
        ({"a": ["nowhere"]}, []),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, []),  # a diamond is no cycle
    ],
)
def test_cycles_are_named_from_a_task_back_to_itself(
    needs: dict[str, list[str]], cycles: list[tuple[str, ...]]
) -> None:
    assert find_cycles(needs) == cycles


def test_a_task_that_would_close_a_cycle_is_refused_when_it_is_added() -> None:
    needs = needs_of(CHAIN)
    assert cycle_on_add(task("a", "c"), needs) == ("a", "c", "b", "a")
    assert cycle_on_add(task("d", "c"), needs) == ()
    assert cycle_on_add(task("e", "e"), needs) == ("e", "e")
    with pytest.raises(DependencyCycleError, match="a -> c -> b -> a"):
        must_not_close_cycle(task("a", "c"), needs)


def test_a_changed_task_is_judged_by_its_new_dependencies() -> None:
    needs = {"a": ("b",), "b": ()}
    assert cycle_on_add(task("a"), {**needs, "b": ("a",)}) == ()


def test_a_task_is_ready_when_it_is_pending_and_its_dependencies_are_done() -> None:
    tasks = [task("a"), task("b", "a"), task("c", "a", "b"), task("d")]
    assert names(ready(tasks, dict.fromkeys("abcd", PENDING))) == ["a", "d"]
    done = {"a": DONE, "b": PENDING, "c": PENDING, "d": ACTIVE}
    assert names(ready(tasks, done)) == ["b"]
    assert missing_for(tasks[2], done) == ["b"]


def test_a_task_without_a_status_is_not_ready() -> None:
    assert ready([task("a")], {}) == []
    assert ready([task("b", "gone")], {"b": PENDING}) == []


def test_tasks_behind_a_failed_one_cannot_start_and_say_why() -> None:
    statuses = {"a": FAILED, "b": PENDING, "c": PENDING}
    obstacles = start_obstacles(CHAIN, statuses)
    assert obstacles["b"].says == "it depends on a, and a has failed"
    assert obstacles["c"].says == "it depends on b, which cannot start: a has failed"
    assert (obstacles["c"].through, obstacles["c"].cause) == ("b", "a")


def test_tasks_behind_a_blocked_one_wait_for_a_person() -> None:
    obstacles = start_obstacles(CHAIN, {"a": BLOCKED, "b": PENDING, "c": DONE})
    assert {name: each.says for name, each in obstacles.items()} == {
        "b": "it depends on a, and a is blocked and needs a person"
    }


def test_a_task_behind_one_that_is_gone_cannot_start() -> None:
    (obstacle,) = start_obstacles([task("b", "gone")], {"b": PENDING}).values()
    assert obstacle.says == "it depends on gone, and gone does not exist"


def test_the_nearest_cause_is_named() -> None:
    tasks = [task("far"), task("mid", "far"), task("near"), task("z", "mid", "near")]
    statuses = {"far": FAILED, "mid": PENDING, "near": BLOCKED, "z": PENDING}
    assert start_obstacles(tasks, statuses)["z"].cause == "near"


def test_only_open_tasks_count_as_waiting() -> None:
    tasks = [task("a"), task("b", "a", "a"), task("c", "a"), task("d", "a")]
    statuses = {"a": PENDING, "b": PENDING, "c": DONE, "d": FAILED}
    assert count_waiting(tasks, statuses) == {"a": 1}


# --- any graph

NAMES = [f"t{number}" for number in range(8)]


@st.composite
def graphs(draw: st.DrawFn) -> list[Task]:
    """Any dependencies, cycles included."""
    known = draw(st.lists(st.sampled_from(NAMES), unique=True))
    return [task(name, *draw(st.lists(st.sampled_from(NAMES), max_size=3))) for name in known]


@st.composite
def orders(draw: st.DrawFn) -> list[Task]:
    """Dependencies without a cycle: only on tasks of a lower number; in any order."""
    tasks = [
        task(name, *draw(st.lists(st.sampled_from(NAMES[:number]), unique=True)) if number else ())
        for number, name in enumerate(NAMES)
    ]
    return draw(st.permutations(tasks))


def reaches(needs: Mapping[str, tuple[str, ...]], start: str, end: str) -> bool:
    seen: set[str] = set()
    todo = list(needs.get(start, ()))
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo.extend(needs.get(at, ()))
    return end in seen


@given(graphs())
def test_a_cycle_is_found_if_and_only_if_a_task_reaches_itself(tasks: list[Task]) -> None:
    needs = needs_of(tasks)
    cycles = find_cycles(needs)
    assert bool(cycles) == any(reaches(needs, name, name) for name in needs)
    met: set[str] = set()
    for cycle in cycles:
        assert cycle[0] == cycle[-1]
        assert all(later in needs[earlier] for earlier, later in pairwise(cycle))
        assert met.isdisjoint(cycle)
        met.update(cycle)


@given(orders())
def test_an_order_puts_every_task_after_its_dependencies(tasks: list[Task]) -> None:
    at = {each.id: place for place, each in enumerate(in_order(tasks))}
    assert sorted(at) == sorted(NAMES)
    assert all(at[name] < at[each.id] for each in tasks for name in each.depends_on)


@given(orders(), st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=3))
def test_a_task_is_refused_exactly_if_it_closes_a_cycle(
    tasks: list[Task], name: str, depends_on: list[str]
) -> None:
    changed = task(name, *depends_on)
    after = {**needs_of(tasks), name: changed.depends_on}
    cycle = cycle_on_add(changed, needs_of(tasks))
    assert bool(cycle) == bool(find_cycles(after))
    assert all(later in after[earlier] for earlier, later in pairwise(cycle))


@given(orders(), st.data())
def test_a_pending_task_is_ready_or_waits_or_has_an_obstacle(
    tasks: list[Task], data: st.DataObject
) -> None:
    """An obstacle is exactly a failed or blocked task somewhere below."""
    statuses = {each.id: data.draw(st.sampled_from(TaskStatus)) for each in tasks}
    obstacles = start_obstacles(tasks, statuses)
    needs = {each.id: () if statuses[each.id] is not PENDING else each.depends_on for each in tasks}
    for each in tasks:
        if statuses[each.id] is PENDING:
            stopped = any(
                statuses[name] in (FAILED, BLOCKED) and reaches(needs, each.id, name)
                for name in NAMES
            )
            assert (each.id in obstacles) == stopped
    assert not {each.id for each in ready(tasks, statuses)} & set(obstacles)


# --- the work for many tasks, counted


class CountedNames(tuple[str, ...]):
    """Dependencies that count how often somebody goes through them."""

    __slots__ = ()
    looks: ClassVar[int] = 0

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            CountedNames.looks += 1
            yield name


def dense(size: int) -> list[Task]:
    """Return a chain in which each task also depends on the first ten."""
    return [
        Task(
            id=str(number),
            prompt="x",
            depends_on=CountedNames(map(str, [*range(min(10, number - 1)), number - 1])),
        )
        for number in range(1, size)
    ]


QUESTIONS: dict[str, Callable[[list[Task], Mapping[str, TaskStatus]], object]] = {
    "ready": ready,
    "start_obstacles": start_obstacles,
    "count_waiting": count_waiting,
    "in_order": lambda tasks, _: in_order(tasks),
    "find_cycles": lambda tasks, _: find_cycles(needs_of(tasks)),
    "cycle_on_add": lambda tasks, _: cycle_on_add(task("new", tasks[-1].id), needs_of(tasks)),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_looks_at_each_dependency_a_few_times_however_many_tasks(question: str) -> None:
    for size in (100, 1000):
        tasks = [task("0"), *dense(size)]
        statuses = {each.id: PENDING for each in tasks} | {"0": FAILED}
        CountedNames.looks = 0
        QUESTIONS[question](tasks, statuses)
        assert 0 < CountedNames.looks <= 2 * sum(len(each.depends_on) for each in tasks)


def test_a_chain_of_many_tasks_is_no_recursion() -> None:
    tasks = [task(str(number), str(number + 1)) for number in range(5000)]
    assert find_cycles(needs_of(tasks)) == []
    closed = [*tasks, task("5000", "0")]
    (cycle,) = find_cycles(needs_of(closed))
    assert len(cycle) == 5002
    assert len(cycle_on_add(closed[-1], needs_of(tasks))) == 5002
    assert names(in_order(tasks))[0] == "4999"
