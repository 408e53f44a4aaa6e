"""`handrail panel` with a real daemon, on a terminal and without one."""

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from handrail.server.panel.files import is_built
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.panel.browser import Browser, ask_port

pytestmark = pytest.mark.slow

_LINK = re.compile(r"http://127\.0\.0\.1:\d+/login#([a-z2-7]{26})")


class TerminalRun(NamedTuple):
    """What a command wrote on its terminal."""

    code: int
    text: str


@pytest.fixture(scope="module")
def started() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        place.start()
        yield place


needs_pages = pytest.mark.skipif(not is_built(), reason="the panel is not built: make panel")


def on_terminal(
    place: DaemonSandbox, args: Sequence[str], python: str = sys.executable, **environ: str
) -> TerminalRun:
    """Run a command on a terminal of its own."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [python, "-m", "handrail", *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=place.project,
        env={**place.environ, **environ},
    ) as process:
        os.close(theirs)
        text = b""
        with suppress(OSError):  # Linux says so at the end
            while data := os.read(ours, 65_536):
                text += data
        os.close(ours)
        return TerminalRun(process.wait(60), text.decode())


def spying_browser(place: DaemonSandbox) -> tuple[str, Path]:
    """A browser that writes down its arguments, as a list of processes would show them."""
    seen = place.root / "seen"
    program = place.root / "browser"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}\ncat "${{1#file://}}" > {seen}.page\n'
    )
    program.chmod(0o755)
    return str(program), seen


@needs_pages
def test_the_link_on_the_terminal_logs_one_browser_in(started: DaemonSandbox) -> None:
    ran = on_terminal(started, ["panel", "--print"])
    found = _LINK.search(ran.text)
    assert (ran.code, bool(found)) == (0, True), ran.text
    assert found
    browser = Browser(started.home)
    assert browser.use(found[1]).json["rights"] == ["read", "control"]
    assert Browser(started.home).use(found[1]).status == 401


@needs_pages
def test_a_read_only_link_gives_no_control(started: DaemonSandbox) -> None:
    ran = on_terminal(started, ["panel", "--print", "--read-only"])
    found = _LINK.search(ran.text)
    assert found
    assert Browser(started.home).use(found[1]).json["rights"] == ["read"]


@needs_pages
def test_the_browser_gets_no_code_in_its_arguments(started: DaemonSandbox) -> None:
    program, seen = spying_browser(started)
    ran = on_terminal(started, ["panel"], BROWSER=f"{program} %s")
    found = _LINK.search(ran.text)
    assert found, ran.text
    assert found[1] not in seen.read_text()
    assert seen.read_text().startswith("file://")
    inside = _LINK.search(Path(f"{seen}.page").read_text())
    assert inside
    assert inside[1] == found[1]


@needs_pages
def test_without_a_terminal_nothing_is_printed(started: DaemonSandbox) -> None:
    ran = started.run("panel", "--print")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "only on a terminal" in ran.stderr


@needs_pages
def test_an_agent_gets_no_link_even_on_a_terminal(started: DaemonSandbox) -> None:
    for args in (["panel", "--print"], ["panel", "token"]):
        ran = on_terminal(started, args, CLAUDECODE="1")
        assert ran.code == 2
        assert "only a person may do this" in ran.text
        assert not _LINK.search(ran.text)


def test_the_read_only_token_reads_and_is_replaced(started: DaemonSandbox) -> None:
    first = started.run("panel", "token").stdout.strip()
    assert started.run("panel", "token").stdout.strip() == first
    second = started.run("panel", "token", "--new").stdout.strip()
    assert second != first

    def status(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return ask_port(started.home, "GET", "/api/v1/session", headers=headers).status

    assert (status(first), status(second)) == (401, 200)


def test_all_browsers_are_logged_out(started: DaemonSandbox) -> None:
    browser = Browser(started.home)
    browser.log_in()
    ran = started.run("panel", "--log-out-all")
    assert re.fullmatch(r"Logged \d+ browsers? out\.\n", ran.stdout)
    assert browser.ask("GET", "/api/v1/session").status == 401
