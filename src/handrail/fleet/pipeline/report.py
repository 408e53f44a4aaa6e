"""The result of a pipeline in plain words, line by line."""

from collections.abc import Iterator
from typing import NamedTuple

from handrail.fleet.pipeline.result import (
    BlockedAction,
    PipelineResult,
    ReviewSummary,
    StepResult,
    StepStatus,
)

MARKS = {
    StepStatus.OK: ("✓", "green"),
    StepStatus.FAILED: ("✗", "red"),
    StepStatus.BLOCKED: ("✗", "red"),
    StepStatus.SKIPPED: ("–", "dim"),
    StepStatus.INTERRUPTED: ("✗", "red"),
}
_HEADS = {
    "": ("OK", "green"),
    "step_failed": ("FAILED", "red"),
    "blocked_by_reviewer": ("BLOCKED", "red"),
    "interrupted": ("INTERRUPTED", "yellow"),
}
_DECISIONS = (
    ("allowed", "allowed"),
    ("warned", "allowed with a warning"),
    ("modified", "changed"),
    ("blocked_count", "blocked"),
)


_PASSED = "exit code 0"


class ReportLine(NamedTuple):
    """One line for people."""

    text: str
    style: str = ""
    mark: str = ""
    indent: int = 1


def step_line(step: StepResult) -> ReportLine:
    """Return the line about one step."""
    mark, style = MARKS[step.status]
    parts = [
        f"{step.name}: {step.status.value.replace('_', ' ')}",
        step.says if step.says != _PASSED else "",
        f"{step.attempts} tries" if step.attempts > 1 else "",
        f"{step.seconds:.1f} s" if step.attempts else "",
        "the pipeline goes on" if step.continued else "",
    ]
    return ReportLine(" · ".join(filter(None, parts)), style, mark)


def report_lines(result: PipelineResult) -> Iterator[ReportLine]:
    """Return the report about a pipeline that is over."""
    head, style = _HEADS[result.error]
    at = f" at {result.failed_step}" if result.failed_step else ""
    cost = f" · ${result.cost_usd:.2f}" if result.cost_usd else ""
    steps = f"{len(result.steps)} step{'s' if len(result.steps) != 1 else ''}"
    text = f"{head}{at} · {result.pipeline} · {steps} · {result.seconds:.1f} s{cost}"
    yield ReportLine(text, style)
    yield ReportLine(_reviews(result.review_summary))
    for blocked in result.blocked_actions:
        yield from _blocked(blocked)
    if result.withheld:
        keys = ", ".join(result.withheld)
        yield ReportLine(
            f"safety: loosens {keys}, and nobody has confirmed that: the stricter settings were "
            "in force. See it and decide: handrail pipeline trust FILE",
            "yellow",
            "!",
        )


def _reviews(summary: ReviewSummary) -> str:
    if not summary.total:
        return "No action was reviewed."
    counts = [
        f"{number} {words}" for name, words in _DECISIONS if (number := getattr(summary, name))
    ]
    actions = "action" if summary.total == 1 else "actions"
    return f"{summary.total} {actions} reviewed: {', '.join(counts)}"


def _blocked(blocked: BlockedAction) -> Iterator[ReportLine]:
    given = blocked.input
    subject = str(given.get("command") or given.get("file_path") or "")
    yield ReportLine(f"{blocked.step}: {blocked.tool} {subject}".strip(), "", "✗")
    instead = f" {blocked.alternative}" if blocked.alternative else ""
    yield ReportLine(f"{blocked.reason}{instead}", "dim", indent=3)
