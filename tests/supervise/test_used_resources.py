"""What a run uses is found, throttled and limited, and its trouble makes reviews stricter."""

import subprocess
import sys
from pathlib import Path

import pytest

from handrail.model.event import ActionReviewed, FindingMade, IterationEnded, UsageSampled
from handrail.model.finding import Finding
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Decision, Severity
from handrail.model.review import Verdict
from tests.supervise.simulated_run import SimulatedRun


class MeasuredDay(SimulatedRun):
    """A run whose use is measured between its steps."""

    tokens = 0

    def sample(self, tokens: int = 0, memory_mb: float = 0.0) -> None:
        """A measurement: one more answer, and the memory of its commands."""
        self.tokens += tokens
        answers = (tokens,) if tokens else ()
        event = UsageSampled(
            self.bed.clock(),
            self.tokens,
            answers=answers,
            memory_mb=300 + memory_mb,
            commands_mb=memory_mb,
        )
        self.record(event)

    def look(self) -> Verdict:
        """Something new is read."""
        step = self.run.state.step
        path = self.bed.path / f"m{step}.py"
        return self.do("Read", {"file_path": str(path)}, f"x = {step}")

    @property
    def found(self) -> list[Finding]:
        return [each.finding for each in self.bed.events() if isinstance(each, FindingMade)]


@pytest.fixture
def day(tmp_path: Path) -> MeasuredDay:
    return MeasuredDay(tmp_path)


def spiral(day: MeasuredDay) -> None:
    for tokens in (32_000, 68_000, 147_000, 315_000, 678_000):
        day.sample(tokens)
        day.look()


# Tokens


def test_tokens_that_grow_from_answer_to_answer_are_found(day: MeasuredDay) -> None:
    spiral(day)
    found = day.found[0]
    assert (found.kind, found.facts["series"]) == ("resource_spiral", "tokens")
    assert found.evidence == (1, 2, 3, 4)
    assert day.means


def test_a_conversation_that_grows_as_usual_is_not_found(day: MeasuredDay) -> None:
    for number in range(40):
        day.sample(20_000 + number * 6_000)
        day.look()
    assert day.found == []


def test_what_was_measured_survives_a_restart(day: MeasuredDay) -> None:
    spiral(day)
    before = day.run.state
    day.restart()
    after = day.run.state
    assert after.usage == before.usage
    assert after.course.measured == before.course.measured
    assert day.bed.folded() == day.bed.loaded()


def throttle(day: MeasuredDay) -> str:
    """Let it grow until it is throttled; return the notice."""
    tokens = 32_000
    for _ in range(12):
        day.sample(tokens)
        day.look()
        tokens = int(tokens * 2.2)
        done = [each for each in day.made if each.means == InterventionName.RESOURCE_THROTTLING]
        if done:
            return done[0].guidance
    raise AssertionError("it was never throttled")


def test_the_notice_names_the_limits_and_the_next_call_keeps_them(day: MeasuredDay) -> None:
    notice = throttle(day)
    allowance = day.run.state.course.allowance
    assert allowance is not None
    assert f"{allowance.tokens:,} more tokens" in notice
    assert day.look().decision is not Decision.BLOCK
    day.sample(allowance.tokens)
    refused = day.look()
    assert refused.decision is Decision.BLOCK
    assert f"the {allowance.tokens:,} tokens" in refused.reason
    day.record(IterationEnded(day.bed.clock(), "I stop."))
    day.prompt("Go on with the cart, but read less.")
    assert day.look().decision is not Decision.BLOCK


# Memory


def grow(day: MeasuredDay) -> None:
    for memory in (66, 150, 340, 780, 1_700, 3_800):
        for number in range(5):
            day.sample(memory_mb=memory)
            day.bash(f"make part{number}-{memory}", output=f"{number} {memory}")


