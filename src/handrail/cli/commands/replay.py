"""`handrail replay`: what Handrail would have done in past sessions."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from handrail.cli import options, settle
from handrail.words.hosts import names_hosts

if TYPE_CHECKING:
    from handrail.cli.replays.past_reviews import PastReviews, ReviewedStep


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@options.scope_option
@options.config_option
@click.option("--all", "show_all", is_flag=True, help="List everything, not only the worst.")
@options.json_option("Print one JSON line for each step.")
@options.color_option
@names_hosts
def command(
    paths: tuple[str, ...],
    scope: tuple[str, ...],
    config_file: str | None,
    show_all: bool,
    as_json: bool,
) -> int:
    """Review every step of past sessions. Nothing is run, no file is looked at.

    Said is what would have been stopped or changed, what would have been found in
    a run (loops, drift from the goal …), and how Handrail would have intervened.

    PATH is a file or a folder that is searched for *.jsonl and *.jsonl.gz: $title
    transcripts, or traces with one run a line ({"run", "goal", "steps"}).

    \b
    Examples:
      handrail replay $recordings
      handrail replay runs.jsonl.gz --all
      handrail replay runs.jsonl.gz --json | grep '"block"'

    Settings come from --config, else from the folder of each session, if it is
    on this machine. Where they name no scope, it is the folder that the session
    was started for, with the git work tree around it.

    With --json: {"run": …, "step": 0, "decision": …, "findings": […],
    "interventions": […], …} for each step, counted from 0. Exit code: 0, or 2
    for an error.
    """
    from handrail.cli.replays.past_reviews import PastReviews
    from handrail.cli.replays.sessions import ReadingCount, find_files

    files = find_files([Path(path).expanduser() for path in paths])
    if not files:
        raise click.UsageError(f"there are no .jsonl files in {', '.join(paths)}")
    settle()
    past = PastReviews(config_file, options.absolute_scope(scope))
    tally = ReadingCount()
    if as_json:
        for judged in _judge(files, past, tally):
            sys.stdout.write(_json_line(judged))
        return 0
    from handrail.cli.replays.report import ReplayReport

    report = ReplayReport(tally, past)
    with report.progress(sum(file.stat().st_size for file in files)):
        for judged in _judge(files, past, tally):
            report.add(judged)
    report.show(options.screen(), show_all=show_all)
    return 0


def _judge(files: list[Path], past: "PastReviews", tally: object) -> "Iterable[ReviewedStep]":
    from handrail.cli.replays.sessions import ReadingCount, read_sessions

    assert isinstance(tally, ReadingCount)
    seen: set[str] = set()
    for file in files:
        for session in read_sessions(file, tally, seen):
            yield from past.judge(session)


def _json_line(judged: "ReviewedStep") -> str:
    from handrail.cli.output.review_json import refusal_json, review_json, to_json

    whole = review_json(judged.review) if judged.review else refusal_json(judged.problem)
    chosen = ("decision", "reasons", "risk", "severity", "alternative", "updated_input")
    line = {"run": judged.run, "step": judged.step, **{key: whole[key] for key in chosen}}
    noticed = judged.noticed
    line["findings"] = [
        {
            "kind": finding.kind,
            "severity": finding.severity.value,
            "confidence": round(finding.confidence, 2),
            "evidence": finding.evidence,
            "says": finding.says,
        }
        for finding in noticed.findings
    ]
    line["interventions"] = [
        {
            "kind": done.means,
            "finding": done.finding.kind,
            "score": round(done.score, 2),
            "escalation": done.escalation,
            "guidance": done.guidance,
        }
        for done in noticed.interventions
    ]
    return to_json(line).decode() + "\n"
