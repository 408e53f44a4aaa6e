"""Who may ask what on the port."""

import asyncio
import logging
from collections.abc import Mapping, Sequence

import pytest
from starlette.types import Message, Receive, Scope, Send

from handrail.server.http import token_auth as gate_module
from handrail.server.http.token_auth import TokenAuth
from tests.server.asgi import AsgiResponse, ask

HOOK = "hook-secret-1"
CONTROL = "control-secret-2"
HERE = "127.0.0.1:47100"

Headers = Mapping[str, str] | Sequence[tuple[str, str]]


class Inside:
    """An application that counts who was let in."""

    def __init__(self) -> None:
        self.entered = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.entered += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})


def knock(method: str, path: str, headers: Headers) -> tuple[int, bool]:
    """The status, and whether one came in."""
    inside = Inside()
    answer = _through(inside, method, path, headers)
    return answer.status, bool(inside.entered)


def _through(inside: Inside, method: str, path: str, headers: Headers) -> AsgiResponse:
    gate = TokenAuth(inside, hook_token=HOOK, control_token=CONTROL)
    return asyncio.run(ask(gate, method, path, b"{}", headers))


def with_token(token: str) -> dict[str, str]:
    return {"host": HERE, "authorization": f"Bearer {token}"}


ENDPOINTS = [
    ("POST", "/hooks/claude"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("POST", "/checkpoints"),
    ("GET", "/hooks/claude"),
    ("POST", "/healthz"),
    ("GET", "/unheard-of"),
]


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_the_control_token_opens_everything(method: str, path: str) -> None:
    assert knock(method, path, with_token(CONTROL)) == (200, True)


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_the_hook_token_opens_the_hooks_and_the_health_and_nothing_else(
    method: str, path: str
) -> None:
    opens = (method, path) in ENDPOINTS[:2]
    assert knock(method, path, with_token(HOOK)) == ((200, True) if opens else (401, False))


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
@pytest.mark.parametrize(
    "token", [None, "", " ", "wrong", HOOK[:-1], f"{HOOK}x", CONTROL.upper(), "ü", f"{HOOK}\0"]
)
def test_without_the_right_token_nobody_comes_in(method: str, path: str, token: str | None) -> None:
    headers = {"host": HERE} if token is None else with_token(token)
    assert knock(method, path, headers) == (401, False)


@pytest.mark.parametrize(
    "value", [CONTROL, f"Basic {CONTROL}", f"bearer {CONTROL}", f"Bearer  {CONTROL}"]
)
def test_a_token_comes_as_a_bearer_token(value: str) -> None:
    assert knock("GET", "/healthz", {"host": HERE, "authorization": value}) == (401, False)


def test_two_tokens_are_none() -> None:
    both = [("host", HERE), *(("authorization", f"Bearer {t}") for t in ("x", CONTROL))]
    assert knock("GET", "/healthz", both) == (401, False)


@pytest.mark.parametrize("path", ["//hooks/claude", "/hooks/claude/", "/hooks//claude", "/metrics"])
def test_another_spelling_of_a_path_opens_nothing_more(path: str) -> None:
    assert knock("POST", path, with_token(HOOK)) == (401, False)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:47100", ""])
def test_a_web_page_stays_outside_whatever_it_knows(origin: str) -> None:
    headers = {**with_token(CONTROL), "origin": origin}
    assert knock("POST", "/hooks/claude", headers) == (403, False)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:47100",
        "127.0.0.1.evil.example:47100",
        "localhost.evil.example:1",
        "127.0.0.2:47100",
        "127.0.0.1",
        "",
        "[::1]:47100",
        "0.0.0.0:47100",
    ],
)
def test_a_name_of_somebody_elses_dns_stays_outside(host: str) -> None:
    headers = {**with_token(CONTROL), "host": host}
    assert knock("POST", "/hooks/claude", headers) == (403, False)


def test_a_host_that_is_missing_or_named_twice_stays_outside() -> None:
    token = ("authorization", f"Bearer {CONTROL}")
    assert knock("GET", "/healthz", [token]) == (403, False)
    twice = [("host", HERE), ("host", "evil.example:1"), token]
    assert knock("GET", "/healthz", twice) == (403, False)
    assert knock("GET", "/healthz", twice[1:2] + twice[:1] + twice[2:]) == (403, False)


@pytest.mark.parametrize("host", ["127.0.0.1:47100", "localhost:47100"])
def test_this_machine_is_known_by_its_names(host: str) -> None:
    assert knock("GET", "/healthz", {**with_token(HOOK), "host": host}) == (200, True)


@pytest.mark.parametrize("kind", ["websocket", "lifespan", "unheard of"])
def test_nothing_but_http_is_spoken(kind: str) -> None:
    inside = Inside()
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": f"{kind}.connect"}

    headers = [(name.encode(), value.encode()) for name, value in with_token(CONTROL).items()]
    gate = TokenAuth(inside, hook_token=HOOK, control_token=CONTROL)
    asyncio.run(_run(gate, {"type": kind, "path": "/healthz", "headers": headers}, receive, send))
    assert (inside.entered, sent) == (0, [])


async def _run(gate: TokenAuth, scope: Scope, receive: Receive, send: Send) -> None:
    await gate(scope, receive, send)


@pytest.mark.parametrize("headers", [{"host": HERE}, with_token("wrong"), {"host": "evil"}])
def test_a_refusal_gives_nothing_away(headers: Headers, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = _through(Inside(), "POST", "/hooks/claude", headers)
    assert answer.json.keys() == {"error"}
    for secret in (HOOK, CONTROL):
        assert secret not in f"{answer} {caplog.text}"


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, known: bytes) -> bool:
        compared.append((given, known))
        return False

    monkeypatch.setattr(gate_module, "compare_digest", compare)
    assert knock("POST", "/hooks/claude", with_token(HOOK)) == (401, False)
    known = [f"Bearer {token}".encode() for token in (CONTROL, HOOK)]
    assert compared == [(known[1], known[0]), (known[1], known[1])]


def test_the_port_refuses_the_hooks_of_a_host_that_uses_the_socket() -> None:
    def status(token: str) -> int:
        gate = TokenAuth(Inside(), hook_token=HOOK, control_token=CONTROL, only_socket=["python"])
        return asyncio.run(ask(gate, "POST", "/hooks/python", b"{}", with_token(token))).status

    assert (status(HOOK), status(CONTROL)) == (401, 200)
