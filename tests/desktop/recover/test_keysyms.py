"""The names of keys."""

import pytest
from Xlib import XK

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.keys import KEYS
from handrail.desktop.recover.keysyms import keysyms


@pytest.mark.parametrize("name", sorted(KEYS.values()))
def test_every_key_that_an_action_may_press_is_known(name: str) -> None:
    assert keysyms(name) == (XK.string_to_keysym(name),)


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ("ctrl+shift+p", ["Control_L", "Shift_L", "p"]),
        ("Ctrl+F5", ["Control_L", "F5"]),
        ("ESC", ["Escape"]),
        ("alt++", ["Alt_L", "plus"]),
        ("+", ["plus"]),
        ("Page_Up", ["Prior"]),
        ("é", ["eacute"]),
    ],
)
def test_a_combination_goes_down_in_order(keys: str, names: list[str]) -> None:
    assert keysyms(keys) == tuple(XK.string_to_keysym(name) for name in names)


def test_a_letter_without_a_name_has_its_unicode_number() -> None:
    assert keysyms("漢") == (0x01000000 | ord("漢"),)


@pytest.mark.parametrize("keys", ["", "+x", "x+y", "ctrl+", "Nothing", "\n", "\x1b", "ctrl+\t"])
def test_what_is_no_key_is_refused(keys: str) -> None:
    with pytest.raises(RecoveryError):
        keysyms(keys)
