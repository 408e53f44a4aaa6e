"""The endpoint by which a person approves or denies an action that waits."""

from collections.abc import Callable
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.model.decodable import decodable
from handrail.model.event import ApprovalDecided
from handrail.server.http.json_response import json_response, once_written, read_json
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

_MINUTE = 60.0


@decodable
class ApprovalAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person's answer."""

    decision: Literal["approve", "deny"]
    by: str = ""
    reason: str = ""


class NoSuchApprovalError(EndpointError):
    """Nothing of that name waits, or has waited lately."""

    status = 404

    def __init__(self, run: str, approval: str) -> None:
        super().__init__(f"run {run} has no approval {approval}: it was used, or never asked for")


class AnsweredBeforeError(EndpointError):
    """It has an answer, or nobody may answer it any more."""

    status = 409


class ApprovalEndpoint:
    """Records the answers of people; the held call hears of them by the event."""

    def __init__(
        self, supervision: SupervisionThread, runs: RunRegistry, clock: Callable[[], float]
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._clock = clock

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoint."""
        return (EndpointRow("POST", "/runs/{run}/approvals/{approval}", self.answer),)

    async def answer(self, request: Request) -> Response:
        """Approve or deny an action that waits, as a person decided."""
        run, approval = request.path_params["run"], request.path_params["approval"]
        given = await read_json(request, ApprovalAnswer)
        done = await self._supervision.answer(lambda: self._decide(run, approval, given))
        return json_response(done)

    def _decide(self, run: str, approval: str, given: ApprovalAnswer) -> Ready[object]:
        supervisor = self._runs.find(run)
        asked = supervisor.state.approvals.kept.get(approval) if supervisor is not None else None
        if supervisor is None or asked is None:
            raise NoSuchApprovalError(run, approval)
        now = self._clock()
        if not asked.is_open(now):
            answers = {None: "has expired", True: "was approved before", False: "was denied before"}
            raise AnsweredBeforeError(f"approval {approval} {answers[asked.approved]}")
        event = ApprovalDecided(
            now,
            approval,
            given.decision == "approve",
            given.by,
            given.reason,
            now + _valid_minutes(supervisor) * _MINUTE,
        )
        said = {"ok": True, "run": run, "says": asked.says, "event": event}
        return once_written(said, [supervisor.record(event)])


def _valid_minutes(supervisor: Supervisor) -> int:
    return supervisor.project.config.approvals.valid_minutes
