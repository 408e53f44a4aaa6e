"""Binds the operations of the API to the functions that answer them."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from handrail.api.operation import PREFIX, Operation
from handrail.api.operations import OPERATIONS
from handrail.server.api.call import CALLER, MAX_BODY, ApiCall, ApiCaller
from handrail.server.api.problems import ProblemError, problem_response
from handrail.server.http.json_response import json_response
from handrail.server.http.routes import Endpoint, EndpointRow, error_status

Handler = Callable[[ApiCall], Awaitable[msgspec.Struct | Response]]


class ApiComponent(Protocol):
    """A part of the daemon that answers operations."""

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""


class HandlersError(Exception):
    """The components do not answer each operation exactly once."""


class ApiRoutes:
    """The endpoints of all operations."""

    def __init__(
        self, components: Iterable[ApiComponent], operations: Iterable[Operation] = OPERATIONS
    ) -> None:
        """Raises HandlersError unless each operation has exactly one handler, and no other is."""
        self._operations = tuple(operations)
        given = [row for component in components for row in component.handlers().items()]
        self._handlers: dict[str, Handler] = dict(given)
        counted = Counter(name for name, _ in given)
        counted.subtract(each.name for each in self._operations)
        if wrong := sorted(name for name, surplus in counted.items() if surplus):
            raise HandlersError(f"without exactly one handler: {', '.join(wrong)}")

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return one endpoint for each operation."""
        return tuple(
            EndpointRow(each.method, PREFIX + each.path, _endpoint(each, self._handlers[each.name]))
            for each in self._operations
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
