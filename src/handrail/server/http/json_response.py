"""JSON over HTTP, for the endpoints that people and programs use."""

import json
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import Ready

T = TypeVar("T")

_LONGEST_WAIT = 60.0


def json_response(value: object, status: int = 200) -> Response:
    """Make a response; file names that are not valid text are escaped."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        data = json.dumps(msgspec.to_builtins(value)).encode()
    return Response(data, status, media_type="application/json")


async def read_json(request: Request, kind: type[T], most: int = 1_000_000) -> T:
    """Read the body of a request. Raises msgspec.MsgspecError or UnicodeDecodeError."""
    return msgspec.json.decode((await request.body())[:most], type=kind)


def wait_seconds(request: Request) -> float:
    """Return how many seconds the client would wait (`?wait=SECONDS`)."""
    try:
        return min(max(float(request.query_params.get("wait", "0")), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0


def once_written(value: T, receipts: list[Receipt]) -> Ready[T]:
    """Return a value once it is on the disk; raise the error of the log otherwise."""

    def failed(error: StoreError) -> T:
        raise error

    return Ready(value, receipts, failed)
