"""JSON over HTTP, for endpoints that people and programs use."""

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


def as_json(value: object, status: int = 200) -> Response:
    """An answer; what is no text, such as a file's name, is said all the same."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        data = json.dumps(msgspec.to_builtins(value)).encode()
    return Response(data, status, media_type="application/json")


async def read_json(request: Request, kind: type[T], most: int = 1_000_000) -> T:
    """The body of a request; raises msgspec.MsgspecError or UnicodeDecodeError."""
    return msgspec.json.decode((await request.body())[:most], type=kind)


def wait_of(request: Request) -> float:
    """For how many seconds whoever asks would wait (`?wait=SECONDS`)."""
    try:
        return min(max(float(request.query_params.get("wait", "0")), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0


def when_written(value: T, receipts: list[Receipt]) -> Ready[T]:
    """A value that is answered when it is on the disk, and raises what the log says otherwise."""

    def failed(error: StoreError) -> T:
        raise error

    return Ready(value, receipts, failed)
