"""The delay that hooks add to each call inside the real Claude Code."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from time import time

import msgspec
from benchmarks.measure import Spread, Table, milli
from benchmarks.nothing import on_port
from tests.claude.sandbox import CLAUDE, VERSION, ClaudeSandbox, FinishedSession
from tests.claude.supervised import supervised

from handrail.testing.model_server import Answer, Json, ModelRequest, Say, Step, ToolCall

Play = Callable[[Sequence[Step]], FinishedSession]
_BEFORE = "PreToolUse"
_HOOKED = (_BEFORE, "PostToolUse", "PostToolBatch")
"""The events of a call for which Handrail has hooks."""
_TRUE: Json = {"type": "command", "command": "/bin/true"}


class _Calls(msgspec.Struct, frozen=True):
    """The calls of a session, in seconds."""

    whole: Spread
    """From one request to the model to the next."""
    before: Spread
    """From a request to the model, which answers at once, until the tool runs."""


def claude_table(rounds: int, calls: int) -> Table:
    """Sessions of trivial calls, without hooks and with several kinds of them."""
    table = Table(
        "Inside Claude Code",
        ("hooks", "a call, p50", "p90", "added, p50", "before the call", "one `true` = 1"),
        note=f"Claude Code {VERSION}: from one request to the model to the next, with a call of "
        f"Bash (`date`) between them. {rounds} sessions of {calls} calls for each row, in turns; "
        "the one with the best p50 counts. *Before the call*: the part of the added time before "
        "the tool runs, so the delay by a verdict. A `true` hook is a program that does nothing, "
        "an http hook that does nothing a server saying `{}`: their cost is Claude Code's own. "
        "Handrail has hooks before a call, after it, and after each "
        "turn; one after another, so their times add up.",
    )
    if not CLAUDE.exists():
        table.note = "Not measured: Claude Code is not there; `scripts/setup claude` gets it."
        return table
    best: dict[str, _Calls] = {}
    for _ in range(rounds):
        for name, stage in _STAGES.items():
            with stage() as play:
                seen = _session(play, calls)
            best[name] = min(best.get(name, seen), seen, key=lambda each: each.whole.p50)
    none, true, *_ = best.values()
    for name, seen in best.items():
        added = seen.whole.p50 - none.whole.p50
        cells = (
            f"{added * 1000:+.1f} ms",
            f"{(seen.before.p50 - none.before.p50) * 1000:+.1f} ms",
            f"{added / (true.whole.p50 - none.whole.p50):.1f}",
        )
        table.add(name, milli(seen.whole.p50), milli(seen.whole.p90), *cells)
    return table


def _session(play: Play, calls: int) -> _Calls:
    """A session in which the model wants one call after the other."""
    asked: list[float] = []

    def next_call(request: ModelRequest) -> Answer:
        number = len(asked)
        asked.append(time())
        given = {"command": f"date +%s%N; : {number}", "description": "Say when it runs"}
        return ToolCall("Bash", given, id=f"call-{number}")

    session = play([*[next_call] * (calls + 1), Say("Done.")])
    results = session.tool_results()
    failed = [each.text for each in results.values() if each.is_error]
    if session.code or failed or len(asked) != calls + 1:
        raise RuntimeError(f"a session went wrong: {failed or session.err}")
    ran = [int(results[f"call-{number}"].text.split()[0]) / 1e9 for number in range(calls)]
    return _Calls(
        Spread.of(later - earlier for earlier, later in pairwise(asked)),
        Spread.of(began - wanted for wanted, began in zip(asked, ran, strict=False)),
    )


@contextmanager
def _plain(hook: Json, *events: str) -> Iterator[Play]:
    settings: Json = {"hooks": {event: [{"hooks": [hook]}] for event in events}}
    with ClaudeSandbox() as bed:
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
