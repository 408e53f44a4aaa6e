"""`handrail doctor`: is a refusal really enforced?"""

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from handrail.cli import options
from handrail.cli.render import Screen, pad, wrap

if TYPE_CHECKING:
    from handrail.cli.checks import Check, Patient
    from handrail.server.home import Home

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red")}
_NAME = 15


@click.command()
@click.option("--fix", is_flag=True, help="Repair what Handrail can repair by itself.")
@click.option("--no-probe", is_flag=True, help="Only look; do not start Claude Code.")
@options.json_option("Print every finding as JSON.")
@options.color_option
def command(fix: bool, no_probe: bool, as_json: bool) -> int:
    """Prove that Claude Code really obeys Handrail, in this folder, with your settings.

    Starts Claude Code with a scripted model on this machine (no account, no network,
    no cost) that asks for a forbidden command, and looks whether it ran.

    \b
    Examples:
      handrail doctor               in the project that matters
      handrail doctor --fix         after a crash or an upgrade

    Exit code: 0 if refusals are enforced; 1 if something is wrong; 2 for an error.
    """
    from handrail.cli.checks import patient
    from handrail.server.home import open_home

    home = open_home(os.environ)
    if fix:
        options.by_a_person()
        for did in _repair(home):
            click.echo(f" · {did}", err=as_json)
    who = patient(home, os.getcwd(), os.environ)
    screen = options.screen()
    findings: list[Check] = []
    for found in _examine(who, probing=not no_probe, screen=None if as_json else screen):
        findings.append(found)
        if not as_json:
            _show(screen, found)
            sys.stdout.flush()
    if as_json:
        from handrail.cli.answer import dump

        click.echo(dump({"ok": _well(findings), "checks": findings}))
    return 0 if _well(findings) else 1


def _examine(who: "Patient", *, probing: bool, screen: Screen | None) -> "Iterator[Check]":
    from handrail.cli import checks

    looks: tuple[Callable[[Patient], Iterator[Check]], ...] = (
        checks.check_log,
        checks.check_daemon,
        checks.check_port,
        checks.check_client,
        checks.check_claude,
        checks.check_hooks,
        checks.check_obstacles,
    )
    for look in looks:
        yield from look(who)
    if probing and who.claude is not None:
        if screen is not None and sys.stdout.isatty():
            screen.say(screen.paint("   asking Claude Code to run a forbidden command …", "dim"))
        yield _probe(who)


def _probe(who: "Patient") -> "Check":
    from handrail.cli.checks import Check
    from handrail.cli.probe import probe

    assert who.claude is not None
    found = probe(who.claude.path, who.folder, who.home, who.environ)
    if found.enforced:
        return Check("enforcement", "ok", f"{found.says} ({found.ms / 1000:.1f} s)")
    fix = "do what stands above; if all is well there, start Claude Code anew, and try again"
    return Check("enforcement", "bad", found.says, fix)


def _repair(home: "Home") -> Iterator[str]:
    """Everything that needs no decision of a person, and what was done."""
    from handrail import __version__
    from handrail.cli.repair import move_damaged_log
    from handrail.server.client import health
    from handrail.server.start import ensure_daemon, stop_daemon

    said = health(home)
    aside = move_damaged_log(home)
    if aside:
        yield f"the damaged log is kept as {aside}; a new one was begun"
    if said is not None and (aside or said.get("version") != __version__):
        stop_daemon(home)
        yield "the daemon was restarted"
    home.client()
    ensure_daemon(home)


def _well(findings: "list[Check]") -> bool:
    return all(found.mark != "bad" for found in findings)


def _show(screen: Screen, found: "Check") -> None:
    sign, style = _MARKS[found.mark]
    head = f" {screen.paint(sign, style)} {pad(found.name, _NAME - 2)}"
    for number, line in enumerate(wrap(found.says, screen.width - _NAME - 2)):
        screen.say((head if number == 0 else " " * (_NAME + 1)) + line)
    for number, line in enumerate(wrap(found.fix, screen.width - _NAME - 7) if found.fix else ()):
        lead = "fix: " if number == 0 else "     "
        screen.say(" " * (_NAME + 1) + screen.paint(lead, "bold") + line)
