"""The documents that are made from the schema."""

import re
from pathlib import Path

import msgspec

from handrail.config import Config
from handrail.config.json_schema import json_schema
from handrail.config.reference import render_reference

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    """If not: python -m handrail.config.reference > docs/configuration.md"""
    assert (ROOT / "docs" / "configuration.md").read_text() == render_reference()


def test_every_key_is_in_the_reference() -> None:
    reference = render_reference()
    assert [key for key in _keys(json_schema()) if not re.search(rf"[`.]{key}`", reference)] == []


def test_every_setting_of_ours_says_what_it_is_for() -> None:
    schema = json_schema()
    silent = {
        f"{name}.{key}"
        for name, section in schema["$defs"].items()
        for key, value in section.get("properties", {}).items()
        if "description" not in value and "$ref" not in str(value)
    }
    assert silent - {"Fact.does", "Fact.when"} == set()


def test_the_defaults_are_valid() -> None:
    data = msgspec.to_builtins(Config())
    assert msgspec.convert(data, Config) == Config()


def _keys(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = set(schema.get("properties", {}))
        return own.union(*map(_keys, schema.values()))
    return set().union(*map(_keys, schema)) if isinstance(schema, list) else set()
