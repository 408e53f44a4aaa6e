"""`handrail uninstall`: take Handrail's hooks out of a host's settings."""

import os
from typing import TYPE_CHECKING

import click

from handrail.cli import options
from handrail.cli.output.file_changes import host_argument
from handrail.cli.output.terminal import TerminalOutput
from handrail.words.hosts import names_hosts

if TYPE_CHECKING:
    from handrail.hosts.installation import Removal
    from handrail.hosts.port import HostAdapter


@click.command()
@host_argument
@click.option("--user", is_flag=True, help="From your own settings (default).")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="From one project's settings for this machine.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and leave it.")
@options.json_option("Print JSON; needs --yes or --dry-run.")
@options.color_option
@names_hosts
def command(
    host: str, user: bool, project: str | None, yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Take Handrail's hooks out of $title's settings.

    If nobody changed the file since, it becomes what it was, byte for byte. If
    somebody did, exactly Handrail's entries go. You see the change first.

    \b
    Examples:
      handrail uninstall $host
      handrail uninstall $host --project ~/work/api

    Exit code: 0; 1 if you said no; 2 for an error.
    """
    from handrail.cli.output.file_changes import agreed, choose_file, diff, print_json, show
    from handrail.hosts import find_host
    from handrail.hosts.installation import other_installs, uninstall
    from handrail.server.home import open_home

    options.by_a_person()
    adapter = find_host(host)
    path, _ = choose_file(adapter, user, project)
    record = open_home(os.environ).installs
    plan = _plan(adapter, path, record)
    lines = diff((plan.settings, plan.exclude))
    screen = options.screen()
    if not as_json:
        show(screen, lines, full=dry_run)
    done = not dry_run
    if done and lines and not agreed("Uninstall?", yes=yes, asks=not as_json):
        screen.say(" Nothing was changed.")
        return 1
    if done:
        uninstall(plan, record)
    others = other_installs(path, record)
    if as_json:
        print_json(
            {
                "host": host,
                "path": path,
                "changed": plan.settings.changes,
                "done": done,
                "exact": plan.exact,
                "diff": "\n".join(lines),
                "others": others,
            }
        )
    else:
        _tell_end(screen, plan, others, done=done)
    return 0


def _plan(host: "HostAdapter", path: str, record: str) -> "Removal":
    from handrail.cli.output.file_changes import short
    from handrail.hosts.json_text import JsonTextError

    try:
        return host.plan_removal(path, record)
    except JsonTextError as error:
        raise click.ClickException(f"{short(path)}, {error}; nothing was changed") from None


def _tell_end(screen: TerminalOutput, plan: "Removal", others: list[str], *, done: bool) -> None:
    from handrail.cli.output.file_changes import short, tell

    where = short(plan.settings.path)
    if not plan.settings.changes:
        screen.say(f" Handrail is not installed in {where}.")
    elif not done:
        screen.say(" Nothing was changed: this was a dry run.")
    elif plan.settings.after is None:
        tell(screen, "✓", "green", f"{where} is gone: it held nothing but Handrail's hooks.")
    elif plan.exact:
        tell(screen, "✓", "green", f"{where} is what it was before, byte for byte.")
    else:
        tell(screen, "✓", "green", f"Took Handrail's hooks out of {where}; the rest stays.")
    if done and plan.settings.changes:
        screen.say("   New sessions run without Handrail. Its daemon: handrail serve --stop")
    for other in others:
        tell(screen, "·", "dim", f"Still installed in {short(other)}")
