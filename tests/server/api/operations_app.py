"""Operations of the API in this process, asked by a person with all rights."""

import asyncio
import json
from collections.abc import Callable
from typing import TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.api.messages.session import Right
from handrail.server.api.api_routes import ApiComponent, ApiRoutes
from handrail.server.api.call import CALLER, ApiCaller
from handrail.server.http.routes import starlette_app
from handrail.store.port import Store
from tests.server.asgi import AsgiResponse, ask

T = TypeVar("T")


class StoreReading:
    """Reads a store in a thread, as the daemon does."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, work: Callable[[Store], T]) -> T:
        return await asyncio.to_thread(work, self._store)


def operations_app(
    *components: ApiComponent, user: str = "ann", rights: tuple[Right, ...] = ("read", "control")
) -> ASGIApp:
    """An application with the operations of these components."""
    routes = starlette_app([ApiRoutes(components)])

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await routes({**scope, CALLER: ApiCaller(user, rights)}, receive, send)

    return app


async def ask_api(app: ASGIApp, method: str, path: str, **body: object) -> AsgiResponse:
    """One request to an operation."""
    sent = json.dumps(body).encode() if body else b""
    return await ask(app, method, f"/api/v1{path}", sent)
