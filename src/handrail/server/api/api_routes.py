"""Binds the operations of the API to the functions that answer them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from handrail.api.operation import PREFIX, Operation
from handrail.api.operations import BY_NAME
from handrail.server.api.call import CALLER, MAX_BODY, ApiCall, ApiCaller
from handrail.server.api.problems import ProblemError, problem_response
from handrail.server.http.json_response import json_response
from handrail.server.http.routes import Endpoint, EndpointRow, error_status

Handler = Callable[[ApiCall], Awaitable[msgspec.Struct | Response]]


class ApiComponent(Protocol):
    """A part of the daemon that answers operations."""

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""


class ApiRoutes:
    """The endpoints of all operations."""

    def __init__(self, components: Iterable[ApiComponent]) -> None:
        self._handlers: dict[str, Handler] = {}
        for component in components:
            self._handlers.update(component.handlers())

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return one endpoint for each operation that has a handler."""
        return tuple(
            EndpointRow(each.method, PREFIX + each.path, _endpoint(each, self._handlers[name]))
            for name, each in BY_NAME.items()
            if name in self._handlers
        )


def _endpoint(operation: Operation, handler: Handler) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        try:
            caller: ApiCaller = request.scope[CALLER]
            if operation.right is not None and operation.right not in caller.rights:
                raise ProblemError(
                    403,
                    "Not allowed",
                    f"This needs the right to {operation.right}; you may only read.",
                )
            body = await _body(request) if operation.takes is not None else b""
            answer = await handler(ApiCall(operation, request, body, caller))
        except ProblemError as error:
            return problem_response(error.problem)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:
            status = error_status(error)
            if status is None:
                raise
            title = "Not possible now" if status >= 500 else "Not possible"
            return problem_response(ProblemError(status, title, str(error)).problem)
        return answer if isinstance(answer, Response) else json_response(answer, operation.status)

    return endpoint


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise ProblemError(413, "Too large", f"It has more than {MAX_BODY:,} bytes.")
    return body
