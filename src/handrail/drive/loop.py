"""Drive an agent until it is done: ask the daemon, take a turn, verify, repeat."""

import asyncio
import logging
import os
import random
import time
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import NamedTuple, Protocol

from handrail.drive import loop_end, prompts, usage
from handrail.drive.agent_process import AgentProcess, StartAgent
from handrail.drive.background_task import background_task
from handrail.drive.backoff import service_wait
from handrail.drive.completion_mark import (
    CompletionMark,
    find_completion_mark,
    what_is_missing,
)
from handrail.drive.daemon_client import (
    DaemonClient,
    DriverReport,
    IterationPermission,
    LoopProgress,
    LoopStart,
)
from handrail.drive.drive_task import AskPerson, DriveTask
from handrail.drive.loop_end import LoopEnd
from handrail.drive.order_handler import OrderHandler
from handrail.drive.service_problem import ServiceProblem, find_service_problem
from handrail.drive.turn import TurnMonitor, take_turn
from handrail.drive.usage import LoopUsage, ProcessSample, UsageMeter
from handrail.drive.verify import Verification, verify
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError, AgentTurn, ModelError
from handrail.model.control import HOLDING, Standing

_log = logging.getLogger(__name__)

PAUSES = (5.0, 30.0)
"""Seconds to wait after one failure, and after two in a row."""
_MAX_FAILURES = len(PAUSES) + 1
_RESTART_AFTER = 2
"""Restart a running agent after this many failures in a row."""

ASK_AGAIN = 20.0
"""Seconds between two questions to the daemon while the model's service is waited for."""

_LAST_SECONDS = 2.0
"""Seconds for the last report of a driver that is about to leave."""
_STOPPED = frozenset({Standing.STOPPING, Standing.STOPPED})
_OVER = frozenset({Standing.CANCELLING, Standing.CANCELLED, Standing.DONE})


class VerifyFunction(Protocol):
    """Run the verify command."""

    async def __call__(self, command: str, cwd: str, *, environ: dict[str, str]) -> Verification:
        """Return the outcome."""


class LoopDependencies(NamedTuple):
    """The clock and the functions that a loop uses; tests replace them."""

    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    sample: Callable[[int], ProcessSample] = usage.sample_processes
    verify: VerifyFunction = verify
    wall_clock: Callable[[], float] = time.time
    chance: Callable[[], float] = random.random


WORLD = LoopDependencies()


async def drive(
    task: DriveTask,
    client: DaemonClient,
    start: StartAgent,
    dependencies: LoopDependencies = WORLD,
    *,
    ask: AskPerson | None = None,
) -> LoopEnd:
    """Drive an agent to the end. No process is left afterwards, not even after a cancellation.

    `ask`: answers the questions of the agent; without it, a question is a reason to end.
    """
    begun = await client.begin(
        LoopStart(
            goal=task.goal,
            cwd=task.cwd,
            max=task.limits.max_iterations,
            model=task.model,
            verify=task.verify,
            driver=os.getpid(),
            max_minutes=task.limits.max_minutes,
            max_cost_usd=task.limits.max_cost_usd,
            max_tokens=task.limits.max_tokens,
            max_memory_mb=task.limits.max_memory_mb,
            adopts=task.adopts,
            pipeline=task.pipeline,
            group=task.group,
            mode="issue" if task.fleet else "loop",
            parent=task.fleet.run if task.fleet else "",
            issue=task.fleet.task if task.fleet else "",
        )
    )
    async with AgentProcess(start, task.model, resume=begun.iteration > 0) as process:
        loop = _DriveLoop(task, client, process, begun, dependencies, ask)
        async with background_task(loop.orders.listen()):
            try:
                end = await loop.go_round()
            except asyncio.CancelledError:
                await loop.report_last_usage()
                raise
    if end is not loop_end.CANCELLED:
        await loop.report_usage()
        await client.report(
            DriverReport(kind=end.how, reason=end.reason, says=end.says, iteration=loop.iteration)
        )
    return end


class _Failure(NamedTuple):
    """One failed try."""

    says: str
    crashed: bool
    """The agent's process was killed."""


