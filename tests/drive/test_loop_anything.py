"""Whatever agent, daemon and verify command do: the loop keeps its promises."""

from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.drive.daemon_client import DriverReport, IterationPermission, LoopProgress
from handrail.drive.drive_task import DriveTask
from handrail.drive.loop_end import LoopEnd
from handrail.drive.usage import LoopLimits
from handrail.drive.verify import Verification
from handrail.hosts.driven_agent import AgentGoneError, AgentTurn
from handrail.model.control import Standing
from tests.drive.fakes import FAILED, PASSED, STOPPED, FakeAgent, LoopSetup

pytestmark = pytest.mark.slow

DONE = "All fine.\nTASK DONE"
BLOCKED = "TASK BLOCKED: no key"
WORDS = ["", "Next I will write the tests.", "```\nTASK DONE\n```", " TASK DONE", DONE, BLOCKED]

Order = Literal["interrupt", "big", "small", "odd", "start"]


class ScriptedTurn(msgspec.Struct, frozen=True):
    """What an agent does in a turn, and what a person does meanwhile."""

    says: str = ""
    ends: Literal["well", "problem", "gone", "broken off"] = "well"
    cost: float = 0.0
    orders: tuple[Order, ...] = ()


class Reply(msgspec.Struct, frozen=True):
    """What the daemon answers, and what a person does meanwhile."""

    standing: Standing = Standing.RUNNING
    orders: tuple[Order, ...] = ()
    model: str = ""


class Day(msgspec.Struct, frozen=True):
    """One loop."""

    deeds: tuple[ScriptedTurn, ...]
    replies: tuple[Reply, ...]
    starts: tuple[bool, ...]
    """Whether an agent can be started."""
    passes: tuple[bool, ...]
    verify: str
    limits: LoopLimits
    begun: int


ORDERS = st.lists(st.sampled_from(["interrupt", "big", "small", "odd", "start"]), max_size=2).map(
    tuple
)
DEEDS = st.builds(
    ScriptedTurn,
    st.sampled_from(WORDS),
    st.sampled_from(["well", "well", "well", "problem", "gone", "broken off"]),
    st.sampled_from([0.0, 0.3]),
    ORDERS,
)
STANDINGS = st.sampled_from([*[Standing.RUNNING] * 6, *Standing])
REPLIES = st.builds(Reply, STANDINGS, ORDERS, st.sampled_from(["", "", "big", "odd"]))
DAYS = st.builds(
    Day,
    st.lists(DEEDS, max_size=12).map(tuple),
    st.lists(REPLIES, max_size=12).map(tuple),
    st.lists(st.sampled_from([True, True, False]), max_size=8).map(tuple),
    st.lists(st.booleans(), max_size=8).map(tuple),
    st.sampled_from(["", "make test"]),
    st.builds(
        LoopLimits,
        max_iterations=st.integers(1, 5),
        max_cost_usd=st.sampled_from([0.0, 1.0]),
    ),
    st.sampled_from([0, 0, 1, 3]),
)


class LoopHistory:
    """A day that is lived through, and a log of what happened in which order."""

    def __init__(self, day: Day) -> None:
        self.day = day
        self.log: list[tuple[str, object]] = []
        self.world = LoopSetup(begun=LoopProgress(iteration=day.begun))
        self.world.script.extend([*map(self._step, day.deeds), *[self._step(ScriptedTurn())] * 50])
        self.world.office.answers.extend(map(self._reply, day.replies))
        self.world.verifications.extend(
            [PASSED if ok else FAILED for ok in day.passes] + [PASSED] * 50
        )
        gone = AgentGoneError(1, "no start")
        self.world.bad_starts.extend(None if ok else gone for ok in day.starts)
        self.world.office.on_answered = lambda go: self.log.append(("go", go.standing))
        self.world.on_turn = lambda: self.log.append(("turn", self.world.office.asked[-1]))
        self.world.on_verified = lambda came: self.log.append(("verified", came))

    def live(self) -> LoopEnd:
        task = DriveTask(
            goal="Fix it",
            cwd="/scratch",
            model="small",
            verify=self.day.verify,
            limits=self.day.limits,
        )
        return self.world.run(task)

    def _send(self, orders: tuple[Order, ...]) -> None:
        for order in orders:
            if order in ("interrupt", "start"):
                self.world.office.put(order)
            else:
                self.world.office.put("set_model", model=order)

    def _reply(self, reply: Reply) -> Callable[[], Awaitable[IterationPermission]]:
        async def answer() -> IterationPermission:
            self._send(reply.orders)
            if reply.standing in (Standing.STOPPING, Standing.STOPPED):
                self.world.office.put("start")
                self.world.bad_starts.clear()
                return STOPPED
            return IterationPermission(standing=reply.standing, model=reply.model)

        return answer

    def _step(self, deed: ScriptedTurn) -> Callable[[FakeAgent], Awaitable[AgentTurn]]:
        async def turn(agent: FakeAgent) -> AgentTurn:
            self._send(deed.orders)
            came = AgentTurn(says=deed.says, cost_usd=deed.cost)
            if "interrupt" in deed.orders:
                await agent.work_on()
                came = AgentTurn(says=deed.says, interrupted=True)
            elif deed.ends == "gone":
                agent.alive = False
                self.log.append(("ended", "gone"))
                raise AgentGoneError(1, "gone")
            elif deed.ends == "broken off":
                came = AgentTurn(says=deed.says, interrupted=True)
            elif deed.ends == "problem":
                came = AgentTurn(says=deed.says, problem="529")
            self.log.append(("ended", came))
            return came

        return turn


