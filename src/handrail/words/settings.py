"""Values of settings, in words."""

import msgspec


def value_in_words(value: object) -> str:
    """Return a value in one line."""
    if isinstance(value, tuple | list):
        return ", ".join(map(value_in_words, value)) or "none"
    if value == {}:
        return "none"
    if isinstance(value, str):
        return value or "empty"
    return msgspec.json.encode(value).decode().strip('"')
