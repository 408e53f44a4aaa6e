"""What holds for every command: help, errors, exit codes, colours, start-up."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest

import handrail
from handrail.cli import COMMANDS, group, main

from .conftest import HandrailShell, Run

pytestmark = pytest.mark.slow


def test_the_version_is_told(run: Run) -> None:
    assert run("--version").out == f"handrail {handrail.__version__}\n"


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    ran = run()
    assert ran.code == 0
    assert all(name in ran.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(run: Run, name: str) -> None:
    ran = run(name, "--help")
    assert ran.code == 0
    assert "Examples:" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_every_command_below_a_command_has_examples_too() -> None:
    context = click.Context(group)
    groups = [group.get_command(context, name) for name in COMMANDS]
    below = [
        (above.name, name, inner.help or "")
        for above in groups
        if isinstance(above, click.Group)
        for name, inner in above.commands.items()
    ]
    assert below
    assert [names for *names, text in below if "Example" not in text] == []


def test_the_help_of_replay_names_what_it_finds(run: Run) -> None:
    out = run("replay", "--help").out
    assert '"findings"' in out
    assert '"interventions"' in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_exists(name: str) -> None:
    assert isinstance(group.get_command(click.Context(group), name), click.Command)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["reviw", "ls"], "there is no command 'reviw'"),
        (["--nope"], "--nope"),
        (["review"], "which command?"),
        (["replay"], "which sessions? For example: handrail replay runs.jsonl"),
        (["install"], "which host? For example: handrail install claude"),
        (["uninstall", "vim"], "there is no host 'vim'; Handrail knows claude"),
        (["review", "rm", "-rf", "build"], "handrail review 'rm -rf build'"),
        (["review", "--jsno", "ls"], "there is no option '--jsno'; did you mean --json?"),
        (["review", "--config", "missing.yaml", "ls"], "missing.yaml: there is no such file"),
        (["review", "--scope", "/", "ls"], "would put everything in scope"),
        (["review", "--tool", "Write"], "--input"),
        (["review", "--tool", "Write", "--input", "[]"], "must be a JSON object"),
        (["review", "--tool", "Write", "--input", "{}", "ls"], "not both"),
        (["replay", "missing.jsonl"], "missing.jsonl: No such file"),
        (["replay", "."], "no .jsonl files"),
        (["restore", "nothing"], "the trash has no entry 'nothing'"),
        (["restore", "../x"], "the trash has no entry '../x'"),
        (["config", "nope"], "nope"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(run: Run, args: list[str], says: str) -> None:
    ran = run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert ran.err.startswith("handrail: ")
    assert ran.err.count("\n") == 1


def test_broken_settings_are_one_line_with_the_place(shell: HandrailShell) -> None:
    (shell.project / "handrail.yaml").write_text("goal: x\nnope: 1\nalso: 2\n")
    ran = shell.run("review", "ls")
    assert ran.code == 2
    assert ran.err.startswith("handrail: handrail.yaml:2: nope: ")
    assert "and 1 more: handrail config check" in ran.err
    assert ran.err.count("\n") == 1


def test_a_fault_of_ours_is_one_line_too(
    shell: HandrailShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_ctx: object) -> None:
        raise ZeroDivisionError("oh\nno")

    monkeypatch.setattr(group, "invoke", fail)
    ran = shell.run("review", "ls")
    assert ran.code == 70
    assert ran.err == (
        "handrail: internal error: ZeroDivisionError: oh⏎no (set HANDRAIL_DEBUG=1 for details)\n"
    )
    monkeypatch.setenv("HANDRAIL_DEBUG", "1")
    assert "Traceback" in shell.run("review", "ls").err


def test_an_interrupt_ends_quietly(shell: HandrailShell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_ctx: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(group, "invoke", interrupt)
    ran = shell.run("review", "ls")
    assert (ran.code, ran.err.strip()) == (130, "")


def test_nobody_reads_the_output_any_more(shell: HandrailShell, tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    many.write_bytes(b'{"command": "ls"}\n' * 5000)
    line = f"{sys.executable} -m handrail review --json - < {many} | head -n 1; wait"
    ran = subprocess.run(
        ["bash", "-c", line], capture_output=True, cwd=shell.project, timeout=60, check=False
    )
    assert ran.stdout.count(b"\n") == 1
    assert ran.stderr == b""


def test_an_argument_that_is_not_utf8_is_reviewed(shell: HandrailShell) -> None:
    name = os.fsdecode(b"rm -rf /etc/\xff\xfe")
    for args in (["review", name], ["review", name, "--json"]):
        ran = shell.spawn(*args)
        assert ran.returncode == 1
        assert ran.stderr == b""


def test_a_terminal_without_these_letters_shows_others(shell: HandrailShell) -> None:
    ran = shell.spawn("review", "rm -rf /", environ={"PYTHONIOENCODING": "ascii"})
    assert (ran.returncode, ran.stderr) == (1, b"")


# Colours


def on_a_terminal(shell: HandrailShell, *args: str, **environ: str) -> str:
    """What `handrail` prints when it is looked at."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "handrail", *args],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=shell.project,
        env={**os.environ, **shell.environ, "TERM": "xterm", **environ},
    ) as process:
        os.close(terminal)
        data = b""
        while True:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            data += piece
        process.wait()
    os.close(controller)
    return data.decode()