class _DriveLoop:
    """The rounds of one loop. An iteration ends when the agent stops by itself."""

    def __init__(
        self,
        task: DriveTask,
        client: DaemonClient,
        process: AgentProcess,
        begun: LoopProgress,
        dependencies: LoopDependencies,
        ask: AskPerson | None,
    ) -> None:
        self.orders = OrderHandler(client, process)
        # Nobody knows how far the agent came in the last iteration, so the loop repeats it.
        self.iteration = max(begun.iteration, 1)
        self._task = task
        self._client = client
        self._process = process
        self._dependencies = dependencies
        self._meter = UsageMeter(_so_far(begun), dependencies.clock)
        self._watch = TurnMonitor(
            self._meter,
            task.limits,
            dependencies.sample,
            dependencies.sleep,
            lambda: client.held,
            self.report_usage,
        )
        self._brief = prompts.AgentBriefing(task.goal, task.verify, may_ask=ask is not None)
        self._ask = ask
        self._verified: Verification | None = None
        self._failures: list[_Failure] = []
        """Failures in a row, without a good turn in between."""
        self._pause = 0.0
        """Seconds to wait before the next try."""
        self._refusals = 0
        """Refusals of the model's service in a row; they are no failures."""
        self._not_before = 0.0
        """When to ask the service again, by the wall clock: a suspended machine waits no longer."""

    async def go_round(self) -> LoopEnd:
        """Take rounds until the loop ends."""
        end: LoopEnd | None = None
        while end is None:
            met = self._task.limits.met(self._meter.usage)
            if met and await self._when_not_held(stuck=False) == Standing.RUNNING:
                return loop_end.limit(met, self._verified)
            interrupts = self._process.interrupts
            go = await self._client.may_begin(self.iteration)
            self._brief.note(go)
            if go.standing in _OVER:
                end = loop_end.CANCELLED
            elif go.standing in _STOPPED:
                end = await self._wait_for_start()
            elif go.standing == Standing.RUNNING:
                end = await self._go_on(go, interrupts)
        return end

    async def report_usage(self, model: str = "", wanted: str = "") -> None:
        """Report the usage so far.

        `model`: the model that answered; `wanted`: the one that should have.
        """
        used = self._watch.usage
        await self._client.report(
            DriverReport(
                kind="usage",
                model=model,
                wanted_model=wanted,
                iteration=self.iteration,
                tokens=used.tokens,
                cost_usd=used.cost_usd,
                seconds=used.seconds,
                memory_mb=used.peak_mb,
            )
        )

    async def report_last_usage(self) -> None:
        """Report the usage of a turn that the user broke off, so that a resumed run counts it."""
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                await self.report_usage()
        except Exception:  # noqa: BLE001 - leaving does not depend on it
            _log.warning("the daemon did not take the last usage", exc_info=True)

    async def _wait_for_start(self) -> LoopEnd | None:
        """Wait until a person resumes the stopped run; until then its agent may not run."""
        await self._process.clear()
        # A person stopped the agent and the verify command on purpose: they did not fail.
        self._failures.clear()
        self._pause = self._not_before = 0.0
        self._verified = None
        return None if await self.orders.started_again() else loop_end.CANCELLED

    async def _go_on(self, go: IterationPermission, interrupts: int) -> LoopEnd | None:
        if len(self._failures) >= _MAX_FAILURES:
            crashed = any(each.crashed for each in self._failures)
            return loop_end.error(len(self._failures), self._failures[-1].says, crashed=crashed)
        if self._pause:
            pause, self._pause = self._pause, 0.0
            await self._dependencies.sleep(pause)
            return None  # much may have happened meanwhile
        if go.model and go.model != self._process.model:
            self._not_before = 0.0  # another model may have its own limits
        wait = self._not_before - self._dependencies.wall_clock()
        if wait > 0:
            await self._dependencies.sleep(min(wait, ASK_AGAIN))
            return None
        await self._use_model(go.model)
        try:
            agent = await self._process.fill()
        except (AgentGoneError, OSError) as error:
            await self._fail(str(error), crashed=_was_killed(error))
            return None
        await self.orders.answer_late()
        prompt = self._brief.prompt(agent, self._verified, resumed=self._process.resumed)
        check = self._process.model_check
        asked = check.begin_turn()
        with self._meter.at_work():
            result = await take_turn(
                self._process, agent, prompt, self._watch, interrupts=interrupts
            )
        if isinstance(result, AgentTurn):
            self._watch.end_turn(tokens=result.tokens, cost_usd=result.cost_usd)
            whole = not (result.problem or result.interrupted)
            wanted = check.end_turn(asked, result.model) if whole else ""
            await self.report_usage(result.model, wanted)
            return await self._judge(result, asked=self._process.interrupts != interrupts)
        if result is not None:
            self._watch.end_turn(tokens=agent.tokens)
            await self.report_usage()
            await self._process.clear()
            await self._fail(str(result), crashed=_was_killed(result))
        return None

    async def _judge(self, turn: AgentTurn, *, asked: bool) -> LoopEnd | None:
        """Decide how to go on after a turn. `asked`: a person asked to interrupt it."""
        wanted = turn.interrupted and asked
        if turn.problem and not wanted:
            await self._fail(turn.problem)
            return None
        if turn.interrupted and not wanted:
            await self._fail("the turn was broken off, and nobody had asked for it")
            return None
        self._failures.clear()
        self._refusals = 0
        self._verified = None
        missing = "" if turn.interrupted else what_is_missing(turn.says)
        self._brief.told(broken_off=turn.interrupted, missing=missing)
        if turn.interrupted:
            return None  # the same iteration goes on when the daemon permits it
        return await self._end_iteration(find_completion_mark(turn.says))

    async def _end_iteration(self, mark: CompletionMark | None) -> LoopEnd | None:
        if mark is not None:
            standing = await self._when_not_held(stuck=not mark.done)
            if standing != Standing.RUNNING:
                return None  # the person who stopped the run decides how it goes on
            if mark.asks and self._ask is not None:
                answered = await self._ask(mark.why)
                if answered.blocked:
                    return loop_end.stuck(answered.blocked)
                self._brief.hear(answered.told)
            elif not mark.done and not self._brief.has_news:
                return loop_end.stuck(mark.why)
            if mark.done and not self._brief.has_news and await self._is_verified():
                return loop_end.complete(self._task.verify)
        self._meter.end_iteration(self.iteration)
        if self._task.limits.met(self._meter.usage) is None:
            self.iteration += 1
        return None

    async def _when_not_held(self, *, stuck: bool) -> Standing:
        """Return the standing of the run once nobody holds it: a paused run cannot end."""
        while True:
            go = await self._client.may_end(self.iteration, stuck=stuck)
            self._brief.note(go)
            if go.standing not in HOLDING:
                return go.standing

    async def _is_verified(self) -> bool:
        command = self._task.verify
        if not command:
            return True
        with self._meter.at_work():
            result = await self._dependencies.verify(
                command, self._task.cwd, environ=self._task.environ
            )
        self._verified = result
        await self._client.report(
            DriverReport(
                kind="verified",
                iteration=self.iteration,
                command=command,
                ok=result.ok,
                says=f"{result.how}\n{result.says}".strip(),
                ms=result.ms,
            )
        )
        return result.ok

    async def _fail(self, problem: str, *, crashed: bool = False) -> None:
        """Count a failure; the loop repeats the iteration unless this was the last try.

        A busy service of the model is no failure: the loop waits for it.
        """
        refusal = find_service_problem(problem, self._dependencies.wall_clock())
        if refusal is not None and refusal.is_waited_out:
            await self._wait_for_service(refusal)
            return
        self._failures.append(_Failure(problem, crashed))
        if len(self._failures) >= _RESTART_AFTER:
            await self._process.clear()
        if len(self._failures) < _MAX_FAILURES:
            self._pause = PAUSES[len(self._failures) - 1]

    async def _wait_for_service(self, refusal: ServiceProblem) -> None:
        self._refusals += 1
        now = self._dependencies.wall_clock()
        wait = service_wait(refusal, self._refusals, now, self._dependencies.chance())
        self._not_before = now + wait
        _log.warning("%s; the next try is in %.0f s", refusal.says, wait)
        if self._refusals >= _RESTART_AFTER:
            await self._process.clear()  # some hosts repeat an old refusal

    async def _use_model(self, model: str) -> None:
        """Switch to the model that a person chose, perhaps before this process started."""
        if model and model != self._process.model:
            try:
                await self._process.set_model(model)
            except (ModelError, AgentSilentError) as error:
                _log.warning("the agent goes on with its model: %s", error)


def _was_killed(error: AgentGoneError | OSError) -> bool:
    """Return whether a signal ended the agent: no error of its own."""
    return isinstance(error, AgentGoneError) and error.code < 0


def _so_far(begun: LoopProgress) -> LoopUsage:
    return LoopUsage(
        iterations=max(begun.iteration - 1, 0),
        tokens=begun.tokens,
        cost_usd=begun.cost_usd,
        seconds=begun.seconds,
        peak_mb=begun.memory_mb,
    )
