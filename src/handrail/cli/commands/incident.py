"""`handrail incident`: what was stopped, why, and how it goes on."""

import os
import sys
from shlex import quote
from time import time
from typing import TYPE_CHECKING

import click
import msgspec

from handrail.cli import options
from handrail.cli.history.runs import LAST, find_home, read_log
from handrail.cli.output.json_line import json_line
from handrail.cli.output.terminal import TerminalOutput, clip, pad, visible, wrap
from handrail.intervene.incidents.folders import IncidentError, IncidentFolders, StoredIncident
from handrail.intervene.incidents.recovery import RECOVERIES, STRICT, Recovery, RecoveryOption
from handrail.intervene.incidents.report import report
from handrail.model.event import RolledBack
from handrail.model.intervention import Allowance
from handrail.words.amounts import count
from handrail.words.hosts import resume_command
from handrail.words.times import duration_in_words

if TYPE_CHECKING:
    from handrail.intervene.incidents.record import Incident

_NONE = "Nothing was ever stopped."
_COMMAND = " " * 6
"""How a line of a report begins that is to be copied."""
_PATIENCE = 60.0
"""Seconds for the daemon to do it: files may have to be put back."""
_LIMITS = (
    ("calls_per_minute", "{:,} calls a minute"),
    ("file_operations", "{:,} file changes"),
    ("command_seconds", "{:,} s for one command"),
    ("tokens", "{:,} tokens"),
)


class _IncidentDecision(msgspec.Struct, frozen=True):
    allowance: Allowance | None = None


class RecoveryResult(msgspec.Struct, frozen=True):
    """What the daemon says that it has done."""

    event: _IncidentDecision = _IncidentDecision()
    rolled_back: RolledBack | None = None


@click.group()
def command() -> None:
    """See what was stopped in an emergency, and decide how it goes on.

    \b
    Examples:
      handrail incident list
      handrail incident show last
      handrail incident resume last --option resume_with_limits
    """


@command.command("list", short_help="List the stops, the newest first.")
@options.json_option("Print JSON.")
@options.color_option
def list_(as_json: bool) -> int:
    """List the emergency stops, the newest first.

    How long they are kept is a setting: preserve_incident_data_days.

    \b
    Examples:
      handrail incident list
      handrail incident list --json | jq '.[] | select(.state == "open")'
    """
    kept = list(_incidents())
    if as_json:
        click.echo(json_line([_json(each) for each in kept]))
    else:
        _list(options.screen(), kept)
    return 0


@command.command(short_help="Show the report of a stop.")
@click.argument("name", default=LAST, metavar="[ID]")
@options.json_option("Print the whole record as JSON.")
@options.color_option
def show(name: str, as_json: bool) -> int:
    """Show the report of an emergency stop: timeline, impact, cause, ways on.

    ID is a name as in `handrail incident list`, a part of one (shop-3f2a), or
    `last`, which is the default.

    \b
    Examples:
      handrail incident show
      handrail incident show 2026-11-16-0214-shop-3f2a9c1e --json
    """
    incidents = _incidents()
    kept = _find(incidents, name)
    if as_json:
        click.echo(json_line({**_json(kept), **msgspec.to_builtins(kept.record)}))
        return 0
    screen = options.screen()
    try:
        text = incidents.report(kept.record.id)
    except IncidentError:
        text = report(kept.record)
    tell_report(screen, text)
    if kept.resolution is not None:
        tell_report(screen, f"Resolved: {_resolved(kept)}")
    return 0


def tell_report(screen: TerminalOutput, text: str) -> None:
    """Print a report, broken to the width; a command stays in one piece, to be copied."""
    for line in text.splitlines():
        if line.startswith(_COMMAND):
            screen.say(visible(line))
            continue
        style = "bold" if line.startswith("#") else ""
        lead = line[: len(line) - len(line.lstrip("- "))]
        first, *rest = wrap(line[len(lead) :], screen.width - len(lead))
        for piece in (f"{lead}{first}", *(f"{' ' * len(lead)}{each}" for each in rest)):
            screen.say(screen.paint(piece, style))


@command.command(short_help="Decide how a stopped run goes on.")
@click.argument("name", metavar="ID")
@click.option(
    "--option",
    type=click.Choice([option.value for option in RecoveryOption]),
    help="How it goes on.",
)
@click.option("--note", default="", metavar="TEXT", help="Why, for the record.")
@options.json_option("Print JSON.")
@options.color_option
def resume(name: str, option: str | None, note: str, as_json: bool) -> int:
    """Decide how a stopped run goes on.

    \b
      resume_with_limits   it goes on, within strict limits
      rollback_and_retry   the files go back to the last safe checkpoint first
      manual_approval      it goes on, and you approve what changes something
      abort                it stays stopped for good

    \b
    Examples:
      handrail incident resume last --option resume_with_limits
      handrail incident resume shop-3f2a --option abort --note 'wrong branch'

    Exit code: 0; 1 if the files could not be put back; 2 for an error.
    """
    from handrail.server.http.socket_client import DaemonError, call
    from handrail.server.launcher import ensure_daemon

    options.by_a_person()
    if option is None:
        raise click.UsageError(f"say how it goes on: --option {'|'.join(RecoveryOption)}")
    home = find_home()
    kept = _find(IncidentFolders(home.incidents), name)
    chosen = RECOVERIES[RecoveryOption(option)]
    _check(kept, chosen)
    record = kept.record
    try:
        ensure_daemon(home)
        path = f"/incidents/{record.id}"
        answer = call(home, "POST", path, {"option": option, "note": note}, timeout=_PATIENCE)
    except DaemonError as error:
        raise click.ClickException(str(error)) from None
    done = msgspec.convert(answer, RecoveryResult)
    following = next_command(record) if chosen.resumes else ""
    if as_json:
        told = {"id": record.id, "run": record.run, "option": option, "note": note}
        click.echo(json_line({**answer, **told, "next": following}))
    else:
        _tell(options.screen(), record, chosen, done, following)
    return 1 if done.rolled_back and done.rolled_back.problem else 0


