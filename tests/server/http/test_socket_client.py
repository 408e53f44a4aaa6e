"""Handrail's own commands talk to the daemon, and say so where nobody or somebody else answers."""

import pytest

from handrail.server.http.socket_client import DaemonError, call_daemon, daemon_health
from tests.server.daemon_sandbox import DaemonSandbox, answering, http


def test_an_answer_is_an_object(place: DaemonSandbox) -> None:
    with answering(place, http(b'{"pid": 7}')):
        assert call_daemon(place.home, "GET", "/healthz") == {"pid": 7}
        assert daemon_health(place.home) == {"pid": 7}


def test_nobody_is_an_error_and_no_health(place: DaemonSandbox) -> None:
    with pytest.raises(DaemonError, match=r"does not answer on .*daemon\.sock"):
        call_daemon(place.home, "GET", "/healthz")
    assert daemon_health(place.home) is None


@pytest.mark.parametrize(
    "answer",
    [b"", b"garbage", http(b"garbage"), http(b""), http(b"{}", length=9), http(b"\xff")],
)
def test_what_is_no_answer_is_an_error(place: DaemonSandbox, answer: bytes) -> None:
    with answering(place, answer):
        with pytest.raises(DaemonError, match="does not answer"):
            call_daemon(place.home, "POST", "/checkpoints", {})
        assert daemon_health(place.home) is None


@pytest.mark.parametrize("body", [b"[]", b"null", b'"text"', b"7"])
def test_something_that_is_not_handrail_is_an_error(place: DaemonSandbox, body: bytes) -> None:
    with answering(place, http(body)), pytest.raises(DaemonError, match="not Handrail"):
        call_daemon(place.home, "GET", "/healthz")


@pytest.mark.parametrize(
    ("body", "says"), [(b'{"error": "no such step"}', "no such step"), (b"{}", "HTTP 404")]
)
def test_an_error_of_the_daemon_is_passed_on(place: DaemonSandbox, body: bytes, says: str) -> None:
    with answering(place, http(body, "404 Not Found")), pytest.raises(DaemonError, match=says):
        call_daemon(place.home, "GET", "/runs/x")
