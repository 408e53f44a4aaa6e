"""`handrail replay`: show what Handrail would have done in past sessions."""

from collections.abc import Iterable
from pathlib import Path

import click

from handrail.cli import freeze_loaded_objects, options
from handrail.cli.output.json_line import print_json
from handrail.cli.output.review_json import refusal_json, review_json
from handrail.cli.replays.past_reviews import PastReviews, ReviewedStep
from handrail.cli.replays.report import ReplayReport
from handrail.cli.replays.sessions import ReadingCount, find_files, read_sessions
from handrail.words.hosts import names_hosts


@click.command()
@click.argument("paths", nargs=-1, metavar="PATH…")
@options.scope_option
@options.config_option
@click.option("--all", "show_all", is_flag=True, help="List everything, not only the worst.")
@options.json_option("Print one JSON line per step.")
@options.color_option
@names_hosts
def command(
    paths: tuple[str, ...],
    scope: tuple[str, ...],
    config_file: str | None,
    show_all: bool,
    as_json: bool,
) -> int:
    """Review every step of past sessions. Handrail runs nothing and reads no project files.

    You see what Handrail would have stopped or changed, what it would have found
    (loops, drift from the goal …), and how it would have intervened.

    PATH is a file, or a folder with *.jsonl and *.jsonl.gz files: $title
    transcripts, or traces with one run per line ({"run", "goal", "steps"}).

    \b
    Examples:
      handrail replay $recordings
      handrail replay runs.jsonl.gz --all
      handrail replay runs.jsonl.gz --json | grep '"block"'

    Handrail takes the settings from --config, or from the folder of each session if
    it exists on this machine. Without a scope in the settings, the scope is the
    folder in which the session started, with its git work tree.

    With --json, each step prints {"run": …, "step": 0, "decision": …, "findings":
    […], "interventions": […], …}. Steps count from 0.

    Exit code: 0; 2 for an error.
    """
    if not paths:
        raise click.UsageError("which sessions? For example: handrail replay runs.jsonl")
    files = find_files([Path(path).expanduser() for path in paths])
    if not files:
        raise click.UsageError(f"no .jsonl files in {', '.join(paths)}")
    freeze_loaded_objects()
    past = PastReviews(config_file, options.absolute_scope(scope))
    tally = ReadingCount()
    if as_json:
        for judged in _judge(files, past, tally):
            print_json(_step_json(judged))
        return 0
    report = ReplayReport(tally, past)
    with report.progress(sum(file.stat().st_size for file in files)):
        for judged in _judge(files, past, tally):
            report.add(judged)
    report.show(options.screen(), show_all=show_all)
    return 0


def _judge(files: list[Path], past: PastReviews, tally: object) -> Iterable[ReviewedStep]:
    assert isinstance(tally, ReadingCount)
    seen: set[str] = set()
    for file in files:
        for session in read_sessions(file, tally, seen):
            yield from past.judge(session)


def _step_json(judged: ReviewedStep) -> dict[str, object]:
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
    return line
