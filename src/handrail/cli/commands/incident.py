"""`handrail incident`: read emergency stops, and decide what happens next."""

import os
import re
from time import time

import click
import msgspec

from handrail.api.messages.incidents import RecoveryAnswer, RecoveryOrder
from handrail.cli import options
from handrail.cli.daemon_request import ready_api
from handrail.cli.history.runs import LAST, find_home, read_log
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, pad, visible, wrap
from handrail.intervene.incidents.folders import IncidentError, IncidentFolders, StoredIncident
from handrail.intervene.incidents.record import Incident
from handrail.intervene.incidents.recovery import (
    NO_SAFE_CHECKPOINT,
    RECOVERIES,
    Recovery,
    RecoveryOption,
)
from handrail.intervene.incidents.report import incident_report
from handrail.model.near_names import did_you_mean
from handrail.store.journal import Journal
from handrail.supervise.state.stop_lookup import find_stop, stops_in
from handrail.words.recoveries import where_next
from handrail.words.run_signs import NEEDS_YOU, RUN_SIGNS
from handrail.words.times import duration_in_words

_NONE = "No emergency stops."
_OTHERS = "Runs that a person stopped: handrail status --all"
_ESCAPED = re.compile(r"(?P<code>(?P<fence>`+).*?(?P=fence))|\\(?P<sign>[\\`*_\[\]<>#|])")
"""Code, which stays as it is, or a sign that a report escapes for Markdown."""
_COMMAND = " " * 6
"""The indent of command lines in a report, which people copy."""


@click.group()
def command() -> None:
    """Read emergency stops and decide what happens next.

    \b
    Examples:
      handrail incident list
      handrail incident show last
      handrail incident resume last --option resume_with_limits
    """


@command.command("list", short_help="List the stops, newest first.")
@options.json_option("Print JSON.")
@options.color_option
def list_(as_json: bool) -> int:
    """List the emergency stops, newest first.

    Handrail keeps them for preserve_incident_data_days (a setting).

    \b
    Examples:
      handrail incident list
      handrail incident list --json | jq '.[] | select(.state == "open")'
    """
    kept = [*_only_in_log(), *_incidents()]
    if as_json:
        print_json([_json(each) for each in kept])
    else:
        _list(options.screen(), kept)
    return 0


@command.command(short_help="Show the report of a stop.")
@click.argument("name", default=LAST, metavar="[ID]")
@options.json_option("Print the whole record as JSON.")
@options.color_option
def show(name: str, as_json: bool) -> int:
    """Show the report of an emergency stop: timeline, impact, cause, options.

    ID is a name from `handrail incident list`, a part of one (shop-3f2a), or
    `last`, the default.

    \b
    Examples:
      handrail incident show
      handrail incident show 2026-11-16-0214-shop-3f2a9c1e --json
    """
    incidents = _incidents()
    kept = _find(incidents, name)
    if as_json:
        print_json({**_json(kept), **msgspec.to_builtins(kept.record)})
        return 0
    screen = options.screen()
    try:
        text = incidents.report(kept.record.id)
    except IncidentError:
        text = incident_report(kept.record)
    show_report(screen, text)
    if kept.resolution is not None:
        show_report(screen, f"Resolved: {_resolved(kept)}")
    return 0


def show_report(screen: TerminalOutput, text: str) -> None:
    """Print a report, wrapped to the width. Commands stay on one line, for copying."""
    for written in text.splitlines():
        if written.startswith(_COMMAND):
            screen.say(visible(written))
            continue
        line = _ESCAPED.sub(lambda found: found["code"] or found["sign"], written)
        style = "bold" if line.startswith("#") else ""
        lead = line[: len(line) - len(line.lstrip("- "))]
        first, *rest = wrap(line[len(lead) :], screen.width - len(lead))
        for piece in (f"{lead}{first}", *(f"{' ' * len(lead)}{each}" for each in rest)):
            screen.say(screen.paint(piece, style))


