"""The names of keys, and the keyboard that has to know them."""

import pytest

from handrail.desktop.recover.keys import KEYS, MODIFIERS, read_keys
from handrail.desktop.recover.keysyms import keysyms


@pytest.mark.parametrize("name", sorted(set(KEYS.values())))
def test_every_key_of_the_vocabulary_is_known_to_the_keyboard(name: str) -> None:
    assert len(keysyms(read_keys(name))) == 1


@pytest.mark.parametrize("name", sorted(set(MODIFIERS.values())))
def test_every_modifier_of_the_vocabulary_is_known_to_the_keyboard(name: str) -> None:
    assert len(keysyms(read_keys(f"{name}+a"))) == 2
