"""The delay that hooks add to each call inside the real Claude Code."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from time import perf_counter

from benchmarks.measure import Spread, Table, milli
from benchmarks.nothing import on_port
from tests.claude.bed import CLAUDE, VERSION, Bed, Session
from tests.claude.supervised import supervised

from handrail.testing.model_server import Answer, Call, Json, Request, Say, Step

Play = Callable[[Sequence[Step]], Session]
_BEFORE = "PreToolUse"
_HOOKED = (_BEFORE, "PostToolUse", "PostToolBatch")
"""The events of a call for which Handrail has hooks."""
_TRUE: Json = {"type": "command", "command": "/bin/true"}


def claude_table(rounds: int, calls: int) -> Table:
    """Sessions of trivial calls, without hooks and with several kinds of them."""
    table = Table(
        "Inside Claude Code",
        ("hooks", "a call, p50", "p90", "added, p50", "one `true` = 1"),
        note=f"Claude Code {VERSION}: from one request to the model to the next, with a call of "
        f"Bash (`true`) between them. {rounds} sessions of {calls} calls for each row, in turns; "
        "the one with the best p50 counts. A `true` hook is a program that does nothing, an http "
        "hook that does nothing a server that says `{}`: what these cost, Claude Code itself "
        "costs. Handrail has hooks before a call, after it, and after each turn.",
    )
    if not CLAUDE.exists():
        table.note = "Not measured: Claude Code is not there; `scripts/setup claude` gets it."
        return table
    best: dict[str, Spread] = {}
    for _ in range(rounds):
        for name, stage in _STAGES.items():
            with stage() as play:
                spread = Spread.of(_session(play, calls))
            best[name] = min(best.get(name, spread), spread, key=lambda each: each.p50)
    none, true, *_ = best.values()
    for name, spread in best.items():
        added = spread.p50 - none.p50
        cells = f"{added * 1000:+.1f} ms", f"{added / (true.p50 - none.p50):.1f}"
        table.add(name, milli(spread.p50), milli(spread.p90), *cells)
    return table


def _session(play: Play, calls: int) -> list[float]:
    """Seconds from each request to the model, which answers with a call, to its next one."""
    asked: list[float] = []

    def next_call(request: Request) -> Answer:
        asked.append(perf_counter())
        return Call("Bash", {"command": "true", "description": "Do nothing"})

    session = play([*[next_call] * (calls + 1), Say("Done.")])
    failed = [each.text for each in session.tool_results().values() if each.is_error]
    if session.code or failed or len(asked) != calls + 1:
        raise RuntimeError(f"a session went wrong: {failed or session.err}")
    return [later - earlier for earlier, later in pairwise(asked)]


@contextmanager
def _plain(hook: Json, *events: str) -> Iterator[Play]:
    settings: Json = {"hooks": {event: [{"hooks": [hook]}] for event in events}}
    with Bed() as bed:
        yield lambda script: bed.run("Go", script, settings)


@contextmanager
def _http(*events: str) -> Iterator[Play]:
    with on_port() as url, _plain({"type": "http", "url": url}, *events) as play:
        yield play


@contextmanager
def _handrail(handler: str) -> Iterator[Play]:
    with supervised("--handler", handler) as world:
        yield lambda script: world.run("Go", script)


_STAGES: dict[str, Callable[[], AbstractContextManager[Play]]] = {
    "none": lambda: _plain(_TRUE),
    "one `true`, before a call": lambda: _plain(_TRUE, _BEFORE),
    "`true` wherever Handrail has one": lambda: _plain(_TRUE, *_HOOKED),
    "http that does nothing, before a call": lambda: _http(_BEFORE),
    "http that does nothing wherever Handrail has one": lambda: _http(*_HOOKED),
    "**Handrail, http**": lambda: _handrail("http"),
    "**Handrail, command**": lambda: _handrail("command"),
}
