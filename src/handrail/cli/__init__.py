"""The command line: `handrail COMMAND`."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from handrail import __version__
from handrail.model.commands import CLI_COMMANDS

COMMANDS = {row.name: row for row in CLI_COMMANDS}
"""The rows that `--help` lists, without importing the commands."""

EXIT_ERROR = 2
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

_IN_ONE_LINE = (
    "handrail.checkpoint.errors",
    "handrail.checkpoint.names",
    "handrail.desktop.errors",
)
"""Modules whose errors are texts for people, recognised without importing them."""


class _LazyGroup(click.Group):
    """Imports the module of a command only when the user calls it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        row = COMMANDS.get(cmd_name)
        if row is None:
            return None
        module = import_module(f"handrail.cli.commands.{row.module or row.name}")
        found: click.Command = module.commands[row.name] if row.module else module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from handrail.model.near_names import did_you_mean

            hint = did_you_mean(name, COMMANDS, "see handrail --help")
            raise click.UsageError(f"there is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(row.name, row.does) for row in CLI_COMMANDS])


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, message="handrail %(version)s")
def group() -> None:
    """Handrail reviews every action of an AI agent before it runs.

    \b
    Examples:
      handrail demo                       watch it work for 30 seconds
      handrail install claude             supervise every session from now on
      handrail doctor                     prove that refusals are enforced
      handrail replay ~/.claude           see what it would have done last week
    """


def main(args: Sequence[str] | None = None) -> int:
    """Run one command. Every error becomes one line and an exit code."""
    # Collecting garbage among freshly imported objects takes a sixth of the start-up time.
    # Long-running commands call `settle()` when they are ready.
    gc.disable()
    try:
        _forgive_encoding()
        status = _run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader is gone. Keep Python from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return EXIT_INTERRUPTED
    except Exception as error:  # noqa: BLE001 - no traceback may reach a user
        return _fail(error)
    finally:
        gc.enable()
    return status


def freeze_loaded_objects() -> None:
    """Collect garbage again after start-up, except among the objects loaded so far."""
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
    """Print a question mark for characters that the terminal cannot show."""
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
    """Return whether the error is a known one (not a bug), and its text: a line per problem."""
    from handrail.cli.output.terminal import visible

    if isinstance(error, click.ClickException):
        told = getattr(error, "problems", (error.format_message(),))
        return True, "\nhandrail: ".join(map(visible, told))
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return True, visible(f"{name}{error.strerror or error}")
    if isinstance(error, UnicodeError):
        return True, visible(f"cannot read or write this text: {error}")
    problems = getattr(error, "problems", None)
    if problems:  # a ConfigError, recognised without importing its module
        more = len(problems) - 1
        also = f" (and {more} more: handrail config check)" if more else ""
        return True, visible(f"{problems[0]}{also}")
    if any(kind.__module__ in _IN_ONE_LINE for kind in type(error).__mro__):
        return True, visible(str(error))
    if type(error).__module__ == "handrail.shell.errors":
        return True, visible(f"cannot read this command: {error}")
    return False, visible(f"{type(error).__name__}: {error}")
