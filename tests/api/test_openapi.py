"""The OpenAPI document describes every operation and every message."""

import json
import re
from typing import cast

import pytest

from handrail.api.openapi import openapi_document
from handrail.api.operation import PREFIX, Operation
from handrail.api.operations import OPERATIONS

Json = dict[str, object]


@pytest.fixture(scope="module")
def document() -> Json:
    return openapi_document(OPERATIONS, "1.2.3")


def test_operations_have_names_and_paths_of_their_own() -> None:
    assert len({each.name for each in OPERATIONS}) == len(OPERATIONS)
    assert len({(each.method, each.path) for each in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_each_operation_is_described(operation: Operation, document: Json) -> None:
    paths = cast("dict[str, dict[str, Json]]", document["paths"])
    described = paths[PREFIX + operation.path][operation.method.lower()]
    assert described["operationId"] == operation.name
    names = re.findall(r"\{(\w+)\}", operation.path)
    parameters = cast("list[Json]", described["parameters"])
    assert [each["name"] for each in parameters if each["in"] == "path"] == names
    assert ("requestBody" in described) == (operation.takes is not None)


def test_what_changes_something_needs_the_right_to_control() -> None:
    secret_looks = {"get_screenshot"}  # nobody can take secrets out of a picture
    reading_posts = {"log_in", "preview_restore", "replay", "review_edit"}
    for each in OPERATIONS:
        if each.method == "GET" and each.name not in secret_looks:
            assert each.right in (None, "read"), each.name
        elif each.name not in reading_posts | {"log_out"}:
            assert each.right == "control", each.name


def test_every_reference_leads_to_a_schema(document: Json) -> None:
    text = json.dumps(document)
    components = cast("dict[str, dict[str, Json]]", document["components"])
    wanted = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert wanted <= set(components["schemas"])
