"""The arguments, the environment and the settings of a driven session."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from handrail.hosts.claude.launch import (
    ArgumentError,
    Launch,
    environment,
    has_conversation,
    launch,
    settings_for,
)
from handrail.hosts.claude.settings import HookOptions, add, hooks_for
from handrail.hosts.driven_agent import MARK
from handrail.hosts.port import DriveOptions, LaunchRequest

RUN = "0b0e5b3c-2f0c-4bb5-9d0c-7d1f2a3b4c5d"
URL, CLIENT = "http://127.0.0.1:47100/hooks/claude", "/state/bin/handrail-hook"
HOOKING = HookOptions("http", URL, "token", CLIENT, (2, 1, 325))
AS_COMMANDS = HookOptions("command", URL, "token", CLIENT, (2, 1, 325))
STREAM = ("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")


def launched(
    environ: Mapping[str, str], *, resume: bool = False, options: DriveOptions | None = None
) -> Launch:
    return launch(
        LaunchRequest(
            program="/bin/claude",
            run=RUN,
            cwd="/repo",
            environ=environ,
            settings="{}",
            settings_file="/state/RUN.json",
            options=options or DriveOptions(),
            resume=resume,
        )
    )


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Where Claude Code keeps its settings."""
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@pytest.fixture
def environ(config: Path) -> dict[str, str]:
    return {"HOME": "/home/dev", "CLAUDE_CONFIG_DIR": str(config)}


@pytest.fixture
def repo(tmp_path: Path) -> str:
    folder = tmp_path / "repo"
    folder.mkdir()
    return str(folder)


# Arguments


def test_a_session_gets_the_id_of_the_run(environ: dict[str, str]) -> None:
    start = launched(environ)
    ours = ("--session-id", RUN, "--settings", "/state/RUN.json")
    assert start.argv == ("/bin/claude", *STREAM, *ours)
    assert (start.cwd, start.settings, start.settings_file) == ("/repo", "{}", "/state/RUN.json")


def test_wishes_are_passed_on_and_ours_come_last(environ: dict[str, str]) -> None:
    options = DriveOptions(model="opus", mode="acceptEdits", arguments=("--add-dir", "/a", "/b"))
    start = launched(environ, options=options)
    assert start.argv[len(STREAM) + 1 :] == (
        *("--add-dir", "/a", "/b"),
        *("--session-id", RUN),
        *("--model", "opus"),
        *("--permission-mode", "acceptEdits"),
        *("--settings", "/state/RUN.json"),
    )
    assert start.model == "opus"


def test_a_conversation_is_resumed_where_there_is_one(
    environ: dict[str, str], config: Path
) -> None:
    assert "--session-id" in launched(environ, resume=True).argv
    (config / "projects" / "-repo").mkdir(parents=True)
    (config / "projects" / "-repo" / f"{RUN}.jsonl").touch()
    assert has_conversation(environ, RUN)
    assert "--resume" in launched(environ, resume=True).argv
    assert "--session-id" in launched(environ).argv


@pytest.mark.parametrize(
    "argument",
    "-p -pc -c -rID --resume --resume=ID --settings --settings=x.json --bare --safe-mode "
    "--session-id --model=opus --no-session-persistence --permission-prompt-tool".split(),
)
def test_arguments_that_would_undo_the_driving_are_refused(
    environ: dict[str, str], argument: str
) -> None:
    with pytest.raises(ArgumentError, match=f"^{argument} cannot be passed on"):
        launched(environ, options=DriveOptions(arguments=("--add-dir", "/a", argument)))


@pytest.mark.parametrize("argument", ["--restricted", "--effort", "-d", "--add-dir=/p"])
def test_other_arguments_are_not(environ: dict[str, str], argument: str) -> None:
    assert argument in launched(environ, options=DriveOptions(arguments=(argument,))).argv


# Environment


def test_it_belongs_to_no_other_session_and_runs_its_hooks() -> None:
    inherited = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "another",
        "CLAUDE_PID": "1",
        "CLAUDE_CODE_SIMPLE": "1",
    }
    kept = {"PATH": "/bin", "CLAUDE_CONFIG_DIR": "/c", "ANTHROPIC_API_KEY": "k"}
    assert environment(RUN, {**inherited, **kept}) == {**kept, MARK: RUN}


def test_the_mark_is_not_passed_on_to_a_daemon() -> None:
    assert not MARK.startswith("HANDRAIL_")


# Settings


def test_hooks_come_along_where_none_are_installed(environ: dict[str, str], repo: str) -> None:
    settings = json.loads(settings_for(HOOKING, environ, repo, []))
    assert settings == {"disableAllHooks": False, "hooks": hooks_for(HOOKING)}


@pytest.mark.parametrize("there", [HOOKING, AS_COMMANDS], ids=["http", "commands"])
def test_hooks_that_are_installed_are_not_doubled(
    environ: dict[str, str], config: Path, repo: str, there: HookOptions
) -> None:
    """In whichever style they are."""
    file = config / "settings.json"
    file.write_text(add("{}", there))
    settings = json.loads(settings_for(HOOKING, environ, repo, [str(file)]))
    assert settings == {"disableAllHooks": False}


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{}",
        "{broken",
        add("{}", HOOKING).replace("onFailure", "other"),
        add("{}", HOOKING).replace("token", "old"),
    ],
    ids=["no file", "taken out", "broken", "made harmless", "of another daemon"],
)
def test_hooks_come_along_where_the_installed_ones_do_not_guard(
    environ: dict[str, str], config: Path, repo: str, text: str | None
) -> None:
    file = config / "settings.json"
    if text is not None:
        file.write_text(text)
    assert "hooks" in json.loads(settings_for(HOOKING, environ, repo, [str(file)]))


@pytest.mark.parametrize("argument", ["--restricted", "--setting-sources=project"])
def test_hooks_come_along_where_settings_are_not_read(
    environ: dict[str, str], config: Path, repo: str, argument: str
) -> None:
    file = config / "settings.json"
    file.write_text(add("{}", HOOKING))
    settings = settings_for(HOOKING, environ, repo, [str(file)], [argument])
    assert "hooks" in json.loads(settings)


def test_hooks_of_another_project_do_not_count(
    environ: dict[str, str], tmp_path: Path, repo: str
) -> None:
    file = tmp_path / "elsewhere.json"
    file.write_text(add("{}", HOOKING))
    assert "hooks" in json.loads(settings_for(HOOKING, environ, repo, [str(file)]))
