"""Marks of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.detect.text_hashes import add_hash, each_of, text_hash

pytestmark = pytest.mark.slow


@given(st.lists(st.text(max_size=3), max_size=40), st.integers(1, 12))
def test_the_last_different_texts_are_kept_in_the_order_in_which_they_came(
    texts: list[str], most: int
) -> None:
    kept = b""
    order: dict[str, None] = {}
    for text in texts:
        kept = add_hash(kept, text_hash(text), most)
        order.pop(text, None)
        order[text] = None
    assert each_of(kept) == [text_hash(text) for text in order][-most:]


def test_a_mark_is_the_same_after_a_restart_and_in_any_language() -> None:
    assert text_hash("src/cart.py") == bytes.fromhex("91cfc847")
    assert text_hash("größe\udcff") == text_hash("größe\udcff") != text_hash("größe")
