"""`handrail install`: put Handrail's hooks into a host's settings."""

import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

import click

from handrail.cli import options
from handrail.cli.render import Screen

if TYPE_CHECKING:
    from handrail.hosts.claude.install import Installation
    from handrail.hosts.claude.obstacles import Obstacle
    from handrail.hosts.claude.program import Program
    from handrail.hosts.claude.settings import Hooking, Style
    from handrail.hosts.git_view import GitView
    from handrail.server.home import Home


@click.command()
@click.argument("host", metavar="claude", type=click.Choice(["claude"]))
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
    help="How Claude Code calls Handrail; auto goes by its version.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and leave it.")
@options.json_option("Print JSON; needs --yes or --dry-run.")
@options.color_option
def command(
    host: str,
    user: bool,
    project: str | None,
    handler: str,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Let Handrail review every action of Claude Code from now on.

    Adds hooks to Claude Code's settings and leaves everything else in the file
    as it is. You see the change first; `handrail uninstall claude` takes it back.

    \b
    Examples:
      handrail install claude                  all your sessions
      handrail install claude --dry-run        what would change?
      handrail install claude --project        only in this project

    Exit code: 0; 1 if you said no; 2 for an error.
    """
    from handrail.cli.changes import agreed, diff, print_json, show, tell

    options.by_a_person()
    offer = _make_offer(user, project, handler, dry_run=dry_run)
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
        _install(plan, offer.home)
    if as_json:
        print_json(
            {
                "host": host,
                "path": plan.settings.path,
                "changed": plan.changes,
                "done": done,
                "handler": offer.style,
                "claude": offer.claude,
                "diff": "\n".join(lines),
                "notes": offer.notes,
                "problems": offer.obstacles,
            }
        )
    else:
        _tell_end(screen, plan, project, done=done)
    return 0


class _Offer(NamedTuple):
    """What would be done, and what to say about it."""

    home: "Home"
    claude: "Program | None"
    style: "Style"
    plan: "Installation"
    notes: list[str]
    obstacles: "tuple[Obstacle, ...]"


def _make_offer(user: bool, project: str | None, handler: str, *, dry_run: bool) -> _Offer:
    from handrail.cli.changes import choose_file, short
    from handrail.hosts.claude.obstacles import proxied, session_variables
    from handrail.hosts.claude.program import find_claude
    from handrail.hosts.git_view import git_view
    from handrail.hosts.settings_file import is_broken
    from handrail.server.home import open_home

    path, folder = choose_file(user, project)
    where = folder or os.getcwd()
    home = open_home(os.environ)
    claude = find_claude(os.environ)
    proxy = proxied(session_variables(os.environ, where))
    style, notes = choose_style(handler, claude, proxy)
    hooking = make_hooking(home, style, claude, dry_run=dry_run)
    view = git_view(path)
    plan = _plan(path, hooking, view if folder else None, home)
    notes += _git_notes(view, path, style, project=bool(folder))
    if is_broken(home.installs):
        notes.append(f"{short(home.installs)} cannot be read; it is kept beside a new one.")
    return _Offer(home, claude, style, plan, notes, _obstacles(plan, hooking, where))


def choose_style(handler: str, claude: "Program | None", proxy: str) -> "tuple[Style, list[str]]":
    """How Claude Code is to call us, and what to say about it."""
    from handrail.hosts.claude.settings import HTTP_SINCE, REWRITES_SINCE

    first = ".".join(map(str, HTTP_SINCE))
    if claude is None:
        if handler == "command":
            return "command", ["Claude Code was not found; this works with every version."]
        return "http", [f"Claude Code was not found; this is for version {first} or newer."]
    if claude.version is not None and claude.version < REWRITES_SINCE:
        oldest = ".".join(map(str, REWRITES_SINCE))
        raise click.UsageError(
            f"Claude Code {claude.says} would run a changed command unchanged; {oldest} or newer"
            " is needed. Update it: claude update"
        )
    known = f"Claude Code {claude.says}" if claude.says else f"{claude.path} (version unknown)"
    if claude.version is None or claude.version < HTTP_SINCE:
        if handler == "http":
            raise click.UsageError(
                f"--handler http needs Claude Code {first} or newer, this is {known}: an older one"
                " runs a tool when Handrail does not answer. Use --handler command."
            )
        return "command", [f"{known}: called as a command, as before {first}."]
    if handler == "auto" and proxy:
        return "command", [f"{known}: called as a command, because {proxy} is set."]
    return ("command" if handler == "command" else "http"), [f"{known}, {claude.path}"]


def make_hooking(
    home: "Home", style: "Style", claude: "Program | None", *, dry_run: bool = False
) -> "Hooking":
    """Where our hooks lead."""
    from handrail.hosts.claude.settings import Hooking, hook_url

    client, version = home.client_path, claude.version if claude else None
    if dry_run and not os.path.isdir(home.path):  # and then it is not made either
        return Hooking(style, hook_url("PORT"), "", client, version)
    return Hooking(style, hook_url(home.port), home.hook_token, client, version)


def _plan(path: str, hooking: "Hooking", view: "GitView | None", home: "Home") -> "Installation":
    from handrail.cli.changes import short
    from handrail.hosts.claude.install import plan_install
    from handrail.hosts.git_view import GitView
    from handrail.hosts.jsontext import JsonTextError

    try:
        return plan_install(path, hooking, view or GitView("outside"), home.installs)
    except JsonTextError as error:
        says = f"{short(path)}, {error}. Correct it, then run this again; nothing was changed"
        raise click.ClickException(says) from None


def _git_notes(view: "GitView", path: str, style: "Style", *, project: bool) -> list[str]:
    """Port and token are of this machine, so they must not get into a repository."""
    from handrail.cli.changes import short

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


def _obstacles(plan: "Installation", hooking: "Hooking", folder: str) -> "tuple[Obstacle, ...]":
    """What would keep the hooks from running here, with the file as it will be."""
    from handrail.hosts.claude.obstacles import find_obstacles
    from handrail.hosts.settings_file import decode

    url = hooking.url if hooking.style == "http" else ""
    instead = {plan.settings.path: decode(plan.settings.after or b"")}
    return find_obstacles(os.environ, folder, url=url, instead=instead)


def _tell_obstacles(screen: Screen, obstacles: "tuple[Obstacle, ...]") -> None:
    from handrail.cli.changes import short, tell

    for each in obstacles:
        where = f"{short(each.path)}: " if each.path else ""
        tell(screen, "!", "yellow", f"{where}{each.says}")


def _install(plan: "Installation", home: "Home") -> None:
    """A daemon that does not start would block every session, so it comes before the hooks."""
    from handrail.hosts.claude.install import install
    from handrail.hosts.settings_file import ChangedMeanwhileError, is_broken
    from handrail.server.client import DaemonError
    from handrail.server.start import ensure_daemon

    home.client()
    try:
        ensure_daemon(home)
        if plan.changes or is_broken(home.installs):
            install(plan, home.installs)
    except DaemonError as error:
        raise click.ClickException(f"{error}. Nothing was changed") from None
    except ChangedMeanwhileError as error:
        raise click.ClickException(str(error)) from None


def _tell_end(screen: Screen, plan: "Installation", project: str | None, *, done: bool) -> None:
    from handrail.cli.changes import short, tell

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
    screen.say(f"   Undo:  handrail uninstall claude{which}")
