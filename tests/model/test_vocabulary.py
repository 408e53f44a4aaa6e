"""The words of the design are frozen structs, and survive being written down."""

import msgspec
import pytest

from handrail import model
from handrail.model import Checkpoint, Finding, Intervention, Severity

WORDS = "Action Outcome Effect Review Verdict Finding Intervention Checkpoint".split()
FINDING = Finding("loop", Severity.HIGH, 0.8, (3, 4))


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_a_frozen_struct(word: str) -> None:
    struct = getattr(model, word)
    assert issubclass(struct, msgspec.Struct)
    assert struct.__struct_config__.frozen


@pytest.mark.parametrize(
    "value",
    [
        Checkpoint("c1", "r1", 5, "f00d", 1.0, "before the deletion"),
        Intervention("i1", "soft_correction", FINDING, 5),
    ],
)
def test_a_word_survives_json(value: msgspec.Struct) -> None:
    assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value
