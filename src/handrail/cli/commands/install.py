"""`handrail install`: put Handrail's hooks into a host's settings."""

import os
import shlex
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.cli.output.file_changes import host_argument
from handrail.cli.output.terminal import TerminalOutput
from handrail.words.hosts import names_hosts, with_hosts

if TYPE_CHECKING:
    from handrail.hosts.git_view import GitView
    from handrail.hosts.installation import Installation
    from handrail.hosts.port import HostAdapter, InstallOffer, Obstacle
    from handrail.server.home import Home


@click.command()
@host_argument
@click.option("--user", is_flag=True, help="In your own settings, for all projects (default).")
@click.option(
    "--project",
    is_flag=False,
    flag_value=".",
    metavar="[DIR]",
    help="Only for one project, in its settings for this machine.",
)
@click.option(
    "--handler",
    type=click.Choice(["auto", "http", "command"]),
    default="auto",
    help=with_hosts("How $title calls Handrail; auto goes by its version."),
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and leave it.")
@options.json_option("Print JSON; needs --yes or --dry-run.")
@options.color_option
@names_hosts
def command(
    host: str,
    user: bool,
    project: str | None,
    handler: str,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Let Handrail review every action of $title from now on.

    Adds hooks to $title's settings and leaves everything else in the file
    as it is. You see the change first; `handrail uninstall $host` takes it back.

    \b
    Examples:
      handrail install $host                  all your sessions
      handrail install $host --dry-run        what would change?
      handrail install $host --project        only in this project

    Exit code: 0; 1 if you said no; 2 for an error.
    """
    from handrail.cli.output.file_changes import agreed, diff, print_json, show, tell
    from handrail.hosts import find_host
    from handrail.server.home import open_home

    options.by_a_person()
    home = open_home(os.environ)
    offer = _make_offer(find_host(host), home, user, project, handler, dry_run=dry_run)
    plan = offer.plan
    lines = diff((plan.exclude, plan.settings))
    screen = options.screen()
    if not as_json:
        show(screen, lines, full=dry_run)
        for note in offer.notes:
            tell(screen, "·", "dim", note)
        _tell_obstacles(screen, offer.obstacles)
    done = not dry_run
    if done and plan.changes and not agreed("Install?", yes=yes, asks=not as_json):
        screen.say(" Nothing was changed.")
        return 1
    if done:
        _install(plan, home)
    if as_json:
        print_json(
            {
                "host": host,
                "path": plan.settings.path,
                "changed": plan.changes,
                "done": done,
                "handler": offer.style,
                host: offer.program,
                "diff": "\n".join(lines),
                "notes": offer.notes,
                "problems": offer.obstacles,
            }
        )
    else:
        _tell_end(screen, plan, host, project, done=done)
    return 0


def _make_offer(
    host: "HostAdapter",
    home: "Home",
    user: bool,
    project: str | None,
    handler: str,
    *,
    dry_run: bool,
) -> "InstallOffer":
    from handrail.cli.output.file_changes import choose_file, connection, short
    from handrail.hosts.git_view import GitView, git_view
    from handrail.hosts.json_text import JsonTextError
    from handrail.hosts.port import HostError
    from handrail.hosts.settings_file import is_broken

    path, folder = choose_file(host, user, project)
    view = git_view(path)
    try:
        offer = host.plan_install(
            path,
            folder or os.getcwd(),
            connection(home, dry_run=dry_run),
            os.environ,
            handler=handler,
            view=view if folder else GitView("outside"),
        )
    except HostError as error:
        raise click.UsageError(str(error)) from None
    except JsonTextError as error:
        says = f"{short(path)}, {error}. Correct it, then run this again; nothing was changed"
        raise click.ClickException(says) from None
    notes = [*offer.notes, *_git_notes(view, path, offer.style, project=bool(folder))]
    if is_broken(home.installs):
        notes.append(f"{short(home.installs)} cannot be read; it is kept beside a new one.")
    return msgspec.structs.replace(offer, notes=notes)


def _git_notes(view: "GitView", path: str, style: str, *, project: bool) -> list[str]:
    """Port and token are of this machine, so they must not get into a repository."""
    from handrail.cli.output.file_changes import short

    if view.state == "tracked" and project:
        raise click.ClickException(
            f"git tracks {short(path)}, which would hold this machine's port and token."
            f" Take it out first: git rm --cached {os.path.basename(path)}"
        )
    if view.state == "visible" and project:
        return [f"git would pick this file up, so {short(view.exclude)} gets a line."]
    if view.state in ("tracked", "visible") and style == "http":
        return ["git sees this file: do not commit the token, or use --handler command (no token)."]
    return []


def _tell_obstacles(screen: TerminalOutput, obstacles: "tuple[Obstacle, ...]") -> None:
    from handrail.cli.output.file_changes import short, tell

    for each in obstacles:
        where = f"{short(each.path)}: " if each.path else ""
        tell(screen, "!", "yellow", f"{where}{each.says}")


def _install(plan: "Installation", home: "Home") -> None:
    """A daemon that does not start would block every session, so it comes before the hooks."""
    from handrail.hosts.installation import install
    from handrail.hosts.settings_file import ChangedMeanwhileError, is_broken
    from handrail.server.http.socket_client import DaemonError
    from handrail.server.launcher import ensure_daemon

    home.client()
    try:
        ensure_daemon(home)
        if plan.changes or is_broken(home.installs):
            install(plan, home.installs)
    except DaemonError as error:
        raise click.ClickException(f"{error}. Nothing was changed") from None
    except ChangedMeanwhileError as error:
        raise click.ClickException(str(error)) from None


def _tell_end(
    screen: TerminalOutput, plan: "Installation", host: str, project: str | None, *, done: bool
) -> None:
    from handrail.cli.output.file_changes import short, tell

    where = short(plan.settings.path)
    if not plan.changes:
        tell(screen, "✓", "green", f"Handrail is installed in {where} already.")
    elif not done:
        screen.say(" Nothing was changed: this was a dry run.")
        return
    else:
        tell(screen, "✓", "green", f"Installed in {where}; the daemon runs.")
        screen.say("   Sessions that are open now: start them anew.")
    screen.say("   Next:  handrail doctor              see that a refusal is enforced")
    which = f" --project {shlex.quote(project)}" if project else ""
    screen.say(f"   Undo:  handrail uninstall {host}{which}")
