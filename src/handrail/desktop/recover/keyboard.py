"""Presses keys on a display, also those that its keyboard lacks."""

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from handrail.desktop.errors import RecoveryError
from handrail.desktop.recover.keysyms import MODIFIERS, keysyms

_PLAIN, _SHIFTED = 0, 1
"""Columns of a keyboard's map. The others belong to a second layout, or to a third level."""


class Keyboard:
    """The keys of one connection."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._lent: dict[int, int] = {}

    def press(self, keys: str) -> None:
        """Press a key or combination; raises RecoveryError if there is no such key."""
        codes = [code for keysym in keysyms(keys) for code in self._keycodes(keysym, keys)]
        self._let_go()
        for code in codes:
            xtest.fake_input(self._display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._display, X.KeyRelease, code)

    def give_back(self) -> None:
        """Take the lent meanings from the spare keys."""
        for code in self._lent.values():
            self._map(code, X.NoSymbol)
        self._lent.clear()
        self._display.sync()

    def _let_go(self) -> None:
        """Release modifiers that a program left pressed when it died."""
        down = self._display.query_keymap()
        for name in dict.fromkeys(MODIFIERS.values()):
            for keysym in keysyms(name):
                for code, _ in self._display.keysym_to_keycodes(keysym):
                    if down[code // 8] & 1 << code % 8:
                        xtest.fake_input(self._display, X.KeyRelease, code)

    def _keycodes(self, keysym: int, keys: str) -> list[int]:
        """The keys to hold for a symbol, in order."""
        if keysym in self._lent:
            return [self._lent[keysym]]
        places: dict[int, int] = {}
        for code, column in self._display.keysym_to_keycodes(keysym):
            places.setdefault(column, code)
        if _PLAIN in places:
            return [places[_PLAIN]]
        if _SHIFTED in places:
            (shift,) = keysyms("shift")
            return [*self._keycodes(shift, keys), places[_SHIFTED]]
        return [self._lend(keysym, keys)]

    def _lend(self, keysym: int, keys: str) -> int:
        """Give a symbol that the keyboard lacks to a key without a meaning, until the end.

        Programs look the meaning up after they got the key, so it cannot go back at once.
        """
        known = self._display.display.info
        low, high = known.min_keycode, known.max_keycode
        rows = self._display.get_keyboard_mapping(low, high - low + 1)
        for code, symbols in zip(range(high, low - 1, -1), reversed(rows), strict=False):
            if not any(symbols):
                self._map(code, keysym)
                self._display.sync()
                self._lent[keysym] = code
                return code
        raise RecoveryError(keys, "the keyboard lacks this key, and has none to spare")

    def _map(self, code: int, keysym: int) -> None:
        self._display.change_keyboard_mapping(code, [(keysym, keysym)])
