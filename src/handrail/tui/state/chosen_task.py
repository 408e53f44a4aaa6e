"""The list of tasks and the chosen one; nothing is made anew while nothing has changed."""

from collections.abc import Iterable

from handrail.tui.sending.task_commands import TASK_COMMANDS, TaskQuestion, why_not_task
from handrail.tui.text import flat
from handrail.views.task_overview import FleetView, TaskOverview

_MAX_FOLDERS = 20


class ChosenTask:
    """The tasks of all fleets, as far as the filter lets them through."""

    def __init__(self) -> None:
        self.list: list[TaskOverview] = []
        """The same object while nothing has changed."""
        self.key = ""
        """The key of the chosen task."""
        self._fleets: tuple[FleetView, ...] = ()
        self._sought = ""
        self._at = 0

    def show(self, fleets: tuple[FleetView, ...], sought: str) -> None:
        """Show the tasks of these fleets with a text in them."""
        if fleets is self._fleets and sought == self._sought:
            return
        self._fleets, self._sought = fleets, sought
        wanted = sought.lower()
        self.list = [
            task for fleet in fleets for task in fleet.tasks if not wanted or wanted in _text(task)
        ]
        keys = [task.key for task in self.list]
        if self.key in keys:
            self._at = keys.index(self.key)
        else:
            self._at = max(min(self._at, len(keys) - 1), 0)
            self.key = keys[self._at] if keys else ""

    def pick(self, key: str) -> None:
        """Choose a task, as a person does."""
        self.key = key
        self._at = next((at for at, task in enumerate(self.list) if task.key == key), 0)

    @property
    def task(self) -> TaskOverview | None:
        """The chosen task."""
        is_there = self._at < len(self.list) and self.list[self._at].key == self.key
        return self.list[self._at] if is_there else None

    @property
    def fleet(self) -> FleetView | None:
        """The fleet of the chosen task."""
        task = self.task
        name = task.fleet if task else ""
        return next((each for each in self._fleets if each.name == name), None)

    @property
    def is_empty(self) -> bool:
        """Whether there is no fleet to show."""
        return not self._fleets

    def ask(self, command: str, folders: Iterable[str]) -> TaskQuestion | str:
        """Return the question of a command, or why it is impossible.

        `folders`: where the repository of the fleet may be, if no workspace is left.
        """
        task, fleet = self.task, self.fleet
        problem = why_not_task(command, task, fleet)
        if problem or task is None or fleet is None:
            return problem
        trees = [each.workspace.path for each in fleet.tasks if each.workspace]
        places = dict.fromkeys((*trees[:_MAX_FOLDERS], *folders))
        suggested = TASK_COMMANDS[command].suggests(task)
        return TaskQuestion(command, fleet.name, task.task.id, tuple(places), suggested)


def _text(task: TaskOverview) -> str:
    words = task.words
    return flat(f"{task.key} {words.state} {words.why} {task.task.label}").lower()
