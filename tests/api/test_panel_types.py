"""The types of the panel are made from the OpenAPI document."""

import hashlib
from pathlib import Path

from handrail.api.openapi import printed_document

SCHEMA = Path(__file__).parents[2] / "panel" / "src" / "api" / "schema.ts"


def test_the_types_of_the_panel_are_those_of_the_document() -> None:
    made_from = SCHEMA.read_text(encoding="utf-8").splitlines()[0].removeprefix("// ")
    now = hashlib.sha256(printed_document().encode()).hexdigest()
    assert made_from == now, "The API has changed. Run: cd panel && npm ci && npm run types"
