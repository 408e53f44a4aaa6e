"""Operations of the API in this process, on a log of the test's own."""

import asyncio
import json
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from blockbuster import blockbuster_ctx
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.api.messages.session import Right
from handrail.api.operation import PREFIX
from handrail.api.operations import OPERATIONS
from handrail.server.api.api_routes import ApiComponent, ApiRoutes
from handrail.server.api.call import CALLER, ApiCaller
from handrail.server.http.routes import starlette_app
from tests.server.asgi import AsgiResponse, ask

T = TypeVar("T")

ALL_RIGHTS: tuple[Right, ...] = ("read", "control")


class InProcessApi:
    """Asks operations as a caller with rights; a blocking call on the event loop fails."""

    def __init__(
        self, components: Sequence[ApiComponent], rights: tuple[Right, ...] = ALL_RIGHTS
    ) -> None:
        names = {name for component in components for name in component.handlers()}
        routes = ApiRoutes(components, [each for each in OPERATIONS if each.name in names])
        self._app = _as_caller(starlette_app([routes]), ApiCaller(user="ada", rights=rights))

    def get(self, path: str) -> AsgiResponse:
        return run(self.ask("GET", path))

    def post(self, path: str, body: object) -> AsgiResponse:
        return run(self.ask("POST", path, body))

    def pages(self, path: str, limit: int) -> list[list[Any]]:
        """The items of all pages of a list, by following `next`."""
        found: list[list[Any]] = []
        cursor = ""
        while True:
            page = self.get(f"{path}?limit={limit}&cursor={cursor}").json
            found.append(page["items"])
            cursor = page["next"]
            if not cursor:
                return found

    async def ask(self, method: str, path: str, body: object = None) -> AsgiResponse:
        data = b"" if body is None else json.dumps(body).encode()
        return await ask(self._app, method, PREFIX + path, data)


def run(work: Coroutine[Any, Any, T]) -> T:
    with blockbuster_ctx():
        return asyncio.run(work)


def _as_caller(app: ASGIApp, caller: ApiCaller) -> ASGIApp:
    async def with_caller(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, CALLER: caller}, receive, send)

    return with_caller
