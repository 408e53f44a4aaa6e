"""Stop or cancel a task's run, or give its slot another task: the task follows its processes."""

import time
from collections.abc import Callable, Mapping

import msgspec

from handrail.control.command_actions import CommandOutcome, Finished
from handrail.fleet.engine import FleetError, StaleAttemptError, Ticket
from handrail.fleet.events import TaskAudited, TaskPreferred
from handrail.fleet.fleet_state import TaskState
from handrail.fleet.log_engine import LogEngine
from handrail.fleet.repository import find_repository
from handrail.fleet.task import TaskStatus
from handrail.fleet.workspace_errors import WorkspaceError
from handrail.fleet.workspace_records import Workspace
from handrail.fleet.workspace_work import commit_work, workspace_status
from handrail.fleet.workspaces import Workspaces
from handrail.model.control import HANDRAIL, ControlCommand
from handrail.model.event import ControlAsked
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.fleet.places import open_workspaces
from handrail.server.home import Home
from handrail.supervise.state.run_state import RunState

_NO_TASK = "Only a run that works on a task of a fleet can be given another one"
_LABEL = 60


class TargetTakenError(Exception):
    """The task that a slot should go on with was taken meanwhile."""


class TaskControl:
    """A request is confirmed when its task stands as asked, too."""

    def __init__(
        self,
        fleets: OpenFleets,
        home: Home,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._fleets = fleets
        self._home = home
        self._environ = environ
        self._clock = clock

    def why_not_reassign(self, state: RunState, target: str, choice: str) -> str:
        """Return why the slot of a run cannot go on with a task, or ""; does not block."""
        issue = "" if state.loop is None else state.loop.issue
        if not issue:
            return _NO_TASK
        opened = (each.engine for each in self._fleets.opened())
        engine = next((each for each in opened if each.has_run(state.run)), None)
        if engine is None:
            return "Nobody works on its task any more"
        if target == issue:
            return f"It works on {target} already"
        if why := engine.why_not_next(target):
            return why
        if choice == "same" and engine.has_workspace(target):
            return f"{target} has a workspace of its own: use --workspace new"
        return ""

    def after_stop(self, state: RunState, asked: ControlAsked, finished: Finished) -> Finished:
        """Return who hears that no process is left: the task changes, then the person hears."""
        run, issue = state.run, "" if state.loop is None else state.loop.issue

        def then(outcome: CommandOutcome) -> None:
            if issue and outcome.ok:
                try:
                    outcome = self._settle(run, issue, asked, outcome)
                except Exception as error:  # noqa: BLE001 - whoever asked has to hear
                    says = f"No process is left, but the task was not changed: {error}"
                    outcome = CommandOutcome(False, says, outcome.evidence)
            finished(outcome)

        return then

    def _settle(
        self, run: str, issue: str, asked: ControlAsked, outcome: CommandOutcome
    ) -> CommandOutcome:
        engine = self._fleets.find(lambda each: each.has_run(run))
        task = None if engine is None else engine.state().tasks.get(issue)
        is_current = task is not None and task.run == run and task.status is TaskStatus.ACTIVE
        if engine is None or task is None or not is_current or asked.by == HANDRAIL:
            return outcome  # whoever has the task now decides about it
        try:
            said = _SETTLE[asked.command](self, engine, task, asked)
        except StaleAttemptError:
            return outcome  # it came to its end meanwhile
        except (WorkspaceError, FleetError, TargetTakenError) as error:
            held = _hold(engine, task, asked)
            return CommandOutcome(False, f"{error}; {held}", outcome.evidence)
        return msgspec.structs.replace(outcome, evidence=(*outcome.evidence, said))

    def _stop(self, engine: LogEngine, task: TaskState, asked: ControlAsked) -> str:
        return _hold(engine, task, asked)

    def _cancel(self, engine: LogEngine, task: TaskState, asked: ControlAsked) -> str:
        engine.cancel(task.task.id, asked.by, asked.reason)
        return f"{task.task.id} is given up"

    def _reassign(self, engine: LogEngine, task: TaskState, asked: ControlAsked) -> str:
        name, target, by = task.task.id, asked.text, asked.by
        if why := engine.why_not_next(target):
            raise TargetTakenError(why)
        work = self._save_work(task, asked)
        at, ticket = self._clock(), _ticket(task)
        says = f"{by} gave its slot to {target}"
        engine.record(TaskPreferred(at, target, by, f"in the slot of {name}"))
        engine.note(TaskAudited(at, name, task.attempt, "signal", says, commit=work))
        engine.give_back(ticket, f"{says}; its work is in {work}", by=by, counts=False)
        return f"{name} is pending, its work is in {work}; {target} is next"

    def _save_work(self, task: TaskState, asked: ControlAsked) -> str:
        """Commit the work in progress; return the last commit."""
        workspaces, workspace = self._workspace(task)
        message = f"Work in progress: {task.task.label[:_LABEL]}\n\nTask: {task.task.id}"
        commit_work(workspace, message, self._environ)
        last = workspace_status(workspace, self._environ).last
        if asked.choice == "same":
            workspaces.hand_over(workspace, asked.text)
        return f'{last.hash[:12]} "{last.subject}"' if last else "no commit"

    def _workspace(self, task: TaskState) -> tuple[Workspaces, Workspace]:
        if task.workspace is None:
            raise WorkspaceError("it has no workspace")
        repository = find_repository(task.workspace.path)
        workspaces = open_workspaces(self._home, repository, self._environ)
        found = workspaces.reuse(task.task.id)
        if found is None:
            raise WorkspaceError("its workspace cannot be used")
        return workspaces, found


def _hold(engine: LogEngine, task: TaskState, asked: ControlAsked) -> str:
    """Give a task back until a person releases it."""
    name = task.task.id
    why = f": {asked.reason}" if asked.reason else ""
    says = f"stopped by {asked.by or 'a person'}{why}"
    engine.give_back(_ticket(task), says, by=asked.by, held=True, counts=False)
    return f"{name} is pending, and waits for you: handrail task retry {name}"


def _ticket(task: TaskState) -> Ticket:
    return Ticket(task.task.id, task.attempt)


_SETTLE: dict[ControlCommand, Callable[[TaskControl, LogEngine, TaskState, ControlAsked], str]] = {
    ControlCommand.STOP: TaskControl._stop,
    ControlCommand.CANCEL: TaskControl._cancel,
    ControlCommand.REASSIGN: TaskControl._reassign,
}
