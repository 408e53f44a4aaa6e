"""Joins the endpoints of all components into the daemon's HTTP application."""

from collections.abc import Iterable

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from handrail.server.http.hook_endpoint import START, HookEndpoint
from handrail.server.http.json_response import json_response
from handrail.server.http.routes import Component, starlette_app


def make_app(hooks: HookEndpoint, components: Iterable[Component]) -> ASGIApp:
    """Make the application, without authentication."""
    others = starlette_app(components)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        # An agent waits for this one; the way through the framework costs as much as the rest.
        if scope["type"] != "http" or not scope["path"].startswith(START):
            await others(scope, receive, send)
        elif scope["method"] == "POST":
            response = await hooks.hook(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await json_response({"error": "only POST is understood"}, 405)(scope, receive, send)

    return app
