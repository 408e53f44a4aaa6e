"""Options that several commands share, and the settings that follow from them."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from handrail.cli.output.terminal import TerminalOutput, make_terminal_output

if TYPE_CHECKING:
    from handrail.config import Config

Function = TypeVar("Function", bound=Callable[..., Any])

_NO_COLOR = "handrail.no_color"


def _remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_NO_COLOR] = True


color_option = click.option(
    "--no-color",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Print without colours (also: NO_COLOR=1).",
)


def json_option(text: str) -> Callable[[Function], Function]:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def restore_options(function: Function) -> Function:
    """Add the options of undo, redo and rollback."""
    for option in (
        color_option,
        json_option("Print JSON; do not ask."),
        click.option("--yes", "-y", is_flag=True, help="Do not ask."),
        click.option("--dry-run", is_flag=True, help="Only show what would change."),
        click.option("--over", is_flag=True, help="Overwrite files that others changed since."),
        click.option(
            "--whole", is_flag=True, help="Restore nothing if one file cannot be written."
        ),
    ):
        function = option(function)
    return function


git_option = click.option(
    "--git", is_flag=True, help="Include commits, branches, stashes and the index."
)


scope_option = click.option(
    "--scope",
    multiple=True,
    metavar="GLOB",
    help="A folder that the agent may change. Repeatable. Replaces the setting `scope`.",
)


config_option = click.option(
    "--config",
    "config_file",
    metavar="FILE",
    help="Use these settings instead of the project's handrail.yaml.",
)


def by_a_person() -> None:
    """Refuse the command if an agent called it: only people control runs."""
    from handrail.hosts.driven_agent import MARK
    from handrail.model.host import known_hosts

    for name in (*(name for host in known_hosts() for name in host.agent_variables), MARK):
        if os.environ.get(name):
            raise click.ClickException(
                f"only a person may do this, and {name} shows that an agent called it; "
                "use a terminal of your own"
            )


def screen() -> TerminalOutput:
    """Return the output of the current command."""
    ctx = click.get_current_context(silent=True)
    return make_terminal_output(no_color=bool(ctx and ctx.meta.get(_NO_COLOR)))


def load_config(
    folder: str, *, config_file: str | None = None, scope: tuple[str, ...] = (), goal: str = ""
) -> "Config":
    """Load the settings of a folder, and apply the options of the command line."""
    import msgspec

    from handrail.config import load_settings
    from handrail.supervise.runs.settings_trust import trusted_settings

    if config_file:
        config = load_settings(folder, config_path=config_file).config
    else:
        found = trusted_settings(folder, os.environ)
        config = found.config if found.withheld else found.written.config
    if scope:
        config = msgspec.structs.replace(config, scope=absolute_scope(scope))
    if goal:
        config = msgspec.structs.replace(config, goal=goal)
    return config


def absolute_scope(scope: tuple[str, ...]) -> tuple[str, ...]:
    """Make globs absolute, relative to the current folder."""
    from handrail.config.text_values import PathBase, read_place

    where = PathBase(os.getcwd(), os.environ.get("HOME", ""))
    try:
        return tuple(read_place(glob, where) for glob in scope)
    except ValueError as error:
        raise click.UsageError(f"--scope {' '.join(scope)}: {error}") from None


def scope_folder(scope: tuple[str, ...]) -> str:
    """Return the first folder of an absolute scope, for actions without a `cwd`."""
    for glob in scope:
        fixed = re.split(r"/[^/]*[\\*?\[{]", glob, maxsplit=1)[0]
        if fixed:
            return fixed
    return ""
