"""The command line: `handrail COMMAND`."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from handrail import __version__
from handrail.tui.host_words import with_hosts

COMMANDS = {
    "demo": "Watch it at work in a scratch repository.",
    "install": "Supervise $title from now on.",
    "uninstall": "Give $title's settings back as they were.",
    "doctor": "Prove that a refusal is really enforced.",
    "status": "Show the runs, and how they are.",
    "watch": "All runs on one screen, with controls.",
    "run": "Have an agent work until it is done, unattended.",
    "pause": "Pause a run at its next action.",
    "resume": "Let a run go on.",
    "steer": "Tell the agent something.",
    "redirect": "Give the agent another goal.",
    "escalate": "Have the agent use another model.",
    "interrupt": "Break off what the agent is doing.",
    "freeze": "Stop all processes of a run where they are.",
    "stop": "End a run's processes; it can be resumed.",
    "cancel": "End a run for good.",
    "log": "Show what happened in a run.",
    "explain": "Tell the story of one step, or of what was done about a run.",
    "feedback": "Say whether a verdict or a finding was right.",
    "incident": "See what was stopped, and decide how it goes on.",
    "review": "Explain what Handrail thinks of one command.",
    "replay": "What would Handrail have done in past sessions?",
    "checkpoint": "Save the files of this project.",
    "checkpoints": "List what was saved of this project, and when.",
    "diff": "Show what has changed since a checkpoint.",
    "undo": "Undo what an agent did to the files.",
    "redo": "Take back the last undo.",
    "rollback": "Go back to a checkpoint.",
    "restore": "Bring back what was moved to the trash.",
    "notify": "See whether messages reach people.",
    "config": "Show, check and describe the settings.",
    "serve": "Run the daemon that hooks talk to.",
}
"""Every command and what it is for (see `tui.host_words` for `$`); `--help` imports none."""

_TOGETHER = dict.fromkeys(
    ("pause", "resume", "steer", "redirect", "escalate", "interrupt", "freeze", "stop", "cancel"),
    "control",
)
"""Commands that share a module, where they stand in `commands`; others have one of their own."""

EXIT_ERROR = 2
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


class _LazyGroup(click.Group):
    """Imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"handrail.cli.{_TOGETHER.get(cmd_name, cmd_name)}")
        found: click.Command = (
            module.commands[cmd_name] if cmd_name in _TOGETHER else module.command
        )
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(f"there is no command {name!r}; there is {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, with_hosts(says)) for name, says in COMMANDS.items()])

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = with_hosts(self.help or "")
        super().format_help_text(ctx, formatter)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, message="handrail %(version)s")
def group() -> None:
    """Handrail reviews what an AI agent is about to do, before it does it.

    \b
    Examples:
      handrail demo                       watch it at work, 30 seconds
      handrail install $host             supervise every session from now on
      handrail doctor                     see that a refusal is enforced
      handrail replay $recordings           what would it have done last week?
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; every error ends as one line and an exit code."""
    # Imports make objects that stay: looking for garbage among them is a sixth of the start.
    # Commands that go on for long call `settle()` when they are ready to work.
    gc.disable()
    try:
        _forgive_encoding()
        status = _run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us is gone; Python must not complain about it when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - no traceback may reach a user
        return _fail(error)
    finally:
        gc.enable()
    return status


def settle() -> None:
    """Start-up is over: collect garbage again, but not among what was loaded so far."""
    gc.freeze()
    gc.enable()


def _run(args: Sequence[str] | None) -> int:
    try:
        status = group.main(args, prog_name="handrail", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.exceptions.Exit as exit_:
        status = exit_.exit_code
    return status if isinstance(status, int) else 0


def _forgive_encoding() -> None:
    """A terminal that cannot show a character shows a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _fail(error: Exception) -> int:
    if os.environ.get("HANDRAIL_DEBUG"):
        import traceback

        traceback.print_exception(error)
    known, says = _describe(error)
    if known:
        click.echo(f"handrail: {says}", err=True)
        return EXIT_ERROR
    hint = "" if os.environ.get("HANDRAIL_DEBUG") else " (set HANDRAIL_DEBUG=1 for details)"
    click.echo(f"handrail: internal error: {says}{hint}", err=True)
    return EXIT_INTERNAL


def _describe(error: Exception) -> tuple[bool, str]:
    """Whether it is the world's fault and not ours, and the error in one line."""
    from handrail.cli.render import visible

    if isinstance(error, click.ClickException):
        return True, visible(error.format_message())
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return True, visible(f"{name}{error.strerror or error}")
    if isinstance(error, UnicodeError):
        return True, visible(f"text cannot be read or written: {error}")
    problems = getattr(error, "problems", None)
    if problems:  # a ConfigError; its module is not imported to find out
        more = len(problems) - 1
        also = f" (and {more} more: handrail config check)" if more else ""
        return True, visible(f"{problems[0]}{also}")
    if type(error).__module__ in ("handrail.checkpoint.errors", "handrail.checkpoint.names"):
        return True, visible(str(error))
    if type(error).__module__ == "handrail.shell.errors":
        return True, visible(f"this cannot be read: {error}")
    return False, visible(f"{type(error).__name__}: {error}")
