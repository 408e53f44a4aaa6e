"""The OpenAPI document describes every operation and every message."""

import json
import re
from typing import cast

import pytest

from handrail.api.openapi import openapi_document
from handrail.api.operation import PREFIX, Operation
from handrail.api.operations import OPERATIONS

Json = dict[str, object]

BOUNDED = {
    "command_all": "one row for each run that the command reached",
    "get_settings": "one row for each setting that there is",
    "get_metrics": "one row for each counter of the daemon",
}
"""Answers with `items` that cannot grow without end, and why."""


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


def test_every_list_that_can_grow_comes_in_pages() -> None:
    lists = {
        each.name: {parameter.name for parameter in each.query}
        for each in OPERATIONS
        if not isinstance(each.answers, str) and "items" in each.answers.__struct_fields__
    }
    assert set(BOUNDED) <= set(lists)
    by_seq = {"after", "before", "limit"}  # of a timeline, whose entries have numbers
    for name in set(lists) - set(BOUNDED):
        answers = next(each.answers for each in OPERATIONS if each.name == name)
        assert not isinstance(answers, str)
        if lists[name] >= by_seq:
            assert {"first", "last"} <= set(answers.__struct_fields__), name
        else:
            assert lists[name] >= {"limit", "cursor"}, name
            assert "next" in answers.__struct_fields__, name


def test_every_reference_leads_to_a_schema(document: Json) -> None:
    text = json.dumps(document)
    components = cast("dict[str, dict[str, Json]]", document["components"])
    wanted = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert wanted <= set(components["schemas"])
