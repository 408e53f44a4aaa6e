"""An HTTP server on loopback that lives as long as a `with` block."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Self


class LoopbackServer:
    """Serves on a free port; whoever waits for something on its behalf looks at `closing`."""

    def __init__(self, handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        """`handler` is called for each connection."""
        self.closing = threading.Event()
        self._server = ThreadingTCPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True  # a client that never hangs up must not keep us
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """The value for `ANTHROPIC_BASE_URL`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
