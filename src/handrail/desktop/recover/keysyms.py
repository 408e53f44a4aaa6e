"""The names of keys, and combinations of them: `Escape`, `ctrl+shift+p`, `ü`."""

from collections.abc import Mapping
from typing import Final

from Xlib import XK

from handrail.desktop.errors import RecoveryError

MODIFIERS: Final[Mapping[str, str]] = {
    "ctrl": "Control_L",
    "control": "Control_L",
    "shift": "Shift_L",
    "alt": "Alt_L",
    "super": "Super_L",
    "win": "Super_L",
    "cmd": "Super_L",
    "meta": "Meta_L",
    "altgr": "ISO_Level3_Shift",
}
_ALIASES: Final[Mapping[str, str]] = {
    "enter": "Return",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "pageup": "Prior",
    "pgup": "Prior",
    "page_up": "Prior",
    "pagedown": "Next",
    "pgdn": "Next",
    "page_down": "Next",
    "+": "plus",
    "-": "minus",
}
_NAMED: Final[Mapping[str, str]] = {
    name.casefold(): name
    for name in (
        "Return", "Escape", "Tab", "BackSpace", "Delete", "Insert", "Home", "End", "Prior", "Next",
        "Left", "Right", "Up", "Down", "space", "Menu", "Pause", "Print",
        *(f"F{number}" for number in range(1, 25)),
    )
}  # fmt: skip
"""Keys that people write in any case."""
XK.load_keysym_group("xkb")
_UNICODE = 0x01000000
_LATIN_1 = 0x100


def keysyms(keys: str) -> tuple[int, ...]:
    """Return the codes of a combination, in the order in which its keys go down."""
    # In `ctrl++` the last one is the key.
    names = [*keys[:-2].split("+"), "+"] if keys.endswith("++") else keys.split("+")
    *held, key = ["+"] if keys == "+" else names
    for name in held:
        if name.casefold() not in MODIFIERS:
            raise RecoveryError(keys, f"{name!r} cannot be held: {', '.join(MODIFIERS)} can")
    return tuple(_keysym(name, keys) for name in (*held, key))


def _keysym(name: str, keys: str) -> int:
    lower = name.casefold()
    known = MODIFIERS.get(lower) or _ALIASES.get(lower) or _NAMED.get(lower) or name
    if code := XK.string_to_keysym(known):
        return code
    if len(known) == 1 and known.isprintable():
        return ord(known) if ord(known) < _LATIN_1 else _UNICODE | ord(known)
    raise RecoveryError(keys, f"there is no key called {name!r}")
