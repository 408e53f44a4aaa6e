"""The short way of a hook: read as uvicorn would read it, or left to uvicorn."""

import re
import socket
from collections.abc import Iterator, Sequence

import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.hosts.port import MAX_BYTES
from handrail.server.http.hook_protocol import read_head
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.in_process_api import call

FIRST = "POST /hooks/claude HTTP/1.1"
DENIED = b'"permissionDecision":"deny"'
_LENGTH = re.compile(rb"content-length: ([0-9]+)\r\n")


@pytest.fixture(scope="module")
def live() -> Iterator[DaemonSandbox]:
    """A place with a daemon."""
    with DaemonSandbox() as place:
        place.start()
        yield place


def request(body: bytes, *headers: str, first: str = FIRST) -> bytes:
    lines = [first, f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


class Caller:
    """One connection to the daemon."""

    def __init__(self, place: DaemonSandbox, *, port: bool = False) -> None:
        self._socket = socket.socket(socket.AF_INET if port else socket.AF_UNIX)
        self._socket.settimeout(20)
        self._socket.connect(("127.0.0.1", place.home.port) if port else place.home.socket)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> "Caller":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def send(self, *parts: bytes) -> None:
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        for part in parts:
            self._socket.sendall(part)

    def answer(self) -> tuple[int, bytes]:
        """The status and the body of the next answer; (0, b"") where the daemon hung up."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self._file.readline()
            if not line:
                return 0, b""
            head += line
        length = _LENGTH.search(head)
        return int(head.split()[1]), self._file.read(int(length[1])) if length else b""

    def is_over(self) -> bool:
        """Waits for the end."""
        return self._file.read(1) == b""


# How a head is read

NAMES = st.sampled_from(
    "Host host Accept X-A Authorization Connection Content-Length Expect Upgrade X:Y X\tY".split(
        " "
    )
)
VALUES = st.text(st.characters(max_codepoint=255), max_size=8) | st.sampled_from(
    [
        "3",
        "0",
        " 3 ",
        "a ",
        "\t",
        "+3",
        "3, 3",
        "0x3",
        "close",
        "Keep-Alive",
        "100-continue",
        "a\r\n b",
        "chunked",
    ]
)
FIRSTS = st.sampled_from([FIRST, FIRST, FIRST, "POST /hooks/claude HTTP/1.0", "GET / HTTP/1.1"])


class Uvicorns:
    """What uvicorn's parser makes of some bytes."""

    def __init__(self, data: bytes) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.url = self.body = b""
        self.whole = False
        self.parser = httptools.HttpRequestParser(self)
        self.parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.whole = True


@given(FIRSTS, st.lists(st.tuples(NAMES, VALUES), max_size=4), st.booleans())
def test_a_head_that_is_read_is_read_as_uvicorn_reads_it(
    first: str, fields: Sequence[tuple[str, str]], has_length: bool
) -> None:
    lines = [first, *(["Content-Length: 3"] if has_length else [])]
    lines += [f"{name}: {value}" for name, value in fields]
    data = "\r\n".join([*lines, "", ""]).encode("latin-1") + b"abc"
    head = read_head(data)
    if head is None or head.end > len(data):
        return
    theirs = Uvicorns(data[: head.end])
    assert theirs.whole
    assert (theirs.parser.get_method(), theirs.url) == (b"POST", b"/hooks/claude")
    assert theirs.parser.get_http_version() == "1.1"
    assert theirs.parser.should_keep_alive()
    assert list(head.headers) == theirs.headers
    assert data[head.begin : head.end] == theirs.body


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_whatever_comes_is_plain_or_left_alone(start: bytes, rest: bytes) -> None:
    assert read_head(start) is None
    head = read_head(f"{FIRST}\r\n".encode() + start + b"\r\n\r\n" + rest)
    assert head is None or head.end >= head.begin


@pytest.mark.parametrize(
    "fields",
    [
        [],
        ["Content-Length: 3", "Content-Length: 3"],
        ["Content-Length: 3", "Transfer-Encoding: chunked"],
        ["Content-Length: 3", "Expect: 100-continue"],
        ["Content-Length: 3", "Connection: close"],
        ["Content-Length: 3", "Connection: upgrade", "Upgrade: websocket"],
        ["Content-Length: 3", " folded"],
        ["Content-Length: 3", "X: a "],
        ["Content-Length : 3"],
        ["Content-Length: -3"],
        [f"Content-Length: {MAX_BYTES + 1}"],
        ["Content-Length: 3", "X: " + "x" * 20_000],
    ],
)
def test_what_is_not_plain_is_left_to_uvicorn(fields: list[str]) -> None:
    assert read_head("\r\n".join([FIRST, *fields, "", "abc"]).encode("latin-1")) is None


# Whole conversations


def test_one_connection_gets_one_answer_after_another(live: DaemonSandbox) -> None:
    with Caller(live) as caller:
        for command, denied in (("ls", False), ("rm -rf /", True), ("pwd", False)):
            caller.send(request(call(command, command)))
            status, body = caller.answer()
            assert (status, DENIED in body) == (200, denied)


def test_a_request_may_come_in_pieces(live: DaemonSandbox) -> None:
    whole = request(call("rm -rf / # " + "x" * 700_000, "pieces"))
    with Caller(live) as caller:
        for cut in (20, 60, 400, 300_000):
            caller.send(whole[:cut], whole[cut:])
            status, body = caller.answer()
            assert (status, DENIED in body) == (200, True)


def test_requests_that_come_at_once_are_answered_in_order(live: DaemonSandbox) -> None:
    commands = ["ls", "rm -rf /", "pwd", "rm -rf ~"]
    with Caller(live) as caller:
        caller.send(b"".join(request(call(each, f"once {each}")) for each in commands))
        answers = [DENIED in caller.answer()[1] for _ in commands]
    assert answers == [False, True, False, True]


def test_other_requests_go_on_beside_hooks_on_the_same_connection(live: DaemonSandbox) -> None:
    plain = request(call("rm -rf /", "beside"))
    with Caller(live) as caller:
        caller.send(plain)
        assert DENIED in caller.answer()[1]
        caller.send(request(b"", first="GET /healthz HTTP/1.1"))
        assert b'"ok":true' in caller.answer()[1]
        caller.send(plain)
        assert DENIED in caller.answer()[1]


def test_what_is_not_plain_is_answered_all_the_same(live: DaemonSandbox) -> None:
    body = call("rm -rf /", "chunked")
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    with Caller(live) as caller:
        caller.send(f"{FIRST}\r\nTransfer-Encoding: chunked\r\n\r\n".encode(), chunks)
        assert DENIED in caller.answer()[1]
    with Caller(live) as caller:
        caller.send(request(body, "Connection: close"))
        assert DENIED in caller.answer()[1]
        assert caller.is_over()


def test_what_cannot_be_read_is_refused(live: DaemonSandbox) -> None:
    with Caller(live) as caller:
        caller.send(request(b"{"))
        status, body = caller.answer()
    assert (status, DENIED in body) == (200, True)


def test_who_hangs_up_in_the_middle_disturbs_nobody(live: DaemonSandbox) -> None:
    whole = request(call("ls", "gone"))
    for sent in (whole[:50], whole[:-5], whole):
        with Caller(live) as caller:
            caller.send(sent)
    assert live.health()["ok"]


@pytest.mark.parametrize(
    ("token", "host", "more", "status"),
    [
        ("right", "127.0.0.1", [], 200),
        ("wrong", "127.0.0.1", [], 401),
        ("right", "evil.example", [], 403),
        ("right", "127.0.0.1", ["Origin: http://127.0.0.1"], 403),
    ],
)
def test_the_port_has_its_gate(
    live: DaemonSandbox, token: str, host: str, more: list[str], status: int
) -> None:
    given = live.home.hook_token if token == "right" else token
    headers = [f"Host: {host}:{live.home.port}", f"Authorization: Bearer {given}", *more]
    with Caller(live, port=True) as caller:
        caller.send(request(call("ls", "port"), *headers))
        assert caller.answer()[0] == status


def test_a_token_opens_only_the_request_that_carries_it(live: DaemonSandbox) -> None:
    host = f"Host: 127.0.0.1:{live.home.port}"
    right = request(call("ls", "a"), host, f"Authorization: Bearer {live.home.hook_token}")
    with Caller(live, port=True) as caller:
        caller.send(right + request(call("ls", "b"), host))
        assert [caller.answer()[0], caller.answer()[0]] == [200, 401]
