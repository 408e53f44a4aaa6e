"""The Python client of the API: one typed method per operation.

`tests/api/test_client.py` compares it with the table of operations.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from handrail.api.messages import (
    approvals,
    control,
    files,
    fleets,
    incidents,
    runs,
    session,
    statistics,
    timeline,
)
from handrail.api.messages.session import Problem
from handrail.api.operation import PREFIX
from handrail.api.operations import BY_NAME

T = TypeVar("T")
Query = Mapping[str, str | int]
_NO_QUERY: Query = MappingProxyType({})

_ERRORS = 400


class ApiAnswer(NamedTuple):
    """What came back."""

    status: int
    body: bytes


class ApiTransport(Protocol):
    """The way to the daemon."""

    def send(self, method: str, path: str, body: bytes | None, seconds: float) -> ApiAnswer:
        """Send a request, and return the answer. Raises an error of its own if there is none."""
        ...


class ApiRefusedError(Exception):
    """The daemon refused an operation, or could not do it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail or problem.title)
        self.problem = problem


class ApiClient:
    """The operations of the API as methods. Raises ApiRefusedError, and errors of the transport."""

    def __init__(self, transport: ApiTransport, *, seconds: float = 30.0) -> None:
        """`seconds`: how long one call may take."""
        self._transport = transport
        self._seconds = seconds

    # who asks

    def get_session(self) -> session.ApiSession:
        """Tell the caller's rights, and which daemon answers."""
        return self._ask("get_session", session.ApiSession)

    # runs

    def get_overview(self) -> runs.Overview:
        """The first look."""
        return self._ask("get_overview", runs.Overview)

    def list_runs(
        self,
        *,
        state: str = "",
        project: str = "",
        search: str = "",
        limit: int = 100,
        cursor: str = "",
    ) -> runs.RunPage:
        """The runs: those that need a person first."""
        query: Query = {
            "state": state, "project": project, "search": search, "limit": limit, "cursor": cursor,
        }  # fmt: skip
        return self._ask("list_runs", runs.RunPage, query=query)

    def get_run(self, run: str) -> runs.RunDetail:
        """One run, with its controls."""
        return self._ask("get_run", runs.RunDetail, run=run)

    def get_timeline(
        self, run: str, *, after: int = 0, before: int = 0, limit: int = 100
    ) -> timeline.TimelinePage:
        """A part of a run's timeline."""
        query: Query = {"after": after, "before": before, "limit": limit}
        return self._ask("get_timeline", timeline.TimelinePage, query=query, run=run)

    def get_action(self, run: str, step: int) -> timeline.ActionDetail:
        """One action in full."""
        return self._ask("get_action", timeline.ActionDetail, run=run, step=str(step))

    def get_findings(self, run: str, *, limit: int = 100, cursor: str = "") -> timeline.FindingList:
        """The findings of a run, with evidence, interventions and their measured effect."""
        query = _page(limit, cursor)
        return self._ask("get_findings", timeline.FindingList, query=query, run=run)

    def get_series(self, run: str) -> runs.RunSeries:
        """Risk, tokens, cost and memory of a run over time."""
        return self._ask("get_series", runs.RunSeries, run=run)

    def get_screenshot(self, run: str, name: str) -> bytes:
        """A picture that a check of a desktop run names, as JPEG."""
        return self._send("get_screenshot", None, {}, {"run": run, "name": name})

    def export_run(self, run: str) -> bytes:
        """The whole run as one self-contained page, without secrets."""
        return self._send("export_run", None, {}, {"run": run})

    def give_feedback(self, run: str, given: statistics.FeedbackRequest) -> statistics.Done:
        """Say whether a verdict or a finding was right."""
        return self._ask("give_feedback", statistics.Done, given, run=run)

    # control

    def send_command(
        self, run: str, command: control.CommandRequest, *, wait: int = 0
    ) -> control.RequestProgress:
        """Send a command to a run."""
        query: Query = {"wait": wait}
        return self._ask("send_command", control.RequestProgress, command, query=query, run=run)

    def get_request(self, request: str, *, wait: int = 0) -> control.RequestProgress:
        """How a request stands."""
        query: Query = {"wait": wait}
        return self._ask("get_request", control.RequestProgress, query=query, request=request)

    def command_all(self, command: control.FleetCommandRequest) -> control.RequestList:
        """Send a command to all runs and fleets."""
        return self._ask("command_all", control.RequestList, command)

    # approvals

    def list_approvals(self, *, limit: int = 100, cursor: str = "") -> approvals.ApprovalList:
        """The actions that wait for a person."""
        return self._ask("list_approvals", approvals.ApprovalList, query=_page(limit, cursor))

    def get_approval(self, approval: str) -> approvals.ApprovalRow:
        """One question."""
        return self._ask("get_approval", approvals.ApprovalRow, approval=approval)

    def review_edit(self, approval: str, order: approvals.EditOrder) -> approvals.EditVerdict:
        """Tell the verdict on another input, before anybody approves it."""
        return self._ask("review_edit", approvals.EditVerdict, order, approval=approval)

    def decide_approval(
        self, approval: str, decision: approvals.ApprovalDecision
    ) -> approvals.ApprovalResult:
        """Approve, edit or deny exactly this action."""
        return self._ask("decide_approval", approvals.ApprovalResult, decision, approval=approval)

    # files

    def list_checkpoints(
        self, *, folder: str = "", run: str = "", limit: int = 100, cursor: str = ""
    ) -> files.CheckpointList:
        """The checkpoints of a folder."""
        query: Query = {"folder": folder, "run": run, "limit": limit, "cursor": cursor}
        return self._ask("list_checkpoints", files.CheckpointList, query=query)

    def save_checkpoint(self, order: files.CheckpointOrder) -> files.CheckpointRow:
        """Save the files of a folder now."""
        return self._ask("save_checkpoint", files.CheckpointRow, order)

    def diff_checkpoint(self, checkpoint: str, *, folder: str, path: str = "") -> files.DiffReply:
        """The difference between a checkpoint and the files now."""
        query: Query = {"folder": folder, "path": path}
        return self._ask("diff_checkpoint", files.DiffReply, query=query, checkpoint=checkpoint)

    def preview_restore(self, order: files.RestoreOrder) -> files.PreviewAnswer:
        """What an undo, a rollback or a redo would do, and what would be lost."""
        return self._ask("preview_restore", files.PreviewAnswer, order)

    def restore(self, order: files.RestoreOrder) -> files.RestoreOutcome:
        """Undo, roll back or redo, as the preview showed."""
        return self._ask("restore", files.RestoreOutcome, order)

    # incidents

    def list_incidents(self, *, limit: int = 100, cursor: str = "") -> incidents.IncidentList:
        """The emergency stops."""
        return self._ask("list_incidents", incidents.IncidentList, query=_page(limit, cursor))

    def get_incident(self, incident: str) -> incidents.IncidentDetail:
        """The report of a stop, and the ways on."""
        return self._ask("get_incident", incidents.IncidentDetail, incident=incident)

    def recover(self, incident: str, order: incidents.RecoveryOrder) -> incidents.RecoveryAnswer:
        """Decide how a stopped run goes on."""
        return self._ask("recover", incidents.RecoveryAnswer, order, incident=incident)

    # fleets

    def list_fleets(self, *, limit: int = 100, cursor: str = "") -> fleets.FleetList:
        """The fleets, with their slots."""
        return self._ask("list_fleets", fleets.FleetList, query=_page(limit, cursor))

    def list_tasks(self, fleet: str, *, limit: int = 100, cursor: str = "") -> fleets.TaskPage:
        """The tasks of a fleet."""
        query = _page(limit, cursor)
        return self._ask("list_tasks", fleets.TaskPage, query=query, fleet=fleet)

    def add_task(self, fleet: str, draft: fleets.TaskDraft) -> fleets.TaskRow:
        """Add a task."""
        return self._ask("add_task", fleets.TaskRow, draft, fleet=fleet)

    def get_task(self, fleet: str, task: str) -> fleets.TaskDetail:
        """One task, with its history."""
        return self._ask("get_task", fleets.TaskDetail, fleet=fleet, task=task)

    def edit_task(self, fleet: str, task: str, draft: fleets.TaskDraft) -> fleets.TaskRow:
        """Change a task that nobody works on."""
        return self._ask("edit_task", fleets.TaskRow, draft, fleet=fleet, task=task)

    def command_task(
        self, fleet: str, task: str, command: fleets.TaskCommandRequest
    ) -> fleets.TaskCommandResult:
        """Retry, block, cancel, prefer, merge or redirect a task."""
        kind = fleets.TaskCommandResult
        return self._ask("command_task", kind, command, fleet=fleet, task=task)

    def answer_question(
        self, fleet: str, task: str, answer: fleets.TaskAnswer
    ) -> fleets.TaskCommandResult:
        """Answer a question of a task's agent."""
        kind = fleets.TaskCommandResult
        return self._ask("answer_question", kind, answer, fleet=fleet, task=task)

    def list_pipelines(self, *, limit: int = 100, cursor: str = "") -> fleets.PipelineList:
        """The pipelines, the latest first."""
        return self._ask("list_pipelines", fleets.PipelineList, query=_page(limit, cursor))

    # numbers

    def get_feedback_rates(self) -> statistics.FeedbackRates:
        """How often verdicts and findings were right."""
        return self._ask("get_feedback_rates", statistics.FeedbackRates)

    def get_statistics(self, *, days: int = 30) -> statistics.Statistics:
        """What was stopped, changed and found, what helped, and what it cost."""
        return self._ask("get_statistics", statistics.Statistics, query={"days": days})

    def replay(self, request: statistics.ReplayRequest) -> statistics.ReplayResult:
        """What would other settings have changed in stored runs?"""
        return self._ask("replay", statistics.ReplayResult, request)

    def get_settings(self, *, folder: str = "") -> statistics.SettingList:
        """The settings in force in a folder, without secrets."""
        return self._ask("get_settings", statistics.SettingList, query={"folder": folder})

    def get_metrics(self) -> statistics.MetricsSummary:
        """The daemon in numbers."""
        return self._ask("get_metrics", statistics.MetricsSummary)

    def _ask(
        self,
        name: str,
        kind: type[T],
        body: msgspec.Struct | None = None,
        *,
        query: Query = _NO_QUERY,
        **path: str,
    ) -> T:
        return msgspec.json.decode(self._send(name, body, query, path), type=kind)

    def _send(
        self,
        name: str,
        body: msgspec.Struct | None,
        query: Query,
        path: Mapping[str, str],
    ) -> bytes:
        operation = BY_NAME[name]
        where = operation.path.format_map({key: quote(text, "") for key, text in path.items()})
        given = {key: value for key, value in query.items() if value}
        target = f"{PREFIX}{where}" + (f"?{urlencode(given)}" if given else "")
        data = None if body is None else msgspec.json.encode(body)
        answer = self._transport.send(operation.method, target, data, self._seconds)
        if answer.status >= _ERRORS:
            raise ApiRefusedError(_problem(answer))
        return answer.body


def _page(limit: int, cursor: str) -> Query:
    return {"limit": limit, "cursor": cursor}


def _problem(answer: ApiAnswer) -> Problem:
    try:
        return msgspec.json.decode(answer.body, type=Problem)
    except msgspec.MsgspecError:
        return Problem(f"HTTP {answer.status}", answer.status)
