"""Hosts: this machine, a neighbour, a cloud's metadata service, or anyone, in every spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.shell.readers.hosts import Address, parse_host, parse_remote, parse_url


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3000/x", "localhost", "127.0.0.1:80", "http://127.1/",
        "http://[::1]:3000",
        "http://0.0.0.0:8000/", "http://0x7f000001/", "app.localhost:80", "http://2130706433/",
        "http://[::ffff:127.0.0.1]/", "HTTP://LOCALHOST/", "http://user:pw@localhost:5984/db",
    ],
)  # fmt: skip
def test_loopback(url: str) -> None:
    assert parse_url(url).is_loopback


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.5/", "192.168.1.1", "http://172.31.0.1:80", "http://service:8080/x",
        "db.internal",
        "printer.local", "http://[fd12::1]/",
    ],
)  # fmt: skip
def test_private_but_not_this_machine(url: str) -> None:
    address = parse_url(url)
    assert address.is_private
    assert not address.is_loopback


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest", "http://metadata.google.internal/x", "http://2852039166/",
        "http://0xA9FEA9FE/", "http://0251.0376.0251.0376/", "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/latest", "http://100.100.100.200/", "169.254.170.2\ufffc",
        "http://169.254.169.254.nip.io/", "http://x@169.254.169.254:80/",
    ],
)  # fmt: skip
def test_metadata(url: str) -> None:
    assert parse_url(url).is_metadata


@pytest.mark.parametrize(
    "url", ["https://example.com", "http://203.0.113.9/", "http://localhost.example.net/", "\ufffc"]
)
def test_external(url: str) -> None:
    address = parse_url(url)
    assert address.is_external
    assert not address.is_metadata


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("user@host:path/x", Address("host", user="user", path="path/x")),
        ("host:", Address("host")),
        ("host::module/x", Address("host", path="module/x")),
        ("[::1]:x", Address("::1", path="x")),
        ("./a:b", None),
        ("a/b:c", None),
        ("C:/x", None),
        ("plain", None),
    ],
)
def test_remote(text: str, expected: Address | None) -> None:
    assert parse_remote(text) == expected


def test_parts() -> None:
    address = parse_url("https://u:p@example.com:8443/a/b.sh?x=1")
    assert (address.host, address.port, address.file_name) == ("example.com", 8443, "b.sh")


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    for address in (parse_url(text), parse_host(text)):
        assert not (address.is_loopback and not address.is_private)
        assert address.is_metadata in {True, False}
    parse_remote(text)
