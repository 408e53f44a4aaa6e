"""Asks an X server many things at once: python-xlib waits for each answer by itself."""

from collections.abc import Iterable, Sequence

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol.request import GetProperty, GetWindowAttributes
from Xlib.protocol.rq import ReplyRequest

MOST_WORDS = 1024
"""Of 4 bytes each: what is read of a property."""


class PropertyValues:
    """The properties of one window; one that it lacks is empty."""

    def __init__(self, values: dict[str, bytes | list[int]]) -> None:
        self._values = values

    def numbers(self, name: str) -> list[int]:
        """Return a property that is a list of numbers."""
        value = self._values.get(name, [])
        return value if isinstance(value, list) else []

    def number(self, name: str) -> int:
        """Return the first number of a property, or 0."""
        return next(iter(self.numbers(name)), 0)

    def text(self, name: str) -> str:
        """Return a property that is a text."""
        value = self._values.get(name, b"")
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def get_properties(
    display: Display, windows: Sequence[int], names: Sequence[str]
) -> list[PropertyValues]:
    """Return properties of windows; a window that is gone has none."""
    atoms = {name: display.intern_atom(name) for name in names}
    asked = [
        {
            name: GetProperty(
                display=display.display, defer=True, delete=False, window=window,
                property=atom, type=X.AnyPropertyType, long_offset=0, long_length=MOST_WORDS,
            )
            for name, atom in atoms.items()
        }
        for window in windows
    ]  # fmt: skip
    return [
        PropertyValues(
            {name: value for name, one in each.items() if (value := _property(one)) is not None}
        )
        for each in asked
    ]


def find_popups(display: Display, windows: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return which of these windows show: those that a window manager takes care of, and those
    that bypass it, as menus do."""
    asked = [
        (window, GetWindowAttributes(display=display.display, defer=True, window=window))
        for window in windows
    ]
    managed: list[int] = []
    popups: list[int] = []
    for window, one in asked:
        if _arrived(one) and one.map_state == X.IsViewable:
            (popups if one.override_redirect else managed).append(window)
    return managed, popups


def _property(asked: GetProperty) -> bytes | list[int] | None:
    if not _arrived(asked) or not asked.property_type:
        return None
    _, value = asked.value
    return value if isinstance(value, bytes) else [int(one) for one in value]


def _arrived(asked: ReplyRequest) -> bool:
    """Wait for an answer; False: the window is gone."""
    try:
        asked.reply()
    except XError:
        return False
    return True
