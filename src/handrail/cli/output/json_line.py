"""JSON in one line that a terminal may show: what it would act on or hide is escaped."""

import json

from handrail.cli.output.review_json import to_json


def json_line(value: object) -> str:
    """A value as JSON."""
    return shown_json(to_json(value))


def shown_json(data: bytes) -> str:
    """JSON as it came, with everything escaped that is not printable."""
    text = data.decode()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
