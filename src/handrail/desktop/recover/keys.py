"""The names of keys that an action may press, as X11 calls them."""

import string
from collections.abc import Mapping

from handrail.desktop.errors import RecoveryError

_MAX_KEYS = 5

MODIFIERS: Mapping[str, str] = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "shift": "shift",
    "alt": "alt",
    "super": "super",
    "meta": "super",
}
"""The canonical name by every name."""

_NAMED = (
    "Escape Return Tab BackSpace Delete Insert Home End Page_Up Page_Down Left Right Up Down "
    "space Menu Pause Print "
    "plus minus comma period slash backslash semicolon apostrophe grave equal "
    "bracketleft bracketright"
).split()
_FUNCTION_KEYS = [f"F{number}" for number in range(1, 13)]
_ALSO = {
    "esc": "Escape",
    "enter": "Return",
    "del": "Delete",
    "pageup": "Page_Up",
    "pagedown": "Page_Down",
    "prior": "Page_Up",
    "next": "Page_Down",
    "-": "minus",
    ",": "comma",
    ".": "period",
    "/": "slash",
    "\\": "backslash",
    ";": "semicolon",
    "'": "apostrophe",
    "`": "grave",
    "=": "equal",
    "[": "bracketleft",
    "]": "bracketright",
}
KEYS: Mapping[str, str] = {
    **{name.lower(): name for name in (*_NAMED, *_FUNCTION_KEYS)},
    **{letter: letter for letter in string.ascii_lowercase + string.digits},
    **_ALSO,
}
"""The X11 name by the lower-case name. A letter is lower case; a capital needs `shift`."""


def read_keys(text: str) -> str:
    """Return the canonical form of a key or combination, `ctrl+shift+p`; raises RecoveryError."""
    *before, last = text.replace("+", " ").lower().split() or [""]
    unknown = [name for name in before if name not in MODIFIERS]
    if unknown:
        raise RecoveryError(
            f"press {text}", f"{unknown[0]!r} is no modifier; there are: {_names(MODIFIERS)}"
        )
    if last not in KEYS:
        raise RecoveryError(
            f"press {text}",
            f"no key is called {last!r}; there are letters, digits, F1 to F12, "
            f"and {', '.join(_NAMED)}",
        )
    modifiers = list(dict.fromkeys(MODIFIERS[name] for name in before))
    if len(before) != len(modifiers) or len(before) >= _MAX_KEYS:
        raise RecoveryError(f"press {text}", "a modifier stands there twice")
    return "+".join((*modifiers, KEYS[last]))


def _names(known: Mapping[str, str]) -> str:
    return ", ".join(sorted(set(known.values())))
