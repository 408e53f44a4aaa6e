"""The endpoints of the daemon: each component brings its own."""

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, Protocol

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from handrail.api.messages.session import Problem
from handrail.api.operation import PREFIX
from handrail.checkpoint import errors as checkpoint
from handrail.checkpoint.history.git_undo import GitChangedError
from handrail.checkpoint.names import BadNameError
from handrail.intervene.incidents.folders import IncidentError, NoSuchIncidentError
from handrail.server.api.problems import problem_response
from handrail.server.http.json_response import json_response
from handrail.server.threads.supervision_thread import SupervisionTimeoutError
from handrail.store.errors import StoreError

Endpoint = Callable[[Request], Awaitable[Response]]


class EndpointRow(NamedTuple):
    """One endpoint; the docstring of its function describes it."""

    method: str
    path: str
    endpoint: Endpoint


class Component(Protocol):
    """A part of the daemon with endpoints."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""


class EndpointError(Exception):
    """An endpoint refuses a request."""

    status = 400


_STATUS: dict[type[Exception], int] = {
    EndpointError: 400,  # or its own
    msgspec.MsgspecError: 400,
    UnicodeDecodeError: 400,
    checkpoint.FolderRefusedError: 400,
    BadNameError: 400,
    checkpoint.NoSuchCheckpointError: 404,
    NoSuchIncidentError: 404,
    checkpoint.FilesChangedError: 409,
    GitChangedError: 409,
    checkpoint.NothingToUndoError: 409,
    checkpoint.CheckpointError: 503,
    IncidentError: 503,
    StoreError: 503,
    SupervisionTimeoutError: 503,
    OSError: 503,
}
"""The HTTP status of an error: its nearest class decides."""


def starlette_app(components: Iterable[Component]) -> Starlette:
    """Join the endpoints of all components; answer their errors as `_STATUS` says."""
    rows = (row for component in components for row in component.routes())
    return Starlette(
        routes=[Route(row.path, row.endpoint, methods=[row.method]) for row in rows],
        exception_handlers={
            **dict.fromkeys(_STATUS, _answer_error),
            HTTPException: _answer_no_endpoint,
            Exception: _answer_bug,
        },
    )


def error_status(error: Exception) -> int | None:
    """Return the HTTP status of an error, or None for a bug."""
    if isinstance(error, EndpointError):
        return error.status
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), None)


async def _answer_no_endpoint(request: Request, error: Exception) -> Response:
    """Answer a path or a method that no endpoint has."""
    if not isinstance(error, HTTPException):
        raise error
    if request.url.path.startswith(f"{PREFIX}/"):
        says = f"There is no {request.method} {request.url.path[:200]}."
        response = problem_response(Problem(error.detail, error.status_code, says))
    else:
        response = PlainTextResponse(error.detail, error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _answer_bug(request: Request, error: Exception) -> Response:
    """Answer what should not happen; the server gets the error, too, and writes it down."""
    says = "Handrail has a bug here; the daemon's log says more."
    if request.url.path.startswith(f"{PREFIX}/"):
        return problem_response(Problem("A bug in Handrail", 500, says))
    return json_response({"error": says}, 500)


async def _answer_error(request: Request, error: Exception) -> Response:
    return json_response({"error": str(error)}, error_status(error) or 500)
