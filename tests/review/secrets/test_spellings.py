"""The forms in which a value can stand in a text."""

import base64
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from handrail.review.secrets.spellings import SearchedText

values = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs"]), min_size=12)
around = st.text(st.characters(codec="ascii"), max_size=20)


@given(values, around, around)
def test_a_value_is_found_in_each_of_its_forms(value: str, before: str, after: str) -> None:
    whole = f"{before}{value}{after}".encode()
    assert SearchedText(f"{before}{value}{after}").holds(value)
    assert SearchedText(base64.b64encode(whole).decode()).holds(value)
    assert SearchedText(base64.urlsafe_b64encode(whole).decode().rstrip("=")).holds(value)
    assert SearchedText(base64.encodebytes(whole).decode()).holds(value)
    assert SearchedText(f"x={whole.hex()}").holds(value)
    assert SearchedText(f"x={whole.hex().upper()}").holds(value)
    assert SearchedText(f"x={quote(value, safe='')}&y").holds(value)


@given(values, around)
def test_a_text_without_it_does_not_hold_it(value: str, text: str) -> None:
    if value not in text:
        assert not SearchedText(text).holds(value)
