"""Drives an agent until it is done: ask the daemon, take a turn, verify, go on."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import NamedTuple, Protocol

import msgspec

from handrail.fleet import ends, prompts, usage
from handrail.fleet.beside import beside
from handrail.fleet.done import Mark, find_mark
from handrail.fleet.ends import End
from handrail.fleet.office import Begun, Go, Office, Report, ToBegin
from handrail.fleet.orders import Orders
from handrail.fleet.seat import Seat, Start
from handrail.fleet.turn import Watch, take_turn
from handrail.fleet.usage import Limits, Meter, Sample, Usage
from handrail.fleet.verify import Verification, verify
from handrail.hosts.driven import AgentGoneError, AgentSilentError, ModelError, Turn
from handrail.model.control import HOLDING, Standing

_log = logging.getLogger(__name__)

PAUSES = (5.0, 30.0)
"""Seconds before the agent is sent on again after one failure, and after two in a row."""
_MAX_FAILURES = len(PAUSES) + 1
_RESTART_AFTER = 2
"""Failures in a row after which an agent that still runs is started again."""

_STOPPED = frozenset({Standing.STOPPING, Standing.STOPPED})
_OVER = frozenset({Standing.CANCELLING, Standing.CANCELLED, Standing.DONE})


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is driven for."""

    goal: str
    cwd: str
    model: str = ""
    verify: str = ""
    """The command that has to pass; empty: the agent's word is enough."""
    limits: Limits = Limits()
    marks: dict[str, str] = {}
    """In the environment of the verify command, so that its processes count as the run's."""


class Verify(Protocol):
    """Runs the verify command."""

    async def __call__(self, command: str, cwd: str, *, marks: dict[str, str]) -> Verification:
        """What came of it."""


class Means(NamedTuple):
    """What a loop needs of the world around it."""

    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    sample: Callable[[int], Sample] = usage.sample
    verify: Verify = verify


WORLD = Means()


async def drive(task: Task, office: Office, start: Start, means: Means = WORLD) -> End:
    """Drive an agent to the end. Nothing is left running then, nor when this is cancelled."""
    begun = await office.begin(
        ToBegin(
            goal=task.goal,
            cwd=task.cwd,
            max=task.limits.max_iterations,
            model=task.model,
            verify=task.verify,
            driver=os.getpid(),
        )
    )
    async with Seat(start, task.model, resume=begun.iteration > 0) as seat:
        loop = _Loop(task, office, seat, begun, means)
        async with beside(loop.orders.hear()):
            end = await loop.go_round()
    if end is not ends.CANCELLED:
        await loop.report_usage()
        await office.report(
            Report(kind=end.how, reason=end.reason, says=end.says, iteration=loop.iteration)
        )
    return end


