"""`handrail doctor`: prove that the host obeys a refusal."""

import os
import sys
from collections.abc import Callable, Iterator

import click

from handrail import __version__
from handrail.cli import options
from handrail.cli.diagnosis import checks
from handrail.cli.diagnosis.checks import ExaminedSetup, find_setup
from handrail.cli.diagnosis.live_probe import probe
from handrail.cli.diagnosis.repair import move_damaged_log
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, pad, wrap
from handrail.hosts.port import DoctorCheck, HostAdapter
from handrail.server.home import Home, open_home
from handrail.server.http.socket_client import daemon_health
from handrail.server.launcher import ensure_daemon, stop_daemon
from handrail.words.hosts import names_hosts, with_hosts

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "bad": ("✗", "red")}
_NAME = 15


@click.command()
@click.option("--fix", is_flag=True, help="Repair everything that needs no decision from you.")
@click.option("--no-probe", is_flag=True, help=with_hosts("Do not start $title."))
@options.json_option("Print JSON.")
@options.color_option
@names_hosts
def command(fix: bool, no_probe: bool, as_json: bool) -> int:
    """Prove that $title obeys Handrail in this folder, with your settings.

    Handrail starts $title with a scripted model on this machine: no account, no
    network, no cost. The model asks for a forbidden command, and Handrail checks
    that the command did not run.

    \b
    Examples:
      handrail doctor               in the project you want to protect
      handrail doctor --fix         after a crash or an upgrade

    Exit code: 0 if refusals are enforced; 1 if something is wrong; 2 for an error.
    """
    home = open_home(os.environ)
    if fix:
        options.by_a_person()
        for did in _repair(home):
            click.echo(f" · {did}", err=as_json)
    setup = find_setup(home, os.getcwd(), os.environ)
    screen = options.screen()
    findings: list[DoctorCheck] = []
    for found in _run_checks(setup, probing=not no_probe, screen=None if as_json else screen):
        findings.append(found)
        if not as_json:
            _show(screen, found)
            sys.stdout.flush()
    if as_json:
        print_json({"ok": _well(findings), "checks": findings})
    return 0 if _well(findings) else 1


def _run_checks(
    who: ExaminedSetup, *, probing: bool, screen: TerminalOutput | None
) -> Iterator[DoctorCheck]:
    looks: tuple[Callable[[ExaminedSetup], Iterator[DoctorCheck]], ...] = (
        checks.check_log,
        checks.check_daemon,
        checks.check_guardian,
        checks.check_units,
        checks.check_port,
        checks.check_client,
        checks.check_packages,
        checks.check_settings,
        checks.check_hosts,
        checks.check_notices,
    )
    for look in looks:
        yield from look(who)
    for host, program in who.hosts if probing else ():
        if program is None:
            continue
        if screen is not None and sys.stdout.isatty():
            text = f"   asking {host.profile.title} to run a forbidden command …"
            screen.say(screen.paint(text, "dim"))
        yield _probe(who, host, program.path)


def _probe(who: ExaminedSetup, host: HostAdapter, program: str) -> DoctorCheck:
    found = probe(host, program, who.folder, who.home, who.environ)
    if found.enforced:
        return DoctorCheck("enforcement", "ok", f"{found.says} ({found.ms / 1000:.1f} s)")
    title = host.profile.title
    fix = f"fix the problems above; if there are none, restart {title} and try again"
    return DoctorCheck("enforcement", "bad", found.says, fix)


def _repair(home: Home) -> Iterator[str]:
    """Repair everything that needs no decision, and report each repair."""
    said = daemon_health(home)
    aside = move_damaged_log(home)
    if aside:
        yield f"moved the damaged log to {aside} and started a new one"
    if said is not None and (aside or said.get("version") != __version__):
        stop_daemon(home)
        yield "restarted the daemon"
    home.client()
    ensure_daemon(home)


def _well(findings: list[DoctorCheck]) -> bool:
    return all(found.mark != "bad" for found in findings)


def _show(screen: TerminalOutput, found: DoctorCheck) -> None:
    sign, style = _MARKS[found.mark]
    head = f" {screen.paint(sign, style)} {pad(found.name, _NAME - 2)}"
    for number, line in enumerate(wrap(found.says, screen.width - _NAME - 2)):
        screen.say((head if number == 0 else " " * (_NAME + 1)) + line)
    for number, line in enumerate(wrap(found.fix, screen.width - _NAME - 7) if found.fix else ()):
        lead = "fix: " if number == 0 else "     "
        screen.say(" " * (_NAME + 1) + screen.paint(lead, "bold") + line)