def test_a_terminal_gets_colours(shell: HandrailShell) -> None:
    assert "\x1b[" in on_a_terminal(shell, "review", "rm -rf /")


@pytest.mark.parametrize(
    ("args", "environ"), [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--no-color"], {})]
)
def test_colours_can_be_switched_off(
    shell: HandrailShell, args: list[str], environ: dict[str, str]
) -> None:
    assert "\x1b" not in on_a_terminal(shell, "review", "rm -rf /", *args, **environ)


def test_a_pipe_gets_no_colours(shell: HandrailShell) -> None:
    assert b"\x1b" not in shell.spawn("review", "rm -rf /").stdout


# Start-up


def imported(args: list[str], cwd: Path) -> set[str]:
    """What a command imports, as top-level names and ours in full."""
    code = (
        "import sys; from handrail.cli import main\n"
        f"main({args!r})\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, check=True
    )
    names = ran.stderr.split()
    return {name for name in names if name.startswith("handrail")} | {
        name.partition(".")[0] for name in names
    }


OURS = {
    "handrail",
    "handrail.cli",
    "handrail.model",
    "handrail.model.commands",
    "handrail.model.control",
}
"""The command line and its tables, which need nothing else."""
HEAVY = {"msgspec", "rich", "yaml", "asyncio", "tree_sitter", "subprocess"}


def test_the_version_imports_nothing_but_click(tmp_path: Path) -> None:
    names = imported(["--version"], tmp_path)
    assert names.isdisjoint(HEAVY)
    assert {name for name in names if name.startswith("handrail")} == OURS


def test_the_help_imports_no_command(tmp_path: Path) -> None:
    names = imported(["--help"], tmp_path)
    assert names.isdisjoint(HEAVY)
    assert {name for name in names if name.startswith("handrail")} == OURS


def test_a_review_imports_only_what_it_needs(tmp_path: Path) -> None:
    names = imported(["review", "ls", "--json"], tmp_path)
    needless = {"rich", "yaml", "asyncio", "subprocess", "pathspec", "multiprocessing", "sqlite3"}
    assert names.isdisjoint(needless)
    assert names.isdisjoint(
        {
            "handrail.cli.commands.replay",
            "handrail.cli.commands.demo",
            "handrail.cli.output.verdict_text",
        }
    )


def test_the_status_loads_no_settings_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shell prompts call it each time."""
    monkeypatch.setenv("HANDRAIL_HOME", str(tmp_path / "state"))
    names = imported(["status"], tmp_path)
    assert names.isdisjoint({"rich", "yaml", "asyncio", "tree_sitter", "handrail.config"})


def test_main_takes_the_process_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["handrail", "--version"])
    assert main() == 0