class _Loop:
    """The rounds of one loop. An iteration is over when the agent stops by itself."""

    def __init__(self, task: Task, office: Office, seat: Seat, begun: Begun, means: Means) -> None:
        self.orders = Orders(office, seat)
        # Nobody knows how far the agent came in the last one, so it is begun again.
        self.iteration = max(begun.iteration, 1)
        self._task = task
        self._office = office
        self._seat = seat
        self._means = means
        self._meter = Meter(_so_far(begun), means.clock)
        self._watch = Watch(
            self._meter, task.limits, means.sample, means.sleep, lambda: office.held
        )
        self._brief = prompts.Brief(task.goal, task.verify)
        self._verified: Verification | None = None
        self._failures: list[str] = []
        """In a row, without a good turn in between."""
        self._pause = 0.0
        """To be made before the next try."""

    async def go_round(self) -> End:
        """Until there is an end."""
        end: End | None = None
        while end is None:
            met = self._task.limits.met(self._meter.usage)
            if met and await self._when_not_held() == Standing.RUNNING:
                return ends.limit(met, self._verified)
            interrupts = self._seat.interrupts
            go = await self._office.may_begin(self.iteration)
            self._brief.note(go)
            if go.standing in _OVER:
                end = ends.CANCELLED
            elif go.standing in _STOPPED:
                end = await self._wait_for_start()
            elif go.standing == Standing.RUNNING:
                end = await self._go_on(go, interrupts)
        return end

    async def report_usage(self, model: str = "") -> None:
        """Tell what was used so far. `model`: the one that has answered."""
        used = self._meter.usage
        await self._office.report(
            Report(
                kind="usage",
                model=model,
                iteration=self.iteration,
                tokens=used.tokens,
                cost_usd=used.cost_usd,
                seconds=used.seconds,
                memory_mb=used.peak_mb,
            )
        )

    async def _wait_for_start(self) -> End | None:
        """The run was stopped: its agent may not run until somebody resumes it."""
        await self._seat.clear()
        # What has ended was ended on purpose: agent and verify command did not fail.
        self._failures.clear()
        self._pause = 0.0
        self._verified = None
        return None if await self.orders.started_again() else ends.CANCELLED

    async def _go_on(self, go: Go, interrupts: int) -> End | None:
        if len(self._failures) >= _MAX_FAILURES:
            return ends.error(len(self._failures), self._failures[-1])
        if self._pause:
            pause, self._pause = self._pause, 0.0
            await self._means.sleep(pause)
            return None  # much may have happened meanwhile
        await self._use_model(go.model)
        try:
            agent = await self._seat.fill()
        except (AgentGoneError, OSError) as error:
            await self._fail(str(error))
            return None
        await self.orders.answer_late()
        prompt = self._brief.prompt(agent, self._verified, resumed=self._seat.resumed)
        with self._meter.at_work():
            came = await take_turn(self._seat, agent, prompt, self._watch, interrupts=interrupts)
        if isinstance(came, Turn):
            # What was broken off may tell less than was seen.
            tokens = max(came.tokens, self._watch.tokens)
            self._meter.add(tokens=tokens, cost_usd=came.cost_usd)
            await self.report_usage(came.model)
            return await self._judge(came, asked=self._seat.interrupts != interrupts)
        if came is not None:
            self._meter.add(tokens=max(agent.tokens, self._watch.tokens))
            await self.report_usage()
            await self._seat.clear()
            await self._fail(str(came))
        return None

    async def _judge(self, turn: Turn, *, asked: bool) -> End | None:
        """What follows from a turn. `asked`: somebody wanted it to be interrupted."""
        wanted = turn.interrupted and asked
        if turn.problem and not wanted:
            await self._fail(turn.problem)
            return None
        if turn.interrupted and not wanted:
            await self._fail("the turn was broken off, and nobody had asked for it")
            return None
        self._failures.clear()
        self._verified = None
        self._brief.told(broken_off=turn.interrupted)
        if turn.interrupted:
            return None  # the same iteration goes on when the daemon lets it
        return await self._end_iteration(find_mark(turn.says))

    async def _end_iteration(self, mark: Mark | None) -> End | None:
        if mark is not None:
            standing = await self._when_not_held()
            if standing != Standing.RUNNING:
                return None  # whoever stopped it decides how it goes on
            if not mark.done and not self._brief.has_news:
                return ends.stuck(mark.why)
            if mark.done and not self._brief.has_news and await self._is_verified():
                return ends.complete(self._task.verify)
        self._meter.end_iteration(self.iteration)
        if self._task.limits.met(self._meter.usage) is None:
            self.iteration += 1
        return None

    async def _when_not_held(self) -> Standing:
        """How the run stands, once nobody holds it: what is paused does not end, either."""
        while True:
            go = await self._office.may_end(self.iteration)
            self._brief.note(go)
            if go.standing not in HOLDING:
                return go.standing

    async def _is_verified(self) -> bool:
        command = self._task.verify
        if not command:
            return True
        with self._meter.at_work():
            came = await self._means.verify(command, self._task.cwd, marks=self._task.marks)
        self._verified = came
        await self._office.report(
            Report(
                kind="verified",
                iteration=self.iteration,
                command=command,
                ok=came.ok,
                says=f"{came.how}\n{came.says}".strip(),
                ms=came.ms,
            )
        )
        return came.ok

    async def _fail(self, problem: str) -> None:
        """Note a failure: the iteration is tried again, unless it was the last time."""
        self._failures.append(problem)
        if len(self._failures) >= _RESTART_AFTER:
            await self._seat.clear()
        if len(self._failures) < _MAX_FAILURES:
            self._pause = PAUSES[len(self._failures) - 1]

    async def _use_model(self, model: str) -> None:
        """Somebody has changed the model, and perhaps another process has heard of it."""
        if model and model != self._seat.model:
            try:
                await self._seat.set_model(model)
            except (ModelError, AgentSilentError) as error:
                _log.warning("the agent goes on with its model: %s", error)


def _so_far(begun: Begun) -> Usage:
    return Usage(
        iterations=max(begun.iteration - 1, 0),
        tokens=begun.tokens,
        cost_usd=begun.cost_usd,
        seconds=begun.seconds,
        peak_mb=begun.memory_mb,
    )
