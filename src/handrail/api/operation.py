"""One row of the API: a typed operation."""

from typing import Literal, NamedTuple

import msgspec

from handrail.api.messages.session import Right

PREFIX = "/api/v1"


class QueryParameter(NamedTuple):
    """A parameter in the query of a request."""

    name: str
    says: str
    kind: Literal["string", "integer"] = "string"
    least: int = 0
    most: int = 0
    """For numbers: the largest value; larger ones are cut down to it."""
    default: int = 0


class Operation(NamedTuple):
    """One thing that the API can do."""

    name: str
    """The operation's id, and its name in the clients."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    """Below the prefix, with `{parameters}`."""
    says: str
    answers: type[msgspec.Struct] | str
    """The message of the answer, or the media type of another content."""
    takes: type[msgspec.Struct] | None = None
    query: tuple[QueryParameter, ...] = ()
    right: Right | None = "read"
    """The right that a caller needs; None: anybody may ask."""
    status: int = 200

    @property
    def tag(self) -> str:
        """Return its group in the documents: the first word of its path."""
        return self.path.split("/")[1]
