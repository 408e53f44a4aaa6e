"""The JSON Schema of `handrail.yaml`, for editors that complete and check it."""

from typing import Any

import msgspec

from handrail.config.field_docs import field_descriptions
from handrail.config.schema import Config
from handrail.model.program import Fact, Program, Wrapper


def json_schema() -> dict[str, Any]:
    """Return the schema of the whole file."""
    schema = msgspec.json.schema(Config)
    for struct in (Program, Fact, Wrapper):
        properties = schema["$defs"][struct.__name__]["properties"]
        for name, text in field_descriptions(struct).items():
            properties[name]["description"] = text
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "handrail.yaml",
        **schema,
    }
