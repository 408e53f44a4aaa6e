"""The summary of a driven run: the result, the cost, and the next commands."""

from collections.abc import Iterable, Iterator
from math import ceil

from handrail.checkpoint.comparison import ChangedFile
from handrail.cli import options
from handrail.cli.driving.changed_files import changed_files
from handrail.cli.history.runs import KnownRun, read_log
from handrail.cli.output.changed_file_lines import changed_file_lines
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, visible
from handrail.cli.restores.preview_lines import folders_in_words
from handrail.drive.loop_end import LoopEnd
from handrail.drive.usage import LoopUsage, limits_of
from handrail.server.home import Home
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.state.loop_state import LoopState
from handrail.supervise.state.run_state import RunState
from handrail.words.amounts import count
from handrail.words.control import used_in_words

EXIT_CODES = {"COMPLETE": 0, "ERROR": 2}
"""Exit codes by the reason of the end; all others are 1: not done."""
_HEADS = {
    "COMPLETE": ("DONE", "green"),
    "MAX_ITERATIONS": ("NOT DONE", "yellow"),
    "LIMIT": ("NOT DONE", "yellow"),
    "STUCK": ("STUCK", "yellow"),
    "ERROR": ("FAILED", "red"),
    "USER_CANCELLED": ("CANCELLED", "red"),
}
_LABEL = "Next: "
_MAX_FILES = 10
_NOT_CERTAIN = "Handrail ended the agent but could not check whether a process is left."
_MORE = {
    "MAX_ITERATIONS": " --max-iterations {twice}",
    "LIMIT": "{higher}",
    "STUCK": ' "what it needs to know"',
    "ERROR": "",
}
"""The arguments that continue a run which is not done."""
_OPTIONS = {
    "max_cost_usd": "--max-cost",
    "max_tokens": "--max-tokens",
    "max_minutes": "--max-minutes",
    "max_memory_mb": "--max-memory",
}


def show_end(home: Home, known: KnownRun, end: LoopEnd, *, as_json: bool) -> None:
    """Print how the run ended."""
    state = _look(home, known)
    if as_json:
        print_json(_summary_json(known, state, end))
        return
    screen = options.screen()
    head, style = _HEADS[end.reason]
    screen.say(screen.paint(" " + "─" * (screen.width - 2), "dim"))
    verify = state.loop.verify if state.loop else ""
    says = f"verified: {verify}" if end.verified else end.says
    screen.paragraph(" ".join(f"{head} · {says}".split()), style, limit=4)
    _summary(screen, state)
    _show_files(screen, changed_files(state.cwd, known.id))
    _next(screen, _steps(known, state, end.reason))


def show_left(home: Home, known: KnownRun, *, as_json: bool, certain: bool) -> None:
    """Print how to continue a run that the user left. `certain`: no process is left."""
    state = _look(home, known)
    if as_json:
        print_json({**_summary_json(known, state, None), "stopped": certain})
        return
    screen = options.screen()
    if not certain:
        screen.paragraph(_NOT_CERTAIN, "red")
    _summary(screen, state)
    _show_files(screen, changed_files(state.cwd, known.id))
    _next(screen, [(f"handrail run --resume {known.name}", "continue it")])


def _look(home: Home, known: KnownRun) -> RunState:
    with read_log(home) as store:
        return read_state(store, known.id, [])


def _summary(screen: TerminalOutput, state: RunState) -> None:
    loop, decided = state.loop, state.usage.decided
    parts = [
        count(loop.iteration, "iteration") if loop else "",
        count(state.step, "action"),
        f"{decided['modify']} changed" if decided.get("modify") else "",
        f"{decided['block']} stopped" if decided.get("block") else "",
        *(used_in_words(loop.tokens, loop.cost_usd, loop.seconds) if loop else ()),
    ]
    screen.paragraph(" · ".join(filter(None, parts)))


def _show_files(screen: TerminalOutput, files: list[ChangedFile]) -> None:
    """Name the files that changed while the run worked."""
    if not files:
        return
    screen.say(f" {count(len(files), 'file')} changed since it began:")
    for line in changed_file_lines(screen, files[:_MAX_FILES]):
        screen.say(line)
    if rest := [each.path for each in files[_MAX_FILES:]]:
        more = f"   … and {len(rest):,} more {folders_in_words(rest)}"
        screen.say(screen.paint(clip(more, screen.width), "dim"))


def _steps(known: KnownRun, state: RunState, reason: str) -> Iterator[tuple[str, str]]:
    if reason in _MORE and state.loop is not None:
        more = _MORE[reason].format_map(_higher(state.loop))
        yield f"handrail run --resume {known.name}{more}", "continue it"
    yield f"handrail log {known.name}", "what it did"
    if state.step:
        yield f"handrail undo --task --run {known.name}", "undo all of it"


def _higher(loop: LoopState) -> dict[str, object]:
    """Return the arguments that let a loop do as much again: its limits stay with it."""
    usage = LoopUsage(
        tokens=loop.tokens,
        cost_usd=loop.cost_usd,
        seconds=loop.seconds,
        memory_mb=loop.memory_mb,
    )
    met = limits_of(loop).met(usage)
    option = _OPTIONS.get(met.limit, "") if met else ""
    higher = f" {option} {ceil(met.used + met.most)}" if met and option else ""
    return {"twice": 2 * loop.max, "higher": higher}


def _next(screen: TerminalOutput, steps: Iterable[tuple[str, str]]) -> None:
    listed = [(visible(line), says) for line, says in steps]
    width = max(len(line) for line, _ in listed)
    roomy = all(len(_LABEL) + width + 4 + len(says) <= screen.width for _, says in listed)
    for at, (line, says) in enumerate(listed):
        label = " " * len(_LABEL) if at else _LABEL
        more = f"{' ' * (width - len(line) + 3)}{screen.paint(says, 'dim')}" if roomy else ""
        screen.say(f" {label}{line}{more}")


def _summary_json(known: KnownRun, state: RunState, end: LoopEnd | None) -> dict[str, object]:
    loop = state.loop
    return {
        "run": known.id,
        "name": known.name,
        "done": end is not None and end.reason == "COMPLETE",
        "verified": end is not None and end.verified,
        "reason": end.reason if end else "LEFT",
        "says": end.says if end else "",
        "iterations": loop.iteration if loop else 0,
        "actions": state.step,
        "files": [each.path for each in changed_files(state.cwd, known.id)],
        "decisions": state.usage.decided,
        "tokens": loop.tokens if loop else 0,
        "cost_usd": loop.cost_usd if loop else 0.0,
        "seconds": loop.seconds if loop else 0.0,
    }
