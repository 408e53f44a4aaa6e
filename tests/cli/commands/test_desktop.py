"""`handrail desktop`, as a person calls it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from rich.cells import cell_len
from tests.cli.conftest import HandrailShell, Run
from tests.desktop.desktop_bed import DesktopBed, need

from handrail.testing.desktop_bed import ACCESSIBILITY

SESSION = {
    "files": [
        {
            "path": "prices.py",
            "original": "PRICES = {}\n",
            "operations": [
                {"type": "delete", "line": 1},
                {"type": "insert", "line": 1, "content": "PRICES = {1: 2}\n"},
            ],
        }
    ]
}
COMMANDS = ("look", "watch", "verify", "record", "replay", "demo")


@pytest.fixture
def session(shell: HandrailShell) -> str:
    (shell.project / "session.json").write_text(json.dumps(SESSION))
    return "session.json"


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DesktopBed]:
    need("Xvfb", "openbox", "dbus-daemon", ACCESSIBILITY, "mousepad")
    with DesktopBed(tmp_path_factory.mktemp("desktop")) as made:
        yield made


@pytest.fixture
def on_desktop(bed: DesktopBed, shell: HandrailShell) -> Iterator[dict[str, str]]:
    """The environment of a person at a desktop."""
    yield {**bed.environment, **shell.environ}
    bed.end_programs()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_shows_every_command_with_its_examples(run: Run, command: str) -> None:
    listed, helped = run("desktop", "--help"), run("desktop", command, "--help")
    assert (listed.code, helped.code) == (0, 0)
    assert f"  {command} " in listed.out
    assert f"Usage: handrail desktop {command}" in helped.out
    assert all(cell_len(line) <= 80 for line in helped.out.splitlines())


def test_files_that_match_are_a_success(shell: HandrailShell, run: Run, session: str) -> None:
    (shell.project / "prices.py").write_text("PRICES = {1: 2}\n")
    result = run("desktop", "verify", session)
    assert (result.code, result.err) == (0, "")
    assert "1 of 1 file matches byte for byte" in result.out


def test_another_file_is_shown_with_its_difference(
    shell: HandrailShell, run: Run, session: str
) -> None:
    (shell.project / "prices.py").write_text("PRICES = {}\n")
    result = run("desktop", "verify", session)
    assert result.code == 1
    assert "-PRICES = {1: 2}" in result.out
    report = run("desktop", "verify", session, "--json")
    assert report.code == 1
    assert report.json["comparisons"][0]["match_status"] == "mismatch"


def test_the_schema_is_printed_without_a_session(run: Run) -> None:
    result = run("desktop", "verify", "--schema")
    assert result.code == 0
    assert "files" in json.dumps(result.json)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["verify"], "name a session: handrail desktop verify SESSION.json [ROOT]"),
        (["verify", "none.json"], "none.json: there is no such file"),
        (["replay", "session.json", "--editor", "vi"], "there is no editor 'vi'"),
        (["look", "--window", "x", "--screen", "1"], "--window and --screen exclude each other"),
        (["watch", "--interval", "0"], "--interval 0.0: use a number above 0"),
        (["record", ".", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    run: Run, session: str, args: list[str], says: str
) -> None:
    result = run("desktop", *args)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("handrail: ")
    assert result.err.count("\n") == 1
    assert says in result.err


def test_a_wrong_session_names_place_and_key(shell: HandrailShell, run: Run) -> None:
    wrong = {"files": [{"path": "a", "operations": [{"type": "delete", "line": 0}]}]}
    (shell.project / "wrong.json").write_text(json.dumps(wrong))
    result = run("desktop", "verify", "wrong.json")
    assert result.code == 2
    assert "files[0].operations[0]" in result.err
    assert "line" in result.err


@pytest.mark.usefixtures("no_display")
@pytest.mark.parametrize("args", [["look"], ["look", "--json"], ["watch"]])
def test_without_a_display_there_is_nothing_to_see(run: Run, args: list[str]) -> None:
    result = run("desktop", *args)
    assert (result.code, result.out) == (2, "")
    assert result.err == "handrail: there is no display: DISPLAY is not set\n"


def test_the_demo_names_what_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("Xvfb", "openbox", "dbus-daemon"):
        (programs / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(programs))
    result = run("desktop", "demo")
    assert (result.code, result.out) == (2, "")
    assert "mousepad" in result.err
    assert "sudo apt-get install " in result.err
    assert result.err.count("\n") == 1


@pytest.mark.slow
def test_a_look_tells_what_is_on_the_screen(
    shell: HandrailShell, bed: DesktopBed, on_desktop: dict[str, str]
) -> None:
    file = shell.project / "cart.py"
    file.write_text("x = 1\n")
    editor = bed.mousepad(file)
    seen = shell.spawn("desktop", "look", "--expect-file", "cart.py", environ=on_desktop)
    assert (seen.returncode, seen.stderr) == (0, b"")
    assert "NORMAL" in seen.stdout.decode()
    bed.press("x")
    bed.until(lambda: bed.title(editor.window).startswith("*"), "a change")
    bed.press("ctrl+q")
    bed.until(lambda: bed.active() not in (0, editor.window), "the dialog")
    blocked = shell.spawn("desktop", "look", environ=on_desktop)
    out = blocked.stdout.decode()
    assert blocked.returncode == 1
    assert "click Cancel, look again" in out
    *lines, last = out.splitlines()
    assert all(cell_len(line) <= 80 for line in lines)
    picture = shell.state / "desktop" / os.path.basename(last.removeprefix(" Picture").strip())
    assert picture.stat().st_mode & 0o777 == 0o600
    told = shell.spawn("desktop", "look", "--json", environ=on_desktop)
    result = json.loads(told.stdout)
    assert (result["reading"]["status"], result["would"]) == ("dialog", ["click Cancel"])


@pytest.mark.slow
def test_a_dry_run_sends_nothing_and_shows_what_would_be_sent(
    shell: HandrailShell, on_desktop: dict[str, str]
) -> None:
    seen = shell.spawn("desktop", "look", "--dry-run", environ=on_desktop)
    assert (seen.returncode, seen.stderr) == (0, b"")
    assert b"desktop.vision is off" in seen.stdout


@pytest.mark.slow
def test_what_was_recorded_is_replayed(
    shell: HandrailShell, on_desktop: dict[str, str], session: str
) -> None:
    (shell.project / "prices.py").write_text("PRICES = {}\n")
    ran = shell.spawn("desktop", "replay", session, "--no-watch", environ=on_desktop)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "1 of 1 file matches byte for byte" in ran.stdout.decode()
    assert "Replayed 2 operations in 1 file" in ran.stdout.decode()
    assert (shell.project / "prices.py").read_text() == "PRICES = {1: 2}\n"


@pytest.mark.slow
def test_the_demo_tells_its_story_and_leaves_only_the_pictures(
    shell: HandrailShell, tmp_path: Path
) -> None:
    need("Xvfb", "openbox", "dbus-daemon", ACCESSIBILITY, "mousepad")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    ran = shell.spawn("desktop", "demo", "--pictures", "pictures", environ={"TMPDIR": str(scratch)})
    out = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (0, b"")
    for told in (
        "presses Ctrl+Q",
        "sees a dialog",
        "lets the robot stand still",
        "gone at the next look",
        "hands back",
        "3 of 3 files match byte for byte",
        "1 dialog closed",
        "Next: handrail desktop look",
    ):
        assert told in out
    assert all(cell_len(line) <= 80 for line in out.splitlines())
    pictures = shell.project / "pictures"
    assert sorted(path.name for path in pictures.iterdir()) == [
        "desktop-demo-after.jpg",
        "desktop-demo-before.jpg",
    ]
    assert list(scratch.iterdir()) == []
    assert not shell.state.exists()
    shutil.rmtree(pictures)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_leaves_nothing_behind(
    shell: HandrailShell, tmp_path: Path, number: signal.Signals
) -> None:
    need("Xvfb", "openbox", "dbus-daemon", ACCESSIBILITY, "mousepad")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", "desktop", "demo"],
        env={**os.environ, **shell.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        while "looks: nothing is in the way" not in demo.stdout.readline():
            assert demo.poll() is None
        children = psutil.Process(demo.pid).children(recursive=True)
        assert {"Xvfb", "openbox"} <= {each.name() for each in children}
        demo.send_signal(number)
        demo.stdout.read()
    assert demo.returncode == 130
    assert [each for each in children if each.is_running()] == []
    assert list(scratch.iterdir()) == []
