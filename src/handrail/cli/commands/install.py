"""`handrail install`: put Handrail's hooks into a host's settings."""

import os
import shlex

import click
import msgspec

from handrail.cli import options
from handrail.cli.daemon_request import ready_daemon
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
from handrail.cli.output.unit_change import UnitChange, plan_unit_change
from handrail.hosts import find_host
from handrail.hosts.git_view import GitView, git_view
from handrail.hosts.installation import Installation, install
from handrail.hosts.json_text import JsonTextError
from handrail.hosts.port import HostAdapter, HostError, InstallOffer
from handrail.hosts.settings_file import ChangedMeanwhileError, is_broken
from handrail.server.home import Home, open_home
from handrail.server.hook_connection import hook_connection
from handrail.server.integrity.notices import settle_notices
from handrail.words.hosts import names_hosts, with_hosts


@click.command()
@host_argument
@click.option("--user", is_flag=True, help="Install for all your projects (default).")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="Install for one project, on this machine only.",
)
@click.option(
    "--handler",
    type=click.Choice(["auto", "http", "command"]),
    default="auto",
    help=with_hosts("How $title calls Handrail. auto picks by version."),
)
@click.option(
    "--units/--no-units",
    default=None,
    help="Let systemd or launchd keep Handrail running (default: where systemd --user runs).",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@options.json_option("Print JSON; needs --yes or --dry-run.")
@options.color_option
@names_hosts
def command(
    host: str,
    user: bool,
    project: str | None,
    handler: str,
    units: bool | None,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Let Handrail review every action of $title from now on.

    Handrail shows the change first. It adds hooks to $title's settings and
    changes nothing else in them. Where a systemd runs for you, Handrail also writes
    units for it. `handrail uninstall $host` removes both.

    \b
    Examples:
      handrail install $host                  supervise all your sessions
      handrail install $host --dry-run        only show the change
      handrail install $host --project        supervise only this project

    Exit code: 0; 1 if you said no; 2 for an error.
    """
    options.by_a_person()
    home = open_home(os.environ)
    offer = _make_offer(find_host(host), home, user, project, handler, dry_run=dry_run)
    plan = offer.plan
    unit_plan = plan_unit_change(home, units, os.environ, dry_run=dry_run)
    changes = plan.changes or unit_plan.changes
    lines = settings_diff((*unit_plan.files, plan.exclude, plan.settings))
    screen = options.screen()
    if not as_json:
        show_diff(screen, lines, full=dry_run)
        for note in offer.notes:
            screen.paragraph(note, mark=screen.paint("·", "dim"))
        for each in offer.obstacles:
            where = f"{short_path(each.path)}: " if each.path else ""
            screen.paragraph(f"{where}{each.says}", mark=screen.paint("!", "yellow"))
    done = not dry_run
    if done and changes and not ask_to_agree("Install?", yes=yes, asks=not as_json):
        screen.say(" Nothing was changed.")
        return 1
    if done:
        _install(plan, unit_plan, home)
    if as_json:
        print_json(
            {
                "host": host,
                "path": plan.settings.path,
                "changed": changes,
                "done": done,
                "handler": offer.style,
                "units": [each.path for each in unit_plan.files if each.after is not None],
                host: offer.program,
                "diff": "\n".join(lines),
                "notes": offer.notes,
                "problems": offer.obstacles,
            }
        )
    else:
        _show_end(screen, plan, unit_plan, host, project, done=done)
    return 0


def _make_offer(
    host: HostAdapter,
    home: Home,
    user: bool,
    project: str | None,
    handler: str,
    *,
    dry_run: bool,
) -> InstallOffer:
    path, folder = choose_file(host, user, project)
    view = git_view(path)
    try:
        offer = host.plan_install(
            path,
            folder or os.getcwd(),
            hook_connection(home, dry_run=dry_run),
            os.environ,
            handler=handler,
            view=view if folder else GitView("outside"),
        )
    except HostError as error:
        raise click.UsageError(str(error)) from None
    except JsonTextError as error:
        says = f"{short_path(path)}, {error}. Nothing was changed. Correct the file and try again"
        raise click.ClickException(says) from None
    notes = [*offer.notes, *_git_notes(view, path, offer.style, project=bool(folder))]
    if is_broken(home.installs):
        notes.append(
            f"{short_path(home.installs)} cannot be read. Handrail keeps it and starts a new one."
        )
    return msgspec.structs.replace(offer, notes=notes)


def _git_notes(view: GitView, path: str, style: str, *, project: bool) -> list[str]:
    """Keep the port and token of this machine out of a repository."""
    if view.state == "tracked" and project:
        raise click.ClickException(
            f"git tracks {short_path(path)}, but it must hold this machine's port and token."
            f" Untrack it first: git rm --cached {os.path.basename(path)}"
        )
    if view.state == "visible" and project:
        return [f"Handrail adds this file to {short_path(view.exclude)}, so that git ignores it."]
    if view.state in ("tracked", "visible") and style == "http":
        return ["git sees this file. Do not commit the token, or use --handler command (no token)."]
    return []


def _install(plan: Installation, units: UnitChange, home: Home) -> None:
    """Start the daemon, then install the hooks: hooks without a daemon block every session."""
    home.client()
    try:
        with units.carried_out(), ready_daemon(home):
            pass
        if plan.changes or is_broken(home.installs):
            install(plan, home.installs)
        settle_notices(home, plan.settings.path)
    except click.ClickException as error:
        raise click.ClickException(f"{error.message}. Nothing was changed") from None
    except ChangedMeanwhileError as error:
        raise click.ClickException(str(error)) from None


def _show_end(
    screen: TerminalOutput,
    plan: Installation,
    units: UnitChange,
    host: str,
    project: str | None,
    *,
    done: bool,
) -> None:
    where = short_path(plan.settings.path)
    done_mark = screen.paint("✓", "green")
    if not done and (plan.changes or units.changes):
        screen.say(" Nothing was changed: this was a dry run.")
        return
    if units.changes:
        screen.paragraph(units.says, mark=done_mark)
    if not plan.changes:
        screen.paragraph(f"Handrail is already installed in {where}.", mark=done_mark)
    else:
        screen.paragraph(f"Installed in {where}. The daemon is running.", mark=done_mark)
        screen.say("   Restart your open sessions.")
    screen.say("   Next:  handrail doctor              prove that refusals are enforced")
    which = f" --project {shlex.quote(project)}" if project else ""
    screen.say(f"   Undo:  handrail uninstall {host}{which}")
