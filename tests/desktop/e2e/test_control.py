"""A replay under watch, held, released and ended by the usual commands."""

import json
from pathlib import Path

import pytest

from handrail.desktop.verify.recorder import edit_operations, encode_session
from handrail.desktop.verify.session import EditedFile, EditSession
from tests.desktop.e2e.conftest import WatchedDesktop
from tests.intervene.process_spawner import until

pytestmark = pytest.mark.slow
FILES = 40
"""More than it gets through before a busy machine has ended it."""


def session(watched: WatchedDesktop) -> Path:
    """Several short files: each is saved when it is done."""
    text = "".join(f"line {number}\n" for number in range(3))
    made = EditSession(
        tuple(
            EditedFile(f"page-{number}.txt", edit_operations("", text)) for number in range(FILES)
        )
    )
    path = watched.project / "session.json"
    path.write_bytes(encode_session(made))
    return path


def run_id(watched: WatchedDesktop) -> str:
    """The run of the replay; "" while there is none."""
    ran = watched.handrail("status", "--json")
    for line in ran.stdout.splitlines():
        found = json.loads(line)
        for run in found if isinstance(found, list) else found.get("runs", [found]):
            if "replay" in json.dumps(run):
                return str(run["run"])
    return ""


def test_a_replay_is_paused_resumed_and_cancelled(watched: WatchedDesktop) -> None:
    replay = watched.start_handrail(
        "desktop", "replay", str(session(watched)), "--pause", "0.5", "--json"
    )
    try:
        until((watched.project / "page-0.txt").exists)
        run = run_id(watched)
        assert watched.handrail("pause", run).returncode == 0
        paused = watched.handrail("status", "--json").stdout
        assert "paused" in paused
        assert watched.handrail("resume", run).returncode == 0
        until((watched.project / "page-1.txt").exists)
        assert watched.handrail("cancel", run, "--yes").returncode == 0
        out, _ = replay.communicate(timeout=120)
    finally:
        replay.kill()
    assert replay.returncode == 1
    assert json.loads(out)["aborted"]
