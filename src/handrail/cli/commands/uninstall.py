"""`handrail uninstall`: take Handrail's hooks out of a host's settings."""

import os

import click

from handrail.cli import options
from handrail.cli.output.file_changes import (
    ask_to_agree,
    choose_file,
    host_argument,
    settings_diff,
    short_path,
    show_diff,
)
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput
from handrail.cli.output.unit_change import UnitChange
from handrail.hosts import find_host
from handrail.hosts.installation import Removal, other_installs, uninstall
from handrail.hosts.json_text import JsonTextError
from handrail.hosts.port import HostAdapter
from handrail.server.home import open_home
from handrail.server.integrity.notices import settle_notices
from handrail.server.launcher import stop_daemon
from handrail.server.units.unit_installation import plan_unit_removal
from handrail.words.hosts import names_hosts


@click.command()
@host_argument
@click.option("--user", is_flag=True, help="Uninstall for all your projects (default).")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="Uninstall for one project.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@options.json_option("Print JSON; needs --yes or --dry-run.")
@options.color_option
@names_hosts
def command(
    host: str, user: bool, project: str | None, yes: bool, dry_run: bool, as_json: bool
) -> int:
    """Remove Handrail's hooks from $title's settings.

    Handrail shows the change first. If the file did not change since the install, it
    becomes what it was, byte for byte. Otherwise Handrail removes only its own
    entries.

    \b
    Examples:
      handrail uninstall $host
      handrail uninstall $host --project ~/work/api

    Exit code: 0; 1 if you said no; 2 for an error.
    """
    options.by_a_person()
    adapter = find_host(host)
    path, _ = choose_file(adapter, user, project)
    home = open_home(os.environ)
    record = home.installs
    plan = _plan(adapter, path, record)
    others = other_installs(path, record)
    units = UnitChange(home, os.environ, None if others else plan_unit_removal(home))
    lines = settings_diff((plan.settings, plan.exclude, *units.files))
    screen = options.screen()
    if not as_json:
        show_diff(screen, lines, full=dry_run)
    done = not dry_run
    if done and lines and not ask_to_agree("Uninstall?", yes=yes, asks=not as_json):
        screen.say(" Nothing was changed.")
        return 1
    if done:
        uninstall(plan, record)
        settle_notices(home, path)
    stopped = done and plan.settings.changes and not others and stop_daemon(home)
    if done:
        with units.carried_out():
            pass
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
        _show_end(screen, plan, others, done=done, stopped=stopped)
        if done and units.changes:
            screen.paragraph(units.says, mark=screen.paint("✓", "green"))
    return 0


def _plan(host: HostAdapter, path: str, record: str) -> Removal:
    try:
        return host.plan_removal(path, record)
    except JsonTextError as error:
        raise click.ClickException(f"{short_path(path)}, {error}; nothing was changed") from None


def _show_end(
    screen: TerminalOutput, plan: Removal, others: list[str], *, done: bool, stopped: bool
) -> None:
    where = short_path(plan.settings.path)
    done_mark, note_mark = screen.paint("✓", "green"), screen.paint("·", "dim")
    if not plan.settings.changes:
        screen.say(f" Handrail is not installed in {where}.")
    elif not done:
        screen.say(" Nothing was changed: this was a dry run.")
    elif plan.settings.after is None:
        screen.paragraph(f"Removed {where}: it held only Handrail's hooks.", mark=done_mark)
    elif plan.exact:
        screen.paragraph(f"{where} is what it was before, byte for byte.", mark=done_mark)
    else:
        screen.paragraph(f"Removed only Handrail's hooks from {where}.", mark=done_mark)
    if done and plan.settings.changes:
        ended = " Stopped the daemon; an open session may start it again." if stopped else ""
        screen.paragraph(f"New sessions run without Handrail.{ended}", mark=note_mark)
    for other in others:
        screen.paragraph(f"Still installed in {short_path(other)}", mark=note_mark)
