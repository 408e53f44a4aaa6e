"""`handrail demo --panel`: real runs in the panel, and nothing is left behind."""

import http.client
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psutil
import pytest
from tests.cli.conftest import HandrailShell

from handrail.server.panel.files import is_built

pytestmark = pytest.mark.slow

needs_pages = pytest.mark.skipif(not is_built(), reason="the panel is not built: make panel")
_LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/login#([a-z2-7]{26})")
_PATIENCE = 60.0


class ShownDemo:
    """`handrail demo --panel` on a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        ours, theirs = pty.openpty()
        self._terminal = ours
        self.text = ""
        self._cookie = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "handrail", "demo", "--panel", "--no-open", "--fast"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TMPDIR": str(folder), "NO_COLOR": "1"},
            start_new_session=True,
        )
        os.close(theirs)

    def read_until(self, says: str) -> None:
        """Read what it prints."""
        while says not in self.text:
            self.text += os.read(self._terminal, 65_536).decode()

    def log_in(self) -> None:
        """Use the link as a browser does."""
        found = _LINK.search(self.text)
        assert found, self.text
        self.port = int(found[1])
        self._cookie, _ = self._send("POST", "/api/v1/session", {"code": found[2]})

    def ask(self, path: str) -> Any:
        """Ask the API."""
        return json.loads(self._send("GET", f"/api/v1{path}")[1])

    def page(self) -> str:
        """The page that the browser gets."""
        return self._send("GET", "/")[1]

    def _send(self, method: str, path: str, body: object = None) -> tuple[str, str]:
        """Send a request; return the cookie that came, and the body."""
        headers = {
            "Origin": f"http://127.0.0.1:{self.port}",
            "Sec-Fetch-Site": "same-origin",
            "Cookie": self._cookie,
        }
        data = None if body is None else json.dumps(body)
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)) as line:
            line.request(method, path, data, headers)
            answer = line.getresponse()
            came = answer.read().decode()
            assert answer.status == 200, came
            return answer.getheader("Set-Cookie", "").partition(";")[0], came

    def interrupt(self) -> int:
        """Press Ctrl+C; return the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        with suppress(OSError):  # Linux says so at the end
            while data := os.read(self._terminal, 65_536):
                self.text += data.decode()
        return self.process.wait(_PATIENCE)

    def close(self) -> None:
        """End it in any case."""
        if self.process.poll() is None:
            self.interrupt()
        os.close(self._terminal)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


@pytest.fixture
def demo(scratch: Path) -> Iterator[ShownDemo]:
    shown = ShownDemo(scratch)
    try:
        yield shown
    finally:
        shown.close()


def until(look: Callable[[], bool]) -> None:
    end = monotonic() + _PATIENCE
    while not look():
        assert monotonic() < end
        sleep(0.05)


@needs_pages
def test_runs_in_all_states_are_shown_and_nothing_is_left(demo: ShownDemo, scratch: Path) -> None:
    demo.read_until("Ctrl+C ends the demo")
    demo.log_in()
    assert "<script" in demo.page()

    def states() -> set[tuple[str, str]]:
        return {(row["project"], row["state"]) for row in demo.ask("/runs")["items"]}

    wanted = {("docs", "ended"), ("api", "paused"), ("release", "needs you"), ("shop", "needs you")}
    until(lambda: wanted <= states())
    assert [each["state"] for each in demo.ask("/approvals")["items"]] == ["waiting"]
    assert [each["open"] for each in demo.ask("/incidents")["items"]] == [True]
    until(lambda: any(fleet["counts"].get("done") for fleet in demo.ask("/fleets")["items"]))
    began = _count_of(demo, "catalogue")
    until(lambda: _count_of(demo, "catalogue") > began)

    assert demo.interrupt() == 0
    assert "Nothing is left of it." in demo.text
    assert list(scratch.iterdir()) == []
    assert _processes_in(scratch) == []


def _count_of(demo: ShownDemo, project: str) -> int:
    rows = demo.ask("/runs")["items"]
    return sum(row["actions"] for row in rows if row["project"] == project)


def _processes_in(folder: Path) -> list[str]:
    left: list[str] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if str(folder) in process.environ().get("HANDRAIL_HOME", ""):
                left.append(process.name())
    return left


def test_the_link_is_not_printed_into_a_file(shell: HandrailShell) -> None:
    ran = shell.spawn("demo", "--panel", "--no-open")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"only on a terminal" in ran.stderr


@pytest.mark.parametrize("args", [("--panel", "--json"), ("--no-open",)])
def test_options_that_do_not_go_together_are_refused(
    shell: HandrailShell, args: tuple[str, ...]
) -> None:
    assert shell.spawn("demo", *args).returncode == 2
