"""JSON in one line. Characters that a terminal would act on or hide are escaped."""

import json
import sys

import msgspec


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(f"{json_line(value)}\n")


def json_line(value: object) -> str:
    """Encode a value as JSON that a terminal can show."""
    return printable_json(to_json(value))


def printable_json(data: bytes) -> str:
    """Escape every character in encoded JSON that is not printable."""
    text = data.decode()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)


def to_json(value: object) -> bytes:
    """Encode a value as JSON, even if a text in it is not valid Unicode."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate: bytes of a file name that are not UTF-8
        return json.dumps(msgspec.to_builtins(value)).encode()
