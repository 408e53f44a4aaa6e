"""Errors of the API, as problem+json."""

import json

import msgspec
from starlette.responses import Response

from handrail.api.messages.session import Problem

_MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """An operation cannot be done; the answer is a problem."""

    def __init__(self, status: int, title: str, detail: str = "") -> None:
        super().__init__(detail or title)
        self.problem = Problem(title, status, detail)


def not_found(what: str, name: str) -> ProblemError:
    """Return the error for something that is not there."""
    return ProblemError(404, f"No such {what}", f"There is no {what} {name[:200]!r}.")


def too_many_attempts(wait: int) -> ProblemError:
    """Return the error for somebody who gave too many wrong tokens or codes."""
    return ProblemError(429, "Too many attempts", f"Wait {wait} s, then try again.")


def problem_response(problem: Problem) -> Response:
    """Return a problem as a response."""
    try:
        body = msgspec.json.encode(problem)
    except UnicodeEncodeError:  # it quotes a file name that is no text
        body = json.dumps(msgspec.to_builtins(problem)).encode()
    return Response(body, problem.status, media_type=_MEDIA_TYPE)
