"""The endpoints by which the command line and the screen answer an action that waits."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.model.decodable import decodable
from handrail.server.control.approval_decisions import ApprovalAnswer, ApprovalDecisions
from handrail.server.http.json_response import json_response, read_json
from handrail.server.http.routes import EndpointRow
from handrail.words.rule_change import rule_diff


@decodable
class EditedInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person would run instead."""

    edited: dict[str, object]


class ApprovalEndpoint:
    """Takes the answers of people."""

    def __init__(self, decisions: ApprovalDecisions) -> None:
        self._decisions = decisions

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        path = "/runs/{run}/approvals/{approval}"
        return (
            EndpointRow("POST", path, self.answer),
            EndpointRow("POST", f"{path}/review", self.review),
            EndpointRow("POST", f"{path}/rule", self.rule),
        )

    async def answer(self, request: Request) -> Response:
        """Approve, edit or deny an action that waits, as a person decided."""
        run, approval = request.path_params["run"], request.path_params["approval"]
        given = await read_json(request, ApprovalAnswer)
        done = await self._decisions.decide(run, approval, given)
        return json_response({"ok": True, **msgspec.structs.asdict(done)})

    async def review(self, request: Request) -> Response:
        """Tell the verdict on an edited action, before anybody approves it."""
        run, approval = request.path_params["run"], request.path_params["approval"]
        given = await read_json(request, EditedInput)
        return json_response(await self._decisions.review_edit(run, approval, given.edited))

    async def rule(self, request: Request) -> Response:
        """Tell how the user's own file would change if an action were allowed for good."""
        run, approval = request.path_params["run"], request.path_params["approval"]
        change = await self._decisions.rule_change(run, approval)
        return json_response({"file": change.path, "diff": rule_diff(change)})
