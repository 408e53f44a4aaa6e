"""The operations about fleets and their tasks."""

import asyncio
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import msgspec

from handrail.api.messages.fleets import (
    FleetList,
    TaskAnswer,
    TaskCommandRequest,
    TaskCommandResult,
    TaskDetail,
    TaskDraft,
    TaskPage,
    TaskRow,
)
from handrail.api.rows.fleet_rows import audit_row, fleet_row, question_row, task_row
from handrail.control import message as wire
from handrail.fleet.answers import plan_answer
from handrail.fleet.engine.engine import BadDependencyError, FleetError, UnknownTaskError
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.recovery.audit_log import recovery_of
from handrail.fleet.tasks.task import Task
from handrail.fleet.tasks.task_entry import BadTaskError, task_of_entry, why_not_new
from handrail.fleet.workspaces.task_work import has_changes, work_of_task
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.pages import PagePlace
from handrail.server.api.problems import ProblemError, not_found
from handrail.server.api.task_commands import DecisionOrder, TaskCommands
from handrail.server.fleet.fleet_access import FleetAccess, ReachedFleet
from handrail.server.fleet.fleet_views import FleetViews
from handrail.server.fleet.merge_jobs import MergeJobs
from handrail.server.fleet.open_fleets import OpenFleet

T = TypeVar("T")


class FleetOperations:
    """Shows fleets and tasks, and takes what a person decides about them."""

    def __init__(
        self,
        access: FleetAccess,
        views: FleetViews,
        commands: TaskCommands,
        merges: MergeJobs,
        environ: Mapping[str, str],
    ) -> None:
        self._access = access
        self._views = views
        self._commands = commands
        self._merges = merges
        self._environ = environ

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "list_fleets": self.list_fleets,
            "list_tasks": self.list_tasks,
            "get_task": self.get_task,
            "add_task": self.add_task,
            "edit_task": self.edit_task,
            "command_task": self.command_task,
            "answer_question": self.answer_question,
        }

    async def list_fleets(self, call: ApiCall) -> FleetList:
        """Return all fleets, those with open tasks first."""
        views = await asyncio.to_thread(self._views.all)
        place, recovered = PagePlace.of(call), self._views.recovered
        rows = (fleet_row(each, recovered(each.name)) for each in place.cut(views))
        return FleetList(tuple(rows), place.following(len(views)))

    async def list_tasks(self, call: ApiCall) -> TaskPage:
        """Return a page of tasks, the most urgent first."""
        opened = await self._access.known(call.path("fleet"))
        view = await asyncio.to_thread(self._views.of, opened)
        place, count = PagePlace.of(call), len(view.tasks)
        shown, merging = place.cut(view.tasks), self._merges.is_under_way
        rows = (task_row(each, merging=merging(view.name, each.task.id)) for each in shown)
        return TaskPage(tuple(rows), place.following(count), count)

    async def get_task(self, call: ApiCall) -> TaskDetail:
        """Return a task with its history, and what its next attempt has to know."""
        fleet = await self._access.reach(call.path("fleet"))
        state = await _refusing(asyncio.to_thread(fleet.engine.copy_of, call.path("task")))
        work = await asyncio.to_thread(work_of_task, fleet.workspaces, state.task.id, self._environ)
        task, context = state.task, recovery_of(state, has_changes=has_changes(work))
        return TaskDetail(
            row=await self._row(fleet.opened, task.id),
            title=task.title,
            prompt=task.prompt,
            verify=task.verify,
            scope=task.scope,
            model=task.model,
            host=task.host,
            limits=msgspec.to_builtins(task.limits),
            audit=tuple(map(audit_row, state.audit)),
            questions=tuple(map(question_row, state.questions)),
            default_answer=fleet.settings.questions.default_answer,
            recovery_context=msgspec.to_builtins(context),
        )

    async def add_task(self, call: ApiCall) -> TaskRow:
        """Add a task; one that is there with the same words is the same."""
        fleet = await self._access.reach(call.path("fleet"))
        draft = call.body(TaskDraft)
        return await self._submit(fleet, _given(draft), call, is_new=True)

    async def edit_task(self, call: ApiCall) -> TaskRow:
        """Give a task new values: the draft replaces all of them."""
        fleet, name = await self._access.reach(call.path("fleet")), call.path("task")
        draft = call.body(TaskDraft)
        await _refusing(asyncio.to_thread(fleet.engine.copy_of, name))
        if draft.id not in ("", name):
            says = f"{name} keeps its id: its branch and its history are named after it."
            raise ProblemError(400, "Not possible", says)
        return await self._submit(fleet, {**_given(draft), "id": name}, call, is_new=False)

    async def command_task(self, call: ApiCall) -> TaskCommandResult:
        """Carry out a decision about a task."""
        fleet, wanted = await self._access.reach(call.path("fleet")), call.body(TaskCommandRequest)
        task = await _refusing(asyncio.to_thread(fleet.engine.copy_of, call.path("task")))
        order = DecisionOrder(fleet, task, wanted, _name(call))
        end = await _refusing(self._commands.carry_out(order))
        row = await self._row(fleet.opened, task.task.id)
        return TaskCommandResult(end.ok, end.says, row, end.request)

    async def answer_question(self, call: ApiCall) -> TaskCommandResult:
        """Answer a question of a task's agent, as `handrail task answer` does."""
        fleet, given = await self._access.reach(call.path("fleet")), call.body(TaskAnswer)
        task = await _refusing(asyncio.to_thread(fleet.engine.copy_of, call.path("task")))
        with _refusals():
            planned = plan_answer(task, given.text, given.question)
        end = await _refusing(self._commands.answer(fleet, planned, _name(call)))
        return TaskCommandResult(end.ok, end.says, await self._row(fleet.opened, task.task.id))

    async def _submit(
        self, fleet: ReachedFleet, entry: dict[str, object], call: ApiCall, *, is_new: bool
    ) -> TaskRow:
        def submit() -> str:
            known = fleet.engine.overview().tasks
            task = task_of_entry(entry, known)
            if is_new:
                _check_new(task, known)
            fleet.engine.submit([task], _name(call))
            return task.id

        name = await _refusing(asyncio.to_thread(submit))
        return await self._row(fleet.opened, name)

    async def _row(self, opened: OpenFleet, task: str) -> TaskRow:
        view = await asyncio.to_thread(self._views.of, opened)
        found = next((each for each in view.tasks if each.task.id == task), None)
        if found is None:  # its name held a secret, or its fleet was recovered meanwhile
            raise not_found("task", task)
        return task_row(found, merging=self._merges.is_under_way(opened.name, task))


def _given(draft: TaskDraft) -> dict[str, object]:
    """Return the values of a draft that are not empty."""
    return {name: value for name, value in msgspec.to_builtins(draft).items() if value}


def _check_new(task: Task, known: Mapping[str, TaskState]) -> None:
    if why := why_not_new(task, {name: each.task for name, each in known.items()}):
        raise ProblemError(409, "Not possible", f"{why}; choose another id, or edit it.")


def _name(call: ApiCall) -> str:
    return call.caller.user[: wire.MAX_NAME]


async def _refusing(work: Awaitable[T]) -> T:
    """Wait for work; a refusal of the engine is a problem."""
    with _refusals():
        return await work


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except UnknownTaskError as error:
        raise not_found("task", error.task) from None
    except (BadTaskError, BadDependencyError) as error:
        raise ProblemError(400, "Not a task", str(error)) from None
    except FleetError as error:
        raise ProblemError(409, "Not possible now", str(error)) from None
