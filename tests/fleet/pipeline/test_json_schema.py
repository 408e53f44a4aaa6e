"""The JSON Schema: it knows every key of every type, in both forms."""

import json

import pytest

from handrail.config.validation import section_fields
from handrail.fleet.pipeline.json_schema import pipeline_schema
from handrail.fleet.pipeline.schema import STEP_TYPES, PipelineFile, PipelineStep


def test_every_key_of_the_file_is_in_it() -> None:
    schema = pipeline_schema()
    assert set(schema["properties"]) == set(section_fields(PipelineFile))
    assert schema["required"] == ["steps"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("kind", STEP_TYPES)
def test_every_key_of_a_step_is_in_it_flat_and_nested(kind: str) -> None:
    flat, nested = pipeline_schema()["$defs"][f"{kind}_step"]["anyOf"]
    keys = set(section_fields(STEP_TYPES[kind]))
    own = keys - set(section_fields(PipelineStep))
    assert set(flat["properties"]) == keys | {"type"}
    assert set(nested["properties"]["config"]["properties"]) == own
    assert flat["properties"]["type"] == {"const": kind}


def test_every_reference_leads_somewhere() -> None:
    schema = pipeline_schema()
    text = json.dumps(schema)
    named = {part.split('"')[0] for part in text.split('"$ref": "#/$defs/')[1:]}
    assert named <= set(schema["$defs"])
    assert {f"{kind}_step" for kind in STEP_TYPES} <= named
