"""The client has one method per operation, with the messages of the table."""

import inspect
from collections.abc import Mapping
from typing import get_type_hints

import msgspec
import pytest

from handrail.api.client import ApiAnswer, ApiClient, ApiRefusedError
from handrail.api.messages.control import CommandRequest, RequestProgress
from handrail.api.messages.session import Problem
from handrail.api.operation import Operation
from handrail.api.operations import OPERATIONS

FOR_BROWSERS = frozenset({"stream", "get_openapi", "log_in", "log_out"})
"""Operations that a program on this machine has no use for."""

METHODS = [each for each in OPERATIONS if each.name not in FOR_BROWSERS]


class FakeTransport:
    """Answers every request alike, and remembers it."""

    def __init__(self, status: int, body: object) -> None:
        self.sent: list[tuple[str, str, bytes | None]] = []
        self._answer = ApiAnswer(status, msgspec.json.encode(body))

    def send(self, method: str, path: str, body: bytes | None, seconds: float) -> ApiAnswer:
        self.sent.append((method, path, body))
        return self._answer


@pytest.mark.parametrize("operation", METHODS, ids=lambda each: each.name)
def test_each_operation_is_a_method_with_the_messages_of_the_table(operation: Operation) -> None:
    method = getattr(ApiClient, operation.name)
    hints: Mapping[str, object] = get_type_hints(method)
    wanted = bytes if isinstance(operation.answers, str) else operation.answers
    assert hints["return"] == wanted
    if operation.takes is not None:
        assert operation.takes in hints.values()
    queries = {each.name for each in operation.query}
    assert queries <= set(inspect.signature(method).parameters)


def test_the_client_has_no_other_methods() -> None:
    public = {name for name in vars(ApiClient) if not name.startswith("_")}
    assert public == {each.name for each in METHODS}


def test_names_are_quoted_in_the_path() -> None:
    transport = FakeTransport(404, Problem("No such run", 404, "There is no run."))
    with pytest.raises(ApiRefusedError, match="There is no run"):
        ApiClient(transport).get_run("../a b?c#d")
    assert transport.sent == [("GET", "/api/v1/runs/..%2Fa%20b%3Fc%23d", None)]


def test_a_command_travels_in_the_body() -> None:
    progress = RequestProgress("r1", "pause", "shop", "acknowledged")
    transport = FakeTransport(202, progress)
    said = ApiClient(transport).send_command("shop", CommandRequest("pause"), wait=5)
    assert said == progress
    ((method, path, body),) = transport.sent
    assert (method, path) == ("POST", "/api/v1/runs/shop/commands?wait=5")
    assert body is not None
    assert msgspec.json.decode(body)["command"] == "pause"


def test_an_answer_that_is_no_problem_still_names_its_status() -> None:
    with pytest.raises(ApiRefusedError, match="HTTP 502"):
        ApiClient(FakeTransport(502, "Bad Gateway")).get_overview()