def next_command(record: "Incident") -> str:
    """The command line that takes up the run again; empty where the host has none."""
    command = resume_command(record.host, quote(record.run))
    if not command:
        return ""
    return f"cd {quote(record.cwd)} && {command}" if record.cwd else command


def _incidents() -> IncidentFolders:
    return IncidentFolders(find_home().incidents)


def _find(incidents: IncidentFolders, typed: str) -> StoredIncident:
    """The incident that a person means; else an error that helps."""
    names = incidents.names()
    found = names[:1] if typed == LAST else [each for each in names if each == typed]
    found = found or [each for each in names if typed in each]
    if not found:
        if typed != LAST and (record := _in_log(typed)) is not None:
            return StoredIncident(record)
        known = f"there is no incident {typed!r}; see handrail incident list"
        raise click.ClickException(known if names else _NONE)
    if len(found) > 1:
        raise click.ClickException(f"{typed!r} may be any of: {', '.join(found)}")
    try:
        return incidents.read(found[0])
    except IncidentError as error:
        raise click.ClickException(str(error)) from None


def _in_log(incident: str) -> "Incident | None":
    """A stop whose folder could not be written, on a full disk for example."""
    from handrail.store.journal import Journal
    from handrail.supervise.stop_lookup import find_stop

    with read_log(find_home()) as store:
        return find_stop(Journal(store), incident)


def _check(kept: StoredIncident, chosen: Recovery) -> None:
    """What cannot be done is said before anything is."""
    if kept.resolution is not None:
        raise click.ClickException(f"{kept.record.id} is resolved already: {_resolved(kept)}")
    if chosen.rolls_back and kept.record.checkpoint is None:
        raise click.ClickException(
            "there is no checkpoint from before the trouble; choose another option"
        )


def _resolved(kept: StoredIncident) -> str:
    assert kept.resolution is not None
    ago = f"{kept.resolution.option}, {duration_in_words(time() - kept.resolution.at)} ago"
    return visible(f"{ago}: {kept.resolution.note}" if kept.resolution.note else ago)


def _run_name(record: "Incident") -> str:
    return f"{os.path.basename(record.cwd.rstrip('/')) or 'run'}-{record.run[:4]}"


def _list(screen: TerminalOutput, kept: list[StoredIncident]) -> None:
    if not kept:
        screen.say(f" {_NONE}")
        return
    width = max(len(each.record.id) for each in kept)
    for each in kept:
        record, finding = each.record, each.record.finding
        done = each.resolution
        state = f"resolved: {visible(done.option)}" if done else "open"
        mark = screen.paint("□", "dim") if done else screen.paint("■", "red")
        name = screen.paint(pad(record.id, width), "bold")
        age = screen.paint(f"{duration_in_words(time() - record.at)} ago", "dim")
        screen.say(f" {mark} {name}  {state}  {age}")
        says = f"{_run_name(record)}, {finding.kind}, {finding.severity}: {finding.says}"
        screen.say(f"   {clip(says, screen.width - 3)}")
    screen.say()
    screen.say(f" Read one: handrail incident show {kept[0].record.id}")


def _json(kept: StoredIncident) -> dict[str, object]:
    record, resolution = kept.record, kept.resolution
    return {
        "id": record.id,
        "run": record.run,
        "name": _run_name(record),
        "at": record.at,
        "kind": record.finding.kind,
        "severity": record.finding.severity,
        "says": record.finding.says,
        "state": "open" if resolution is None else "resolved",
        "resolution": resolution,
    }


def _tell(
    screen: TerminalOutput,
    record: "Incident",
    chosen: Recovery,
    done: RecoveryResult,
    following: str,
) -> None:
    for text in _consequences(record, chosen, done):
        for line in wrap(text, screen.width - 1):
            screen.say(f" {line}")
    if following:
        where = "Go on in its window, or here" if record.attended else "Next"
        screen.say(f" {where}:")
        sys.stdout.write(f"   {visible(following)}\n")  # in one piece, to be copied


def _consequences(record: "Incident", chosen: Recovery, done: RecoveryResult) -> list[str]:
    texts = [f"{_run_name(record)}: {chosen.says}"]
    if chosen.rolls_back:
        texts.append(_put_back(record, done.rolled_back))
    if chosen.limits:
        allowance = done.event.allowance or STRICT
        limits = [text.format(getattr(allowance, name)) for name, text in _LIMITS]
        texts.append(f"Limits: {', '.join(limits)}.")
    if not chosen.resumes:
        texts.append("Start a new session for the task.")
    return texts


def _put_back(record: "Incident", rolled_back: RolledBack | None) -> str:
    """What became of the files; only what was read back is said to be done."""
    if rolled_back is None:
        checkpoint = record.checkpoint
        name = checkpoint.id if checkpoint else "the checkpoint"
        return f"Whether the files are those of {name} is not known yet: handrail log {record.run}"
    if rolled_back.problem:
        return f"THE FILES WERE NOT PUT BACK: {rolled_back.problem}"
    files = count(len(rolled_back.files), "file")
    return f"{files} put back to checkpoint {rolled_back.checkpoint}, and compared with it."
