"""One call of an operation: who asks, and what for."""

from typing import TypeVar

import msgspec
from starlette.requests import Request

from handrail.api.messages.session import Right
from handrail.api.operation import Operation
from handrail.server.api.problems import ProblemError

T = TypeVar("T", bound=msgspec.Struct)

CALLER = "handrail.caller"
"""The key of the caller in the scope of a request."""
MAX_BODY = 1_000_000


class ApiCaller(msgspec.Struct, frozen=True):
    """Who asks, and what they may do."""

    user: str
    rights: tuple[Right, ...]


class ApiCall:
    """The request of one operation, with its values checked by the table."""

    def __init__(
        self, operation: Operation, request: Request, body: bytes, caller: ApiCaller
    ) -> None:
        self.request = request
        self.caller = caller
        self._operation = operation
        self._body = body

    def path(self, name: str) -> str:
        """Return a part of the path."""
        return str(self.request.path_params[name])

    def step(self) -> int:
        """Return the step in the path."""
        text = self.path("step")
        if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 2**53:
            raise ProblemError(
                404, "No such action", f"{text[:40]!r} is not the number of an action."
            )
        return int(text)

    def text(self, name: str) -> str:
        """Return a text of the query, or ""."""
        return self.request.query_params.get(name, "")

    def number(self, name: str) -> int:
        """Return a number of the query, within its bounds, or its default."""
        row = next(each for each in self._operation.query if each.name == name)
        given = self.request.query_params.get(name)
        if given is None:
            return row.default
        if not given.isascii() or not given.isdecimal() or len(given) > 18:
            raise ProblemError(
                400, "Not a number", f"{name} must be a whole number, not {given[:40]!r}."
            )
        return min(max(int(given), row.least), row.most or 2**62)

    def body(self, kind: type[T]) -> T:
        """Return the message in the body."""
        try:
            return msgspec.json.decode(self._body, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ProblemError(400, "The message cannot be read", f"{error}") from None
