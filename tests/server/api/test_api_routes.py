"""Each operation of the table is answered by exactly one handler."""

import asyncio
from collections.abc import Mapping

import pytest
from starlette.types import Receive, Scope, Send

from handrail.api.messages.statistics import Done
from handrail.api.operations import BY_NAME
from handrail.server.api.api_routes import ApiRoutes, Handler, HandlersError
from handrail.server.api.call import CALLER, ApiCall, ApiCaller
from handrail.server.http.routes import starlette_app
from tests.server.asgi import ask

RUNS = (BY_NAME["get_run"], BY_NAME["list_runs"])


class Answers:
    """A component that answers operations with these names."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def handlers(self) -> Mapping[str, Handler]:
        return dict.fromkeys(self._names, self.answer)

    async def answer(self, call: ApiCall) -> Done:
        return Done("done")


def test_each_operation_gets_one_endpoint() -> None:
    rows = ApiRoutes([Answers("list_runs"), Answers("get_run")], RUNS).routes()
    assert [(row.method, row.path) for row in rows] == [
        ("GET", "/api/v1/runs/{run}"),
        ("GET", "/api/v1/runs"),
    ]


@pytest.mark.parametrize(
    ("components", "wrong"),
    [
        ([Answers("list_runs")], "get_run"),
        ([Answers("list_runs", "get_run"), Answers("get_run")], "get_run"),
        ([Answers("list_runs", "get_run", "list_rnus")], "list_rnus"),
    ],
    ids=["none", "two", "for nothing"],
)
def test_a_daemon_with_a_missing_or_second_handler_does_not_start(
    components: list[Answers], wrong: str
) -> None:
    with pytest.raises(HandlersError, match=f": {wrong}$"):
        ApiRoutes(components, RUNS)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1/runs/a/b", 404),
        ("PUT", "/api/v1/runs", 405),
    ],
)
def test_what_the_api_does_not_have_is_answered_with_a_problem(
    method: str, path: str, status: int
) -> None:
    app = starlette_app([ApiRoutes([Answers("list_runs", "get_run")], RUNS)])
    answer = asyncio.run(ask(app, method, path))
    assert (answer.status, answer.json["status"]) == (status, status)
    assert answer.headers["content-type"] == "application/problem+json"


class Buggy(Answers):
    """A component with a bug."""

    async def answer(self, call: ApiCall) -> Done:
        raise RuntimeError("somebody's secret")


def test_a_bug_is_a_problem_too_and_reaches_the_log_of_the_daemon() -> None:
    app = starlette_app([ApiRoutes([Buggy("list_runs", "get_run")], RUNS)])
    errors: list[Exception] = []

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app({**scope, CALLER: ApiCaller("ada", ("read",))}, receive, send)
        except RuntimeError as error:  # as uvicorn does, which writes it down
            errors.append(error)

    answer = asyncio.run(ask(served, "GET", "/api/v1/runs"))
    assert (answer.status, answer.json["title"]) == (500, "A bug in Handrail")
    assert answer.headers["content-type"] == "application/problem+json"
    assert b"secret" not in answer.body
    assert len(errors) == 1
