"""The OpenAPI document, made from the table of operations and the structs of its messages."""

import re
import sys
from collections.abc import Iterable

import msgspec

from handrail.api.messages import stream
from handrail.api.messages.session import Problem
from handrail.api.operation import PREFIX, Operation, QueryParameter
from handrail.api.operations import OPERATIONS

_PARAMETER = re.compile(r"\{(\w+)\}")
_TEMPLATE = "#/components/schemas/{name}"

Json = dict[str, object]

_ERRORS = {
    "400": "The request cannot be understood.",
    "401": "Nobody is logged in, or the token is wrong.",
    "403": "The caller lacks the right, or a foreign page sent the request.",
    "404": "There is no such thing.",
    "409": "It is not possible in the present state.",
    "413": "The message is too large.",
    "429": "Too many wrong tokens; wait.",
    "500": "A bug in Handrail.",
    "503": "The daemon cannot do it now.",
}


def openapi_document(operations: Iterable[Operation], version: str) -> Json:
    """Return the document of a table of operations."""
    operations = tuple(operations)
    types = dict.fromkeys((Problem, stream.StreamFrame))
    for each in operations:
        types |= dict.fromkeys(
            kind for kind in (each.answers, each.takes) if isinstance(kind, type)
        )
    (_, schemas) = msgspec.json.schema_components(
        types, schema_hook=_any_value, ref_template=_TEMPLATE
    )
    paths: dict[str, Json] = {}
    for each in operations:
        paths.setdefault(PREFIX + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Handrail", "version": version},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "handrail-PORT"},
                "key": {"type": "apiKey", "in": "header", "name": "Handrail-Key"},
            },
        },
        "security": [{"token": []}, {"cookie": [], "key": []}],
    }


def _any_value(kind: type) -> Json:
    """Describe a value of any form, such as an argument in the input of a tool."""
    if kind is object:
        return {"description": "Any value."}
    raise TypeError(kind)


def _operation(operation: Operation) -> Json:
    described: Json = {
        "operationId": operation.name,
        "summary": operation.says,
        "tags": [operation.tag],
        "parameters": [
            *map(_path_parameter, _PARAMETER.findall(operation.path)),
            *map(_query_parameter, operation.query),
        ],
        "responses": {
            str(operation.status): {"description": "Done.", "content": _content(operation.answers)},
            **{status: _problem(says) for status, says in _ERRORS.items()},
        },
    }
    if operation.takes is not None:
        described["requestBody"] = {"required": True, "content": _content(operation.takes)}
    if operation.right is None:
        described["security"] = []
    return described


def _content(kind: type[msgspec.Struct] | str) -> Json:
    if isinstance(kind, str):
        return {kind: {"schema": {} if kind == "application/json" else {"type": "string"}}}
    return {"application/json": {"schema": {"$ref": _TEMPLATE.format(name=kind.__name__)}}}


def _problem(says: str) -> Json:
    schema = {"$ref": _TEMPLATE.format(name=Problem.__name__)}
    return {"description": says, "content": {"application/problem+json": {"schema": schema}}}


def _path_parameter(name: str) -> Json:
    schema = {"type": "integer", "minimum": 1} if name == "step" else {"type": "string"}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameter(parameter: QueryParameter) -> Json:
    schema: Json = {"type": parameter.kind}
    if parameter.kind == "integer":
        schema["minimum"] = parameter.least
        if parameter.most:
            schema["maximum"] = parameter.most
        if parameter.default:
            schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": "query",
        "required": False,
        "description": parameter.says,
        "schema": schema,
    }


def printed_document() -> str:
    """Return the document as text. It names no release, so that only a changed API changes it."""
    document = openapi_document(OPERATIONS, "v1")
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(printed_document())
