"""`handrail pipeline list` and `show`: the pipelines in the log."""

from collections.abc import Iterator
from time import time

import click

from handrail.api.messages.fleets import PipelineRow, PipelineStepRow
from handrail.api.rows.pipeline_rows import pipeline_row
from handrail.cli.history.runs import LAST, find_home, read_log
from handrail.cli.output.terminal import TerminalOutput, visible
from handrail.fleet.pipeline.recorded import read_pipelines
from handrail.fleet.pipeline.runner_process import may_live
from handrail.words.amounts import count, money
from handrail.words.sentence import joined
from handrail.words.times import duration_in_words

_SHORT = 8
"""Characters of an id that a list shows."""
_MOST_SOUGHT = 10_000
_HEADS = {
    "": ("✓", "green", "ok"),
    "step_failed": ("✗", "red", "failed"),
    "blocked_by_reviewer": ("✗", "red", "blocked"),
    "interrupted": ("✗", "yellow", "interrupted"),
}
_RUNNING = ("●", "green", "running")
_STEP_MARKS = {
    "ok": ("✓", "green"),
    "running": ("●", "green"),
    "failed": ("✗", "red"),
    "blocked_by_reviewer": ("✗", "red"),
    "interrupted": ("✗", "yellow"),
}
_OTHER_STEP = ("–", "dim")
_REVIEWED = ("allowed", "warned", "modified", "blocked_count")


def recorded_rows(limit: int) -> list[PipelineRow]:
    """Return the last pipelines in the log."""
    now = time()
    with read_log(find_home()) as store:
        found = read_pipelines(store, limit)
    return [pipeline_row(each, now, lives=may_live(each.begun)) for each in found]


def find_row(typed: str) -> PipelineRow:
    """Return the pipeline that the user means; a wrong name ends the command."""
    rows = recorded_rows(1 if typed == LAST else _MOST_SOUGHT)
    found = [row for row in rows if typed == LAST or row.id.startswith(typed)]
    if len(found) == 1:
        return found[0]
    what = f"several pipelines begin with {visible(typed)!r}" if found else _missing(typed)
    raise click.ClickException(f"{what}; see handrail pipeline list")


def show_list(screen: TerminalOutput, rows: list[PipelineRow]) -> None:
    """Print one line per pipeline."""
    if not rows:
        screen.paragraph("No pipeline has run yet. Start one: handrail pipeline run FILE")
    now = time()
    for row in rows:
        mark, style, word = _head(row)
        ago = duration_in_words(max(now - row.started, 0.0))
        name = screen.paint(visible(row.name), "bold")
        parts = (f"{word}", f"{ago} ago", _at(row), money(row.cost_usd) if row.cost_usd else "")
        says = " · ".join(filter(None, parts))
        screen.say(f" {screen.paint(mark, style)} {row.id[:_SHORT]}  {name}  {says}")


def show_row(screen: TerminalOutput, row: PipelineRow) -> None:
    """Print everything about one pipeline."""
    mark, style, word = _head(row)
    name = screen.paint(visible(row.name), "bold")
    screen.say(f" {screen.paint(mark, style)} {name}  {word}")
    screen.say()
    for label, text in _fields(row):
        screen.field(label, [text])
    screen.say()
    for step in row.steps:
        mark, style = _STEP_MARKS.get(step.status, _OTHER_STEP)
        screen.paragraph(_step_says(step), style, mark=screen.paint(mark, style))
        for run in step.runs:
            screen.say(screen.paint(f"   handrail log {run[:_SHORT]}", "dim"))
    for blocked in row.blocked:
        head = f"{blocked.step}: {blocked.tool} {blocked.says}".strip()
        screen.paragraph(visible(head), mark=screen.paint("✗", "red"))
        screen.paragraph(visible(blocked.reason), "dim", indent=3)


def _fields(row: PipelineRow) -> Iterator[tuple[str, str]]:
    counts = (f"{row.review[name]} {name.removesuffix('_count')}" for name in _REVIEWED
              if row.review[name])  # fmt: skip
    for label, text in (
        ("id", row.id),
        ("file", visible(row.file)),
        ("folder", visible(row.folder)),
        ("by", visible(row.by)),
        ("took", duration_in_words(row.seconds)),
        ("cost", money(row.cost_usd) if row.cost_usd else ""),
        ("reviews", joined(count(row.review["total"], "action"), ", ".join(counts))),
    ):
        if text:
            yield label, text


def _head(row: PipelineRow) -> tuple[str, str, str]:
    return _RUNNING if row.status == "running" else _HEADS[row.error]


def _at(row: PipelineRow) -> str:
    """Name the step that runs, or that decided it."""
    at_work = (each.name for each in row.steps if each.status in ("running", "interrupted"))
    name = row.failed_step or next(at_work, "")
    return f"at {visible(name)}" if name else ""


def _step_says(step: PipelineStepRow) -> str:
    parts = (
        f"{step.name}: {step.status.replace('_', ' ')}",
        step.says,
        f"{step.attempts} tries" if step.attempts > 1 else "",
        f"{step.seconds:.1f} s" if step.attempts else "",
    )
    return visible(" · ".join(filter(None, parts)))


def _missing(typed: str) -> str:
    if typed == LAST:
        return "no pipeline has run yet"
    return f"there is no pipeline {visible(typed)!r}"