@command.command(short_help="Decide what a stopped run does next.")
@click.argument("name", metavar="ID")
@click.option(
    "--option",
    type=click.Choice([option.value for option in RecoveryOption]),
    help="What happens next; see above.",
)
@click.option("--note", default="", metavar="TEXT", help="For the agent and for the record.")
@options.json_option("Print JSON.")
@options.color_option
def resume(name: str, option: str | None, note: str, as_json: bool) -> int:
    """Decide what a stopped run does next.

    \b
      resume_with_limits   continue within strict limits, strictly watched
      rollback_and_retry   roll back to the last safe checkpoint, then the same
      manual_approval      continue; you approve every action that changes something
      abort                stop the run for good, and clean up what the report lists

    A run that Handrail drives continues in its `handrail run`. The agent is told
    the note.

    \b
    Examples:
      handrail incident resume last --option resume_with_limits
      handrail incident resume shop-3f2a --option abort --note 'wrong branch'

    Exit code: 0; 1 if the rollback failed; 2 for an error.
    """
    options.by_a_person()
    if option is None:
        raise click.UsageError(f"choose an option: --option {'|'.join(RecoveryOption)}")
    home = find_home()
    kept = _find(IncidentFolders(home.incidents), name)
    chosen = RECOVERIES[RecoveryOption(option)]
    _check(kept, chosen)
    record = kept.record
    with ready_api(home) as api:
        answer = api.recover(record.id, RecoveryOrder(option, note))
    if as_json:
        print_json(
            {
                "ok": not answer.problem,
                "id": record.id,
                "run": record.run,
                "option": option,
                "note": note,
                "says": answer.lines,
                "problem": answer.problem,
                "next": answer.next,
            }
        )
    else:
        _show_result(options.screen(), record, answer)
    return 1 if answer.problem else 0


def _incidents() -> IncidentFolders:
    return IncidentFolders(find_home().incidents)


def _find(incidents: IncidentFolders, typed: str) -> StoredIncident:
    """Find the incident that the user means."""
    names = incidents.names()
    found = names[:1] if typed == LAST else [each for each in names if each == typed]
    found = found or [each for each in names if typed in each]
    if not found:
        if typed != LAST and (record := _in_log(typed)) is not None:
            return StoredIncident(record)
        hint = did_you_mean(typed, names, "see handrail incident list")
        known = f"there is no incident {typed!r}; {hint}"
        raise click.ClickException(known if names else _NONE)
    if len(found) > 1:
        raise click.ClickException(f"{typed!r} matches several: {', '.join(found)}")
    try:
        return incidents.read(found[0])
    except IncidentError as error:
        raise click.ClickException(str(error)) from None


def _in_log(incident: str) -> Incident | None:
    """Find a stop in the log: its folder may be missing, for example after a full disk."""
    with read_log(find_home()) as store:
        return find_stop(Journal(store), incident)


def _only_in_log() -> list[StoredIncident]:
    """Find the stops whose folder is missing."""
    home = find_home()
    names = frozenset(IncidentFolders(home.incidents).names())
    with read_log(home) as store:
        missing = stops_in(Journal(store), lambda incident: incident not in names)
        return [StoredIncident(record) for record in missing]


def _check(kept: StoredIncident, chosen: Recovery) -> None:
    """Refuse an option that cannot work, before anything happens."""
    if kept.resolution is not None:
        raise click.ClickException(f"{kept.record.id} is already resolved: {_resolved(kept)}")
    if chosen.rolls_back and kept.record.checkpoint is None:
        raise click.ClickException(
            f"{NO_SAFE_CHECKPOINT}; choose another option, or see handrail checkpoints"
        )


def _resolved(kept: StoredIncident) -> str:
    assert kept.resolution is not None
    ago = f"{kept.resolution.option}, {duration_in_words(time() - kept.resolution.at)} ago"
    return visible(f"{ago}: {kept.resolution.note}" if kept.resolution.note else ago)


def _run_name(record: Incident) -> str:
    return f"{os.path.basename(record.cwd.rstrip('/')) or 'run'}-{record.run[:4]}"


def _list(screen: TerminalOutput, kept: list[StoredIncident]) -> None:
    if not kept:
        screen.say(f" {_NONE} {_OTHERS}")
        return
    width = max(len(each.record.id) for each in kept)
    for each in kept:
        record, finding = each.record, each.record.finding
        done = each.resolution
        state = f"resolved: {visible(done.option)}" if done else "open"
        mark = screen.paint(*(RUN_SIGNS["ended"] if done else RUN_SIGNS[NEEDS_YOU]))
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


def _show_result(screen: TerminalOutput, record: Incident, answer: RecoveryAnswer) -> None:
    for text in answer.lines:
        screen.paragraph(text)
    if answer.next:
        screen.say(f" {where_next(record)}:")
        screen.say(f"   {visible(answer.next)}")  # on one line, for copying
