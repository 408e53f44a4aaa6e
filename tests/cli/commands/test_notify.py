"""`handrail notify`: a person sees whether messages would reach them, and no password."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.cli.conftest import HandrailShell
from tests.project_settings import write_confirmed

pytestmark = pytest.mark.slow


@pytest.fixture
def port() -> Iterator[int]:
    """Of a receiver that takes messages for `/right` only."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200 if self.path == "/right" else 403)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Tests are quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def settings(shell: HandrailShell, *urls: str) -> None:
    write_confirmed(shell.project, f"notify: {{urls: {list(urls)!r}}}\n", shell.environ)


def test_an_address_that_takes_a_message_is_ticked_off(shell: HandrailShell, port: int) -> None:
    settings(shell, f"json://127.0.0.1:{port}/right")
    ran = shell.run("notify")
    assert (ran.code, ran.out) == (0, " ✓ 1. json://…  sent\n")


def test_a_password_comes_from_the_state_folder(shell: HandrailShell, port: int) -> None:
    settings(shell, f"json://127.0.0.1:{port}/${{PLACE}}")
    shell.state.mkdir(exist_ok=True)
    (shell.state / "secrets.env").write_text("# for messages\nPLACE='right'\n")
    assert shell.run("notify").code == 0


def test_what_is_missing_there_is_named(shell: HandrailShell) -> None:
    settings(shell, "json://127.0.0.1/${PLACE}")
    ran = shell.run("notify")
    assert ran.code == 1
    assert "PLACE is not in secrets.env" in ran.out


def test_one_that_fails_does_not_hide_the_others(shell: HandrailShell, port: int) -> None:
    settings(shell, f"json://127.0.0.1:{port}/wrong", f"json://127.0.0.1:{port}/right")
    ran = shell.run("notify", "--json")
    assert (ran.code, ran.json["sent"]) == (1, False)
    assert list(ran.json["addresses"].values()) == ["json://… did not take the message", ""]


def test_without_addresses_it_says_where_they_belong(shell: HandrailShell) -> None:
    ran = shell.run("notify")
    assert ran.code == 2
    assert "notify.urls" in ran.err


def test_no_secret_is_printed(shell: HandrailShell) -> None:
    settings(shell, "json://you:s3cr3t@127.0.0.1:9/x")
    ran = shell.run("notify")
    assert "s3cr3t" not in ran.out + ran.err
