"""A server that answers every hook with nothing, on the HTTP stack of the daemon: the floor."""

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn

_PATIENCE = 30.0


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Read the request, and say that there is nothing to say."""
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})


@contextlib.contextmanager
def on_socket() -> Iterator[tuple[int, str]]:
    """The process of such a server, and its unix socket."""
    with TemporaryDirectory(dir="/tmp") as folder:
        path = f"{folder}/nothing.sock"
        with _serving(path, socket.AF_UNIX, path) as process:
            yield process, path


@contextlib.contextmanager
def on_port() -> Iterator[str]:
    """The URL of such a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with _serving(str(port), socket.AF_INET, ("127.0.0.1", port)):
        yield f"http://127.0.0.1:{port}/"


@contextlib.contextmanager
def _serving(where: str, family: int, address: str | tuple[str, int]) -> Iterator[int]:
    with subprocess.Popen([sys.executable, __file__, where]) as process:
        try:
            _wait_for(family, address)
            yield process.pid
        finally:
            process.terminate()


def _wait_for(family: int, address: str | tuple[str, int]) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        with socket.socket(family) as probe, contextlib.suppress(OSError):
            probe.connect(address)
            return
        if time.monotonic() > until:
            raise TimeoutError(f"nobody listens on {address}")
        time.sleep(0.02)


if __name__ == "__main__":
    where = sys.argv[1]
    uvicorn.run(
        app,
        uds=None if where.isdigit() else where,
        port=int(where) if where.isdigit() else 0,
        log_level="critical",
        access_log=False,
        lifespan="off",
        loop="uvloop",
        http="httptools",
        ws="none",
        timeout_keep_alive=600,
    )
