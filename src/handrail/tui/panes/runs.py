"""The list of runs: state, goal, iteration and cost."""

from collections.abc import Iterable
from typing import NamedTuple

from handrail.model.control import ENDING, FINAL, HOLDING, Standing
from handrail.tui.state.run_overview import NEEDS_YOU, NOT_DONE, UNREADABLE, RunOverview
from handrail.tui.text import Line, StyledSpan, clip, columns, flat, pad, width_of
from handrail.words.sentence import in_words
from handrail.words.times import duration_in_words

ONE_LINE = 60
"""From this width on, a run needs only one line."""
_NAME = 14
_SHORTEST = 9
_MODEL = 11


class StateStyle(NamedTuple):
    """The look of a state."""

    mark: str
    style: str
    counted: str = ""
    """The word in the top line, if it differs."""


LOOKS = {
    NEEDS_YOU: StateStyle("■", "red"),
    UNREADABLE: StateStyle("?", "red"),
    "working": StateStyle("●", "green"),
    "waiting": StateStyle("◆", "yellow"),
    "interrupted": StateStyle("‖", "yellow"),
    "quiet": StateStyle("◌", "yellow"),
    **{each.value: StateStyle("‖", "yellow") for each in Standing if each in HOLDING},
    **{each.value: StateStyle("■", "red") for each in Standing if each in ENDING - FINAL},
    **dict.fromkeys(("cancelled", "done", NOT_DONE), StateStyle("○", "dim", "ended")),
    "ended": StateStyle("○", "dim"),
}
_OVER = frozenset({"ended", "cancelled", "done", NOT_DONE})


def order_runs(runs: Iterable[RunOverview], now: float) -> list[RunOverview]:
    """Sort runs: those that need a person first, those that are over last, newest first."""

    def rank(run: RunOverview) -> tuple[int, float, str]:
        state = run.state(now)
        group = 0 if state == NEEDS_YOU else 2 if state in _OVER else 1
        return group, -run.started, run.id

    return sorted(runs, key=rank)


def count_by_state(runs: Iterable[RunOverview], now: float, width: int) -> Line:
    """Count the runs by state, most urgent first, as far as there is room."""
    found: dict[str, int] = {}
    for run in runs:
        state = run.state(now)
        word = LOOKS[state].counted or state
        found[word] = found.get(word, 0) + 1
    spans: list[StyledSpan] = []
    for word, look in LOOKS.items():
        if word in found:
            text = f"{look.mark} {word} {found[word]}"
            if width_of(spans) + columns(text) + 2 > width:
                break
            spans += [StyledSpan("  "), StyledSpan(text, look.style)]
    return tuple(spans[1:])


def run_lines(run: RunOverview, width: int, now: float, *, chosen: bool) -> list[Line]:
    """Return a run in one line, or in two if there is little room."""
    look = LOOKS[run.state(now)]
    head = (StyledSpan("▸" if chosen else " ", "bold"), StyledSpan(f"{look.mark} ", look.style))
    if width >= ONE_LINE:
        return [(*head, *_in_one(run, width - 3, now))]
    numbers = "".join(f"  {each}" for each in (_iteration(run), _cost(run)) if each)
    if columns(numbers) > width - 3 - _SHORTEST:
        numbers = ""
    name = pad(flat(run.name), max(width - 3 - columns(numbers), 0))
    first = (*head, StyledSpan(name, "bold" if chosen else ""), StyledSpan(numbers))
    return [first, (StyledSpan("   "), StyledSpan(clip(_second(run, now), width - 3), "dim"))]


def _in_one(run: RunOverview, width: int, now: float) -> Line:
    numbers = f"  {_iteration(run):<8} {pad(_model(run), _MODEL)} {_cost(run):>7}"
    name = pad(flat(run.name), _NAME) + " "
    room = max(width - columns(name) - columns(numbers), 0)
    return (StyledSpan(name), StyledSpan(pad(_subject(run, now), room), "dim"), StyledSpan(numbers))


def _second(run: RunOverview, now: float) -> str:
    if run.state(now) == "working":
        return " · ".join(filter(None, (_model(run), flat(run.goal)))) or "working"
    return standing_in_words(run, now)


def _subject(run: RunOverview, now: float) -> str:
    """Return the goal, or the reason why the run does not work on it."""
    if run.state(now) in ("working", "waiting", "ended", "done", NOT_DONE):
        return flat(run.goal) or standing_in_words(run, now)
    return standing_in_words(run, now)


def standing_in_words(run: RunOverview, now: float) -> str:
    """Describe the state of a run: since when, by whom and why."""
    state = run.state(now)
    if state == UNREADABLE:
        return flat(f"cannot be read: {run.problem}")
    if state == NEEDS_YOU:
        if run.incident:
            return flat(f"needs you: handrail incident show {run.incident}")
        keys = " (Y approves, N denies)" if run.approval else ""
        return flat(f"asks you: {run.wants}{keys}")
    if run.left:
        return flat(f"its driver is gone: handrail run --resume {run.name}")
    if state == NOT_DONE:
        return flat(f"{state} ({in_words(run.ending).lower()}): {run.goal}")
    if run.standing == Standing.RUNNING or state == "ended":
        quiet = now - run.changed
        ago = f" {duration_in_words(quiet)}" if quiet >= 60 and state != "working" else ""
        ago += " ago" if ago and state == "ended" else ""
        waits = " for a prompt" if state == "waiting" else ""
        goal = f": {run.goal}" if run.goal else ""
        return flat(f"{state}{waits}{ago}{goal}")
    by = f" by {run.by}" if run.by else ""
    reason = f": “{run.reason}”" if run.reason else ""
    return flat(f"{state}{by}, {duration_in_words(now - run.since)} ago{reason}")


def _iteration(run: RunOverview) -> str:
    if not run.driven:
        return ""
    return f"it {run.iteration}/{run.iterations}" if run.iterations else f"it {run.iteration}"


def _model(run: RunOverview) -> str:
    """Shorten a model name: `claude-sonnet-4-5-20250929` becomes `sonnet-4-5`."""
    name = flat(run.model).removeprefix("claude-")
    head, _, last = name.rpartition("-")
    return head if head and len(last) == len("20250929") and last.isdigit() else name


def _cost(run: RunOverview) -> str:
    return f"${run.cost:.2f}" if run.cost else ""
