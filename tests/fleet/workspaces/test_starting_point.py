"""The workspace of a task holds the work of the tasks that it depends on."""

from pathlib import Path

import pytest

from handrail.fleet.tasks.task import Task
from handrail.fleet.workspaces.starting_point import DependencyConflictError, add_dependencies
from handrail.fleet.workspaces.workspace_work import workspace_status
from tests.fleet.task_repository import TaskRepository

TASK = Task(id="c", prompt="go on", depends_on=("a", "b"))


@pytest.fixture
def repository(tmp_path: Path) -> TaskRepository:
    return TaskRepository(tmp_path)


def work(repository: TaskRepository, task: str, file: str, content: str = "1\n") -> str:
    """Do a task in a workspace of its own; return its commit."""
    path = repository.workspaces.create(task).path
    repository.write(file, content, at=path)
    return repository.commit(f"do {task}", at=path)


def test_it_starts_at_the_commit_of_an_unmerged_dependency(repository: TaskRepository) -> None:
    done = work(repository, "a", "a.txt")
    new = repository.workspaces.create("c")
    started = add_dependencies(repository.workspaces, new, TASK, [done])
    assert started.base == done
    assert repository.workspaces.reuse("c") == started
    assert workspace_status(started, repository.environ).commits == 0


def test_it_joins_several_dependencies_with_what_came_to_the_branch_since(
    repository: TaskRepository,
) -> None:
    both = [work(repository, "a", "a.txt"), work(repository, "b", "b.txt")]
    repository.write("later.txt", "1\n")
    repository.commit("meanwhile")
    new = repository.workspaces.create("c")
    started = add_dependencies(repository.workspaces, new, TASK, both)
    assert {"a.txt", "b.txt", "later.txt"} <= {each.name for each in Path(started.path).iterdir()}
    assert workspace_status(started, repository.environ).changed == (), "none of it is its own work"
    assert add_dependencies(repository.workspaces, started, TASK, both) == started


def test_merged_dependencies_change_nothing(repository: TaskRepository) -> None:
    done = work(repository, "a", "a.txt")
    repository.git("merge", "-q", done)
    new = repository.workspaces.create("c")
    assert add_dependencies(repository.workspaces, new, TASK, [done, "0" * 40]) == new


def test_a_conflict_of_dependencies_names_the_files_and_the_command(
    repository: TaskRepository,
) -> None:
    both = [work(repository, "a", "x.txt", "1\n"), work(repository, "b", "x.txt", "2\n")]
    new = repository.workspaces.create("c")
    with pytest.raises(DependencyConflictError, match=r"x\.txt; .*: handrail merge a b"):
        add_dependencies(repository.workspaces, new, TASK, both)
    assert not workspace_status(new, repository.environ).uncommitted, "no half-made merge is left"


def test_work_under_way_is_left_alone(repository: TaskRepository) -> None:
    done = work(repository, "a", "a.txt")
    used = repository.workspaces.mark_set_up(repository.workspaces.create("c"))
    assert add_dependencies(repository.workspaces, used, TASK, [done]) == used
