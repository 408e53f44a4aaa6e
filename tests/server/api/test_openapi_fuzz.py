"""Whatever is asked, the API answers as its OpenAPI document says. `make fuzz` asks for longer."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from handrail.api.messages.control import CommandRequest
from handrail.api.messages.files import CheckpointOrder
from handrail.api.openapi import openapi_document
from handrail.api.operations import OPERATIONS
from handrail.fleet.tasks.task import Task
from handrail.server.http.api_connection import connect_api
from tests.hosts.claude.desk import SESSION
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.fleet.saved_fleet import SavedFleet

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("API_EXAMPLES", "5"))
"""At random, beside all border cases of the document."""
ELSEWHERE = ("stream", "log_in", "replay")
"""A stream does not end, wrong codes would lock out the others, and a replay starts a process."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
SETTINGS = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

document = schemathesis.openapi.from_dict(openapi_document(OPERATIONS, "v1"))
most = document.exclude(operation_id=list(ELSEWHERE))
log_in = document.include(operation_id="log_in")


Case = schemathesis.Case[Any]


class Asked:
    """A daemon that is asked over its port, and the names of what it knows."""

    def __init__(self, place: DaemonSandbox, known: Mapping[str, str | int]) -> None:
        self._url = f"http://127.0.0.1:{place.home.port}"
        self._token = {"Authorization": f"Bearer {place.home.control_token}"}
        self._known = known
        self._session = requests.Session()

    def check(self, case: Case) -> None:
        """Ask as generated, then the same about things that are there."""
        self._ask(case)
        parts = (case.path_parameters, case.query, case.body)
        about = [part for part in parts if isinstance(part, dict) and part.keys() & self._known]
        for part in about:
            part.update((name, self._known[name]) for name in part.keys() & self._known)
        if about:
            self._ask(case)

    def _ask(self, case: Case) -> None:
        response = case.call(
            base_url=self._url, headers=self._token, session=self._session, timeout=60
        )
        case.validate_response(response, checks=CHECKS)


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    with DaemonSandbox() as place:
        fleet = SavedFleet(place)
        fleet.engine.submit([Task(id="api", prompt="do it")])
        place.tell("SessionStart", source="startup")
        place.tell("UserPromptSubmit", prompt="Mend the <b>shop</b>")
        place.before("rm -rf /", "t1")
        place.before("echo hello", "t2")
        api = connect_api(place.home)
        point = api.save_checkpoint(CheckpointOrder(str(place.project), name="first"))
        request = api.send_command(SESSION, CommandRequest("pause"))
        known: dict[str, str | int] = {
            "run": SESSION,
            "step": 1,
            "folder": str(place.project),
            "checkpoint": point.id,
            "request": request.request_id,
            "fleet": fleet.repository.fleet,
            "task": "api",
            "wait": 0,  # nobody answers here
        }
        yield Asked(place, known)


@pytest.fixture(scope="module")
def guarded() -> Iterator[Asked]:
    with DaemonSandbox() as place:
        place.start()
        yield Asked(place, {})


@most.parametrize()
@SETTINGS
def test_every_operation_answers_as_the_document_says(case: Case, asked: Asked) -> None:
    asked.check(case)


@log_in.parametrize()
@SETTINGS
def test_nobody_is_let_in_by_a_wrong_code(case: Case, guarded: Asked) -> None:
    guarded.check(case)
