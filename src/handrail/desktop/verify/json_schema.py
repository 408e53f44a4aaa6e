"""The JSON Schema of SESSION.json, for editors that complete and check it."""

from typing import Any

import msgspec

from handrail.desktop.verify.session import EditSession


def session_schema() -> dict[str, Any]:
    """Return the schema of the whole file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A recorded editing session",
        **msgspec.json.schema(EditSession),
    }
