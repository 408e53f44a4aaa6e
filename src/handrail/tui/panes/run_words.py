"""A run in words and signs: its group, its state, its goal, and what it has used."""

from collections.abc import Iterable

from handrail.model.control import Standing
from handrail.tui.text import Line, StyledSpan, columns, flat, width_of
from handrail.views.run_groups import GROUPS, group_of
from handrail.views.run_overview import RunOverview
from handrail.words.amounts import money, short_count
from handrail.words.run_signs import NEEDS_YOU, NOT_DONE, OVER, STUCK, UNREADABLE, WATCHING
from handrail.words.sentence import in_words
from handrail.words.times import duration_in_words

UNKNOWN = "–"
_BARS = "▁▂▃▄▅▆▇█"
_RISKY = ((0.7, "red"), (0.4, "yellow"), (0.0, "green"))
_WITH_GOAL = frozenset({"working", "waiting", "ended", "done"})


def count_by_group(runs: Iterable[RunOverview], now: float, width: int) -> Line:
    """Count the runs by group, most urgent first, as far as there is room."""
    numbers = dict.fromkeys(GROUPS, 0)
    for run in runs:
        numbers[group_of(run, now)] += 1
    spans: list[StyledSpan] = []
    for group, number in numbers.items():
        text = f"{group.mark} {group.title} {number}"
        if not number or width_of(spans) + columns(text) + 2 > width:
            continue
        spans += [StyledSpan("  "), StyledSpan(text, group.style)]
    return tuple(spans[1:])


def subject(run: RunOverview, now: float) -> str:
    """Return the goal, or the reason why the run does not work on it; of a watch what it saw."""
    state = run.state(now)
    if state == WATCHING and run.last_action:
        return flat(run.last_action)
    if state in _WITH_GOAL and run.goal:
        return flat(run.goal)
    return standing_in_words(run, now)


def standing_in_words(run: RunOverview, now: float) -> str:
    """Describe the state of a run: since when, by whom and why."""
    state = run.state(now)
    if state == UNREADABLE:
        return flat(f"cannot be read: {run.problem}")
    if state in (NEEDS_YOU, STUCK):
        return question_of(run)
    if run.left:
        return flat(f"its driver is gone: handrail run --resume {run.name}")
    if state == NOT_DONE:
        return flat(f"{state} ({in_words(run.ending).lower()}): {run.goal}")
    if run.standing == Standing.RUNNING or state == "ended":
        quiet = now - run.changed
        is_at_work = state in ("working", WATCHING)
        ago = f" {duration_in_words(quiet)}" if quiet >= 60 and not is_at_work else ""
        ago += " ago" if ago and state == "ended" else ""
        waits = " for a prompt" if state == "waiting" else ""
        goal = f": {run.goal}" if run.goal else ""
        return flat(f"{state}{waits}{ago}{goal}")
    by = f" by {run.by}" if run.by else ""
    reason = f": “{run.reason}”" if run.reason else ""
    return flat(f"{state}{by}, {duration_in_words(now - run.since)} ago{reason}")


def question_of(run: RunOverview) -> str:
    """Return what a run wants of a person, in one line."""
    return flat(run.need)


def iteration(run: RunOverview) -> str:
    """Return the iteration of a driven run."""
    if not run.driven:
        return ""
    return f"{run.iteration}/{run.iterations}" if run.iterations else f"{run.iteration}"


def model(run: RunOverview) -> str:
    """Shorten a model name: `claude-sonnet-4-5-20250929` becomes `sonnet-4-5`."""
    name = flat(run.model).removeprefix("claude-")
    head, _, last = name.rpartition("-")
    return head if head and len(last) == len("20250929") and last.isdigit() else name


def cost(run: RunOverview) -> str:
    """Return the cost; unknown is not nothing."""
    return money(run.cost) if run.cost else UNKNOWN


def tokens(run: RunOverview) -> str:
    """Return the number of tokens, short."""
    return short_count(run.tokens) if run.tokens else UNKNOWN


def age(run: RunOverview, now: float) -> str:
    """Return how long a run has lasted."""
    is_over = run.state(now) in OVER
    return duration_in_words((run.changed if is_over else now) - run.started)


def risk_line(run: RunOverview, width: int) -> Line:
    """Draw the risk of the last actions, the newest on the right."""
    return tuple(
        StyledSpan(
            _BARS[min(int(max(risk, 0.0) * len(_BARS)), len(_BARS) - 1)],
            next((style for least, style in _RISKY if risk >= least), ""),
        )
        for risk in run.risks[-width:]
    )