def test_memory_that_grows_is_found_and_put_on_the_next_command(day: MeasuredDay) -> None:
    grow(day)
    assert {each.facts.get("series") for each in day.found} == {"memory"}
    done = [each for each in day.made if each.means == InterventionName.RESOURCE_THROTTLING]
    allowance = done[-1].allowance
    assert allowance is not None
    assert f"{allowance.memory_mb:,} MB of memory" in done[-1].guidance
    _, verdict = day.start("Bash", {"command": "make all # done"})
    assert verdict.decision is Decision.MODIFY
    assert verdict.updated_input == {
        "command": f"ulimit -d {allowance.memory_mb * 1024} 2>/dev/null\nmake all # done"
    }
    assert f"{allowance.memory_mb:,} MB" in verdict.changes[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
def test_a_throttled_command_cannot_use_more_memory(day: MeasuredDay) -> None:
    grow(day)
    allowance = day.run.state.course.allowance
    assert allowance is not None
    taking = f"{sys.executable} -c 'x = bytearray({allowance.memory_mb * 1_500_000})'"
    _, verdict = day.start("Bash", {"command": f"{taking}; echo $?"})
    assert verdict.updated_input is not None
    free, bound = (run(command) for command in (taking, verdict.updated_input["command"]))
    assert free.returncode == 0, free.stderr
    assert "MemoryError" in bound.stderr
    assert bound.stdout == "1\n"


def run(command: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["bash", "-c", str(command)], capture_output=True, text=True, check=False)


# Limits


def limited(day: MeasuredDay, text: str) -> None:
    day.bed.settings(f"limits: {{{text}}}\n")
    day.restart()


@pytest.mark.parametrize(
    ("limit", "cost", "said"),
    [
        ("tokens: 50_000", 0.0, "limits.tokens"),
        ("cost_usd: 0.5", 0.6, "$0.60 of $0.50"),
        ("cost_usd: 0.5", 0.4, ""),
        ("cost_usd: 0.5", 0.0, ""),
        ("tokens: 70_000", 9.0, ""),
    ],
)
def test_a_limit_holds_from_the_next_call_on_and_an_unknown_cost_limits_nothing(
    day: MeasuredDay, limit: str, cost: float, said: str
) -> None:
    limited(day, limit)
    assert day.look().decision is Decision.ALLOW
    day.record(UsageSampled(day.bed.clock(), 60_000, cost))
    refused = day.look()
    assert (refused.decision is Decision.BLOCK) is bool(said)
    assert said in refused.reason


def test_over_its_memory_a_run_may_only_read_and_end_processes(day: MeasuredDay) -> None:
    limited(day, "memory_mb: 1000")
    day.sample(memory_mb=900)
    refused = day.bash("make all")
    assert refused.decision is Decision.BLOCK
    assert "1,200 of 1,000 MB" in refused.reason
    assert day.look().decision is Decision.ALLOW
    assert day.bash("kill 12345").decision is not Decision.BLOCK
    day.sample(memory_mb=100)
    assert day.bash("make all").decision is not Decision.BLOCK


def test_without_limits_nothing_is_refused(day: MeasuredDay) -> None:
    day.record(UsageSampled(day.bed.clock(), 10**9, 10**6, memory_mb=10**6))
    assert day.look().decision is Decision.ALLOW


# What is found makes reviews stricter


def risks(day: MeasuredDay) -> list[tuple[str, ...]]:
    reviewed = [each for each in day.bed.events() if isinstance(each, ActionReviewed)]
    return [tuple(factor.name for factor in each.review.risk.factors) for each in reviewed]


def test_a_finding_raises_the_risk_of_the_next_change(day: MeasuredDay) -> None:
    day.edit("cart.py", 1)
    finding = Finding("loop", Severity.MEDIUM, 0.9, (1,), says="It goes in circles.", symptom="x")
    day.record(FindingMade(day.bed.clock(), 1, finding))
    day.edit("cart.py", 2)
    day.look()
    before, after, reading = risks(day)
    assert after == (*before, "the run is in trouble (loop)")
    assert "the run is in trouble (loop)" not in reading


def test_a_warning_becomes_stricter_in_a_run_that_gets_worse(day: MeasuredDay) -> None:
    for _ in range(3):
        day.bash("pytest -q", error="Exit code 1\nE   assert 1 == 2")
    warned = day.start("Bash", {"command": "pytest -q"})[1]
    finding = Finding("stall", Severity.HIGH, 0.9, (1,), says="It gets worse.", symptom="x")
    day.record(FindingMade(day.bed.clock(), 3, finding))
    again = day.start("Bash", {"command": "pytest -q"})[1]
    reviewed = [each for each in day.bed.events() if isinstance(each, ActionReviewed)]
    assert warned.decision is again.decision is Decision.WARN
    assert not reviewed[-2].review.checkpoint_first
    assert reviewed[-1].review.checkpoint_first
    assert any("It gets worse." in reason for reason in reviewed[-1].review.reasons)
    assert day.look().decision is Decision.ALLOW


def test_what_no_checkpoint_can_undo_is_refused_in_a_run_that_gets_worse(
    day: MeasuredDay,
) -> None:
    send = "curl -X POST -d @report.json https://shop.example/api"
    for _ in range(2):
        day.bash(send, error="Exit code 22\nerror 403")
    warned = day.start("Bash", {"command": send})[1]
    finding = Finding("stall", Severity.HIGH, 0.9, (1,), says="It gets worse.", symptom="x")
    day.record(FindingMade(day.bed.clock(), 2, finding))
    refused = day.start("Bash", {"command": send})[1]
    assert warned.decision is Decision.WARN
    assert refused.decision is Decision.BLOCK
    assert "It gets worse." in refused.reason
    assert refused.alternative
    assert refused.overrulable


# The goal


class ShortGoal(MeasuredDay):
    """A run with a goal of two words."""

    def prompt(self, text: str) -> None:
        super().prompt("Fix the login bug.")

    def write(self, path: str) -> None:
        self.do("Write", {"file_path": str(self.bed.path / path), "content": "x"}, "Written.")


def test_drift_from_a_short_goal_is_found(tmp_path: Path) -> None:
    day = ShortGoal(tmp_path)
    for number in range(10):
        day.write(f"auth/login_{number}.py")
    for number in range(10):
        day.write(f"theme/color{number}.css")
    assert [each.kind for each in day.found] == ["goal_drift"]
    assert day.found[0].severity is Severity.MEDIUM


def test_a_short_goal_that_is_kept_is_no_drift(tmp_path: Path) -> None:
    day = ShortGoal(tmp_path)
    for number in range(30):
        day.write(f"{'tests' if number % 2 else 'auth'}/login_{number}.py")
    assert day.found == []