def counts(entry: tuple[str, object]) -> bool:
    """Whether that is the end of a turn in which the agent stopped by itself."""
    return isinstance(entry[1], AgentTurn) and not entry[1].interrupted and not entry[1].problem


@given(DAYS)
def test_iterations_only_grow_and_never_beyond_the_maximum(day: Day) -> None:
    story = LoopHistory(day)
    story.live()
    asked = story.world.office.asked
    most = day.limits.max_iterations
    assert all(then - now in (0, 1) for now, then in pairwise(asked))
    assert all(number <= most for number in asked)
    assert asked[:1] in ([], [max(day.begun, 1)])
    good = sum(map(counts, story.log))
    assert good <= max(most - max(day.begun - 1, 0), 0)


@given(DAYS)
def test_complete_means_said_and_verified(day: Day) -> None:
    story = LoopHistory(day)
    end = story.live()
    if end.reason != "COMPLETE":
        return
    last_turn = next(entry for kind, entry in reversed(story.log) if kind == "ended")
    assert isinstance(last_turn, AgentTurn)
    assert last_turn.says == DONE
    assert counts(("ended", last_turn))
    assert end.verified == bool(day.verify)
    if day.verify:
        kind, verification = story.log[-1]
        assert isinstance(verification, Verification)
        assert (kind, verification.ok) == ("verified", True)


@given(DAYS)
def test_one_end_is_reported_and_nothing_after_it(day: Day) -> None:
    story = LoopHistory(day)
    end = story.live()
    office = story.world.office
    told = office.of_kind("done", "abort")
    if end.reason == "USER_CANCELLED":
        assert told == []
    else:
        assert [(report.kind, report.reason) for report in told] == [(end.how, end.reason)]
        assert office.reports[-1] == told[0]


@given(DAYS)
def test_no_turn_begins_without_leave(day: Day) -> None:
    story = LoopHistory(day)
    story.live()
    for before, entry in pairwise(story.log):
        if entry[0] == "turn":
            assert before == ("go", Standing.RUNNING)
    assert all(kind != "turn" for kind, _ in story.log[:1])


@given(DAYS)
def test_an_error_takes_three_failures_in_a_row(day: Day) -> None:
    story = LoopHistory(day)
    end = story.live()
    if end.reason == "ERROR":
        assert "3 times in a row" in end.says
        assert len(story.world.time.pauses) >= 2
    assert end.reason != "ERROR" or not counts(story.log[-2])


@given(DAYS)
def test_each_order_is_answered_once_and_what_was_used_only_grows(day: Day) -> None:
    story = LoopHistory(day)
    story.live()
    office = story.world.office
    answered = [report.request for report in office.of_kind("order")]
    assert len(answered) == len(set(answered))
    usage = office.of_kind("usage")
    for now, then in pairwise(usage):
        assert then.tokens >= now.tokens
        assert then.cost_usd >= now.cost_usd
        assert then.seconds >= now.seconds


@given(DAYS)
def test_a_new_process_has_the_model_that_was_confirmed_last(day: Day) -> None:
    replies = tuple(Reply(reply.standing, reply.orders) for reply in day.replies)
    story = LoopHistory(msgspec.structs.replace(day, replies=replies))
    confirmed = ["small"]
    started: list[tuple[str, int]] = []

    def note(report: DriverReport) -> None:
        if report.kind == "order" and report.ok and report.model:
            confirmed.append(report.model)

    story.world.office.on_report = note
    story.world.on_start = lambda model: started.append((model, len(confirmed)))
    story.live()
    for model, known in started:
        under_way = confirmed[known : known + 1]
        assert model in (confirmed[known - 1], *under_way)
