"""An address on this machine to which Handrail sends messages for people."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread


@contextmanager
def mailbox() -> Iterator[tuple[str, Queue[str]]]:
    """An address for messages to people, and those that came."""
    letters: Queue[str] = Queue()

    class Taker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            letters.put(json.loads(body)["message"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has
            pass

    with HTTPServer(("127.0.0.1", 0), Taker) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"json://127.0.0.1:{server.server_address[1]}", letters
        finally:
            server.shutdown()
