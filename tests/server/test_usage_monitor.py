"""The use of all runs is measured beside their hooks."""

import asyncio
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from handrail.checkpoint import ConversationPosition
from handrail.hosts.claude.host import HOST
from handrail.hosts.token_meter import TokenCount, TokenReading
from handrail.intervene.processes.process_tree import ProcessIdentity
from handrail.intervene.processes.tree_memory import TreeMemory
from handrail.model.event import (
    Event,
    IterationEnded,
    PromptGiven,
    RunEnded,
    RunStarted,
    UsageSampled,
)
from handrail.server import usage_monitor
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.server.usage_monitor import UsageMonitor, cost_of
from tests.supervise.supervision_setup import RUN, SupervisionSetup

PRICED = "prices: {'opus*': {input: 1.0, output: 2.0}}\n"


class MonitoredRun:
    """A run, its transcript, and the monitor."""

    def __init__(self, folder: Path, settings: str = "") -> None:
        self.setup = SupervisionSetup(folder)
        self.setup.settings(settings)
        self.transcript = folder / "s1.jsonl"
        self.supervision = SupervisionThread()
        self.memory: TreeMemory | None = None
        self.pid = 0
        self.record(RunStarted(self.now, "claude", str(self.setup.path)))
        self.record(PromptGiven(self.now, "Fix the cart."))
        self.restart()

    @property
    def now(self) -> float:
        return self.setup.clock()

    def restart(self) -> None:
        """The next daemon."""
        self.setup.restart()
        self.setup.run  # noqa: B018 - the run has news, so it is in memory
        self.monitor = UsageMonitor(
            self.supervision,
            self.setup.runs,
            {"claude": HOST},
            lambda host, run: ConversationPosition(host, run, transcript=str(self.transcript)),
            self.setup.clock,
            self.trees,
        )

    def trees(self, roots: Iterable[ProcessIdentity]) -> dict[int, TreeMemory]:
        list(roots)
        return {self.pid: self.memory} if self.memory else {}

    def record(self, event: Event) -> None:
        self.setup.run.record(event)

    def answer(self, tokens: int, model: str = "opus-5") -> None:
        said = {
            "id": f"m{os.path.getsize(self.transcript) if self.transcript.exists() else 0}",
            "model": model,
            "usage": {"input_tokens": tokens},
        }
        line = {"type": "assistant", "timestamp": "2027-06-01T00:00:00Z", "message": said}
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def look(self) -> list[UsageSampled]:
        """All samples after one more look."""
        asyncio.run(self.monitor.look())
        return [event for event in self.setup.events() if isinstance(event, UsageSampled)]


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MonitoredRun]:
    found = MonitoredRun(tmp_path, getattr(request, "param", ""))
    yield found
    found.supervision.close()


def test_new_answers_are_recorded_once(run: MonitoredRun) -> None:
    assert run.look() == []
    run.answer(32_000)
    run.answer(40_000)
    (sample,) = run.look()
    assert sample.tokens == 72_000
    assert sample.answers == (32_000, 40_000)
    assert len(run.look()) == 1
    run.answer(1_000)
    assert run.look()[-1].answers == (1_000,)
    assert run.setup.run.state.tokens == 73_000


@pytest.mark.parametrize("run", [PRICED], indirect=True)
def test_a_cost_is_known_if_every_model_has_a_price(run: MonitoredRun) -> None:
    run.answer(1_000_000)
    assert run.look()[-1].cost_usd == pytest.approx(1.0)
    assert run.setup.run.state.cost_usd == pytest.approx(1.0)
    run.answer(5, "other")
    assert run.look()[-1].unpriced == ("other",)
    assert run.setup.run.state.cost_usd is None


def test_the_next_daemon_counts_on(run: MonitoredRun) -> None:
    run.answer(32_000)
    run.look()
    run.restart()
    assert len(run.look()) == 1
    run.answer(40_000)
    sample = run.look()[-1]
    assert (sample.tokens, sample.answers) == (72_000, (40_000,))


def test_a_run_at_rest_is_looked_at_once(run: MonitoredRun) -> None:
    run.answer(1_000)
    run.record(IterationEnded(run.now))
    assert len(run.look()) == 1
    run.answer(2_000)
    assert len(run.look()) == 1
    run.record(PromptGiven(run.now, "Go on."))
    assert run.look()[-1].tokens == 3_000


def test_the_last_answer_of_an_ended_run_counts(run: MonitoredRun) -> None:
    run.look()
    run.answer(1_000)
    run.record(RunEnded(run.now))
    run.setup.runs.end(RUN)
    assert run.look()[-1].tokens == 1_000
    assert RUN not in run.setup.runs
    assert len(run.look()) == 1
    assert run.setup.loaded().phase == "ended"


def test_memory_is_recorded_when_it_changes(
    run: MonitoredRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.pid = os.getpid()
    monkeypatch.setattr(usage_monitor, "agent_of", lambda state: ProcessIdentity(run.pid, 1.0))
    run.record(RunStarted(run.now, "claude", str(run.setup.path), pid=run.pid))
    run.memory = TreeMemory(500.0, 120.0)
    (sample,) = run.look()
    assert (sample.memory_mb, sample.commands_mb) == (500.0, 120.0)
    run.memory = TreeMemory(520.0, 140.0)
    assert len(run.look()) == 1
    run.memory = TreeMemory(900.0, 520.0)
    assert run.look()[-1].commands_mb == 520.0
    run.memory = None
    assert run.look()[-1].memory_mb == 0.0
    assert run.setup.run.state.usage.peak_mb == 900.0


def test_a_host_without_records_is_not_measured(run: MonitoredRun) -> None:
    run.record(RunStarted(run.now, "python", str(run.setup.path)))
    run.answer(1_000)
    assert run.look() == []


def test_the_hosts_own_figure_comes_before_prices() -> None:
    reading = TokenReading({"opus": TokenCount(5)}, cost_usd=0.5)
    assert cost_of(reading, {}) == (0.5, ())
    assert cost_of(TokenReading({"opus": TokenCount(5)}), {}) == (0.0, ("opus",))
    assert cost_of(TokenReading(), {}) == (0.0, ())
