"""A browser without a screen: it keeps its cookie and its key, and says where it comes from."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from handrail.server.home import Home
from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import CODES


class PageAnswer(NamedTuple):
    """What came back over the port."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask_port(
    home: Home,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] = {},
) -> PageAnswer:
    """One request over the port, with these headers and no others."""
    line = http.client.HTTPConnection("127.0.0.1", home.port, timeout=30)
    try:
        data = None if body is None else json.dumps(body).encode()
        line.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            line.putheader(name, value)
        if data is not None:
            line.putheader("Content-Length", str(len(data)))
        line.endheaders(data)
        answer = line.getresponse()
        names = {name.lower(): value for name, value in answer.getheaders()}
        return PageAnswer(answer.status, names, answer.read())
    finally:
        line.close()


def new_code(home: Home, **asked: bool) -> dict[str, Any]:
    """What `handrail panel` hears from the daemon."""
    return call_daemon(home, "POST", CODES, asked)


class Browser:
    """One browser on this machine."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.origin = f"http://127.0.0.1:{home.port}"
        self.cookie = ""
        self.key = ""

    @property
    def headers(self) -> dict[str, str]:
        """What a browser sends with a request of the panel's own page."""
        own = {"Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        if self.cookie:
            own |= {"Cookie": f"other=1; {self.cookie}", "Handrail-Key": self.key}
        return own

    def ask(self, method: str, path: str, body: object = None, **changed: str | None) -> PageAnswer:
        """A request with some headers changed, or left out (None); `_` stands for `-`."""
        headers: dict[str, str | None] = dict(self.headers)
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        given = {name: value for name, value in headers.items() if value is not None}
        return ask_port(self.home, method, path, body, given)

    def log_in(self, **asked: bool) -> PageAnswer:
        """Log in by a new code."""
        return self.use(new_code(self.home, **asked)["code"])

    def use(self, code: str = "", *, token: str = "") -> PageAnswer:
        """Log in by this code or token."""
        given = {"token": token} if token else {"code": code}
        answer = self.ask("POST", "/api/v1/session", given)
        if answer.status == 200:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.key = answer.json["key"]
        return answer
