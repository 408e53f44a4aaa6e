"""Some failures come from elsewhere: nothing in the work tree causes or mends them."""

import pytest

from handrail.detect.outside_failures import outside_cause
from handrail.model.action import Outcome


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("curl: (22) The requested URL returned error: 503", "a server's answer"),
        ("curl: (6) Could not resolve host: example.com", "the network"),
        ("HTTP/1.1 502 Bad Gateway", "a server's answer"),
        ("requests.exceptions.HTTPError: 429 Client Error: Too Many Requests", "a server's answer"),
        ("Error: request failed with status code 500", "a server's answer"),
        ("fatal: unable to access 'https://example.com/': Connection refused", "the network"),
        ("Error: read ECONNRESET", "the network"),
        ("OSError: [Errno 28] No space left on device", "a full disk"),
        ("Command timed out after 2m 0.0s", "a time-out"),
        (
            "ssh: connect to host 127.0.0.1 port 2222: Connection refused",
            "a machine that does not answer",
        ),
        ("error: context deadline exceeded", "a time-out"),
    ],
)
def test_what_comes_from_elsewhere(said: str, cause: str) -> None:
    assert outside_cause(Outcome(False, 1, said)) == cause
    assert outside_cause(Outcome(False, 1, error=said)) == cause


@pytest.mark.parametrize(
    "said",
    [
        "ModuleNotFoundError: No module named 'shop'",
        "E   assert 500 == 503",
        "cart.py:503: error: Name 'timeout' is not defined",
        "AssertionError: expected 200",
        "TypeError: fetch() got an unexpected keyword argument 'timeout'",
        "curl: (7) Failed to connect to localhost port 8080: Connection refused",
        "GET http://127.0.0.1:8000/cart returned status 500",
        "error: 502 warnings treated as errors in cart.c",
        "",
    ],
)
def test_what_the_files_may_have_caused(said: str) -> None:
    assert outside_cause(Outcome(False, 1, said)) == ""


def test_what_worked_has_no_cause() -> None:
    assert outside_cause(Outcome(True, 0, "503 Service Unavailable")) == ""
