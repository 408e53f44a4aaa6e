"""The JSON Schema of pipeline files, for editors that complete and check them."""

from typing import Any

import msgspec

from handrail.config.json_schema import json_schema as settings_schema
from handrail.fleet.pipeline.schema import STEP_TYPES, PipelineFile, PipelineStep

_REFERENCE = "#/$defs/{name}"


def pipeline_schema() -> dict[str, Any]:
    """Return the schema of the whole file."""
    structs = dict.fromkeys((PipelineFile, PipelineStep, *STEP_TYPES.values()))
    _, found = msgspec.json.schema_components(structs, ref_template=_REFERENCE)
    settings = settings_schema()
    parts: dict[str, Any] = {**found, **settings["$defs"]}
    common = parts.pop(PipelineStep.__name__)["properties"]
    top = parts.pop(PipelineFile.__name__)
    steps = {
        f"{kind}_step": _step(kind, parts[struct.__name__], common)
        for kind, struct in STEP_TYPES.items()
    }
    for struct in set(STEP_TYPES.values()):
        del parts[struct.__name__]
    top["properties"]["steps"] |= {
        "items": {"anyOf": [{"$ref": _REFERENCE.format(name=name)} for name in steps]},
    }
    top["properties"]["vars"]["additionalProperties"] = {"type": ["string", "number", "boolean"]}
    for key in ("steps", "safety"):
        top["properties"][key].pop("default", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "title": "A pipeline of Handrail",
        "required": ["steps"],
        "$defs": {**parts, **steps},
    }


def _step(kind: str, struct: dict[str, Any], common: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one type: its keys stand in the step, or in its `config`."""
    own = {key: value for key, value in struct["properties"].items() if key not in common}
    needs = [key for key in struct.get("required", ()) if key in own]
    base = {
        "type": "object",
        "description": struct.get("description", ""),
        "additionalProperties": False,
    }
    every = {"type": {"const": kind}, **common}
    nested = {
        "type": "object",
        "properties": own,
        "required": needs,
        "additionalProperties": False,
    }
    return {
        "anyOf": [
            {**base, "properties": {**every, **own}, "required": ["type", *needs]},
            {**base, "properties": {**every, "config": nested}, "required": ["type", "config"]},
        ]
    }
