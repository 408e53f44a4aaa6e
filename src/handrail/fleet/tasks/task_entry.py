"""One task out of the values that a person gave, without a file."""

from collections.abc import Collection, Mapping

from handrail.config.errors import ConfigError
from handrail.config.setting_tree import SettingOrigin
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.tasks.task import Task
from handrail.fleet.tasks.task_file import parse_tasks
from handrail.fleet.tasks.task_writing import tasks_yaml

_OF_ONE = "tasks[0]"


class BadTaskError(FleetError, ValueError):
    """A value of a task is wrong; the text names each."""


def task_of_entry(entry: Mapping[str, object], known: Collection[str]) -> Task:
    """Make a task as if it stood in a file. `known`: the ids of all tasks. Raises BadTaskError."""
    try:
        return parse_tasks(tasks_yaml([entry]), SettingOrigin(""), known)[0]
    except ConfigError as error:
        says = [f"{each.key.removeprefix(_OF_ONE).lstrip('.')}: {each.says}".lstrip(": ")
                for each in error.problems]  # fmt: skip
        raise BadTaskError("; ".join(says)) from None


def why_not_new(task: Task, known: Mapping[str, Task]) -> str:
    """Return why a new task cannot have its id, or ""."""
    for name, other in known.items():
        if name.casefold() == task.id.casefold() and other != task:
            return f"there is a task {name} already"
    return ""
