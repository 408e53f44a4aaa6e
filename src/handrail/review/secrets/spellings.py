"""The forms in which a value can stand in a text: plain, in a URL, as hex, as base64."""

import base64
from urllib.parse import unquote

_URL_SAFE = str.maketrans("-_", "+/")
_FIRST_WHOLE = (0, 2, 3)
"""By the bytes before a value, the first letter of its base64 that depends on it alone."""


class SearchedText:
    """A text in which many values are looked for; each reading of it is made once."""

    def __init__(self, text: str) -> None:
        self._plain = text if "%" not in text else f"{text}\n{unquote(text)}"
        self._lower = text.lower()
        self._base64 = "".join(text.translate(_URL_SAFE).split())

    def holds(self, value: str) -> bool:
        """Return whether the value stands in the text, in any of its forms."""
        if value in self._plain:
            return True
        data = value.encode("utf-8", "surrogatepass")
        return data.hex() in self._lower or any(form in self._base64 for form in _base64(data))


def _base64(data: bytes) -> tuple[str, ...]:
    """Return the letters that stand for a value inside of a longer text, by its position in it."""
    return tuple(
        base64.b64encode(bytes(before) + data).decode()[first : (before + len(data)) * 8 // 6]
        for before, first in enumerate(_FIRST_WHOLE)
    )
