"""The endpoints of the daemon: every component brings its own."""

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

Endpoint = Callable[[Request], Awaitable[Response]]


class EndpointRow(NamedTuple):
    """One endpoint; its docstring says what it does."""

    method: str
    path: str
    endpoint: Endpoint


class Component(Protocol):
    """A part of the daemon that answers requests."""

    def routes(self) -> tuple[EndpointRow, ...]:
        """Its endpoints."""


def routes_of(components: Iterable[Component]) -> list[Route]:
    """The endpoints of all components, for Starlette."""
    rows = (row for component in components for row in component.routes())
    return [Route(row.path, row.endpoint, methods=[row.method]) for row in rows]
