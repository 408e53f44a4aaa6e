"""An agent, a daemon and a world around a loop, all of them made up."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Literal

import msgspec

from handrail.drive.daemon_client import (
    DriverOrder,
    DriverReport,
    IterationPermission,
    LoopProgress,
    LoopStart,
)
from handrail.drive.drive_task import AskPerson, DriveTask
from handrail.drive.loop import LoopDependencies, drive
from handrail.drive.loop_end import LoopEnd
from handrail.drive.turn import LOOK_EVERY, PATIENCE
from handrail.drive.usage import LoopLimits, ProcessSample
from handrail.drive.verify import Verification
from handrail.hosts.driven_agent import AgentGoneError, AgentSilentError, AgentTurn, ModelError
from handrail.model.control import Standing

RUNNING = IterationPermission(standing=Standing.RUNNING)
STOPPED = IterationPermission(standing=Standing.STOPPED)
CANCELLED = IterationPermission(standing=Standing.CANCELLED)
PASSED = Verification(ok=True, how="exit code 0", says="ok")
FAILED = Verification(ok=False, how="exit code 1", says="1 failed")
TASK = DriveTask(goal="Fix it", cwd="/scratch")
VERIFIED = msgspec.structs.replace(TASK, verify="make test")
DONE = AgentTurn(says="All fine.\nTASK DONE")
NOT_YET = AgentTurn(says="Next I will write the tests.")
CUT_OFF = AgentTurn(problem="the answer was cut off")
OVERLOADED = AgentTurn(problem="API Error: 529 Overloaded")
GONE = AgentGoneError(1, "out of memory")


def limited(limits: LoopLimits, task: DriveTask = TASK) -> DriveTask:
    """A task that may use so much."""
    return msgspec.structs.replace(task, limits=limits)


class FakeAgent:
    """Does in each turn what the next step of the script says."""

    def __init__(self, world: "LoopSetup", pid: int, model: str) -> None:
        self.pid = pid
        self.model = model
        self.alive = True
        self.deaf = False
        """It does not let itself be interrupted."""
        self.silent = False
        """It does not answer."""
        self.interrupts = 0
        self.tokens = 0
        self._world = world
        self._broken_off: asyncio.Future[None] | None = None

    async def take_turn(self, prompt: str) -> AgentTurn:
        self._world.on_turn()
        self._world.prompts.append(prompt)
        self._world.models.append(self.model)
        self._broken_off = asyncio.get_running_loop().create_future()
        try:
            if not self.alive:
                raise AgentGoneError(-9, "")
            step = self._world.script.popleft()
            if isinstance(step, AgentTurn):
                return step
            if isinstance(step, AgentGoneError):
                self.alive = False
                raise step
            return await step(self)
        finally:
            self._broken_off = None

    async def work_on(self) -> AgentTurn:
        """For a step: go on until somebody breaks it off."""
        assert self._broken_off is not None
        await self._broken_off
        return AgentTurn(interrupted=True, tokens=1)

    async def interrupt(self) -> bool:
        self.interrupts += 1
        self._answers("interrupt")
        if self.deaf:
            await asyncio.get_running_loop().create_future()
        if self._broken_off is None:
            return False
        if not self._broken_off.done():
            self._broken_off.set_result(None)
        return True

    async def set_model(self, model: str) -> str:
        self._answers("set_model")
        if model not in self._world.known_models:
            raise ModelError(f"there is no model {model}")
        before, self.model = self.model, model
        return before

    async def end(self) -> None:
        self.alive = False

    def _answers(self, what: str) -> None:
        if not self.alive:
            raise AgentGoneError(-9, "")
        if self.silent:
            raise AgentSilentError(what, 30)

    def die(self) -> None:
        """Somebody has killed it."""
        self.alive = False
        if self._broken_off is not None and not self._broken_off.done():
            self._broken_off.set_exception(AgentGoneError(-9, "killed"))


Step = AgentTurn | AgentGoneError | Callable[[FakeAgent], Awaitable[AgentTurn]]
Kind = Literal["interrupt", "set_model", "start"]
Answer = IterationPermission | Callable[[], Awaitable[IterationPermission]]


class FakeDaemonClient:
    """A daemon that answers what it was told to, and then lets everything go on."""

    def __init__(self, answers: Iterable[Answer] = (), begun: LoopProgress | None = None) -> None:
        self.answers = deque(answers)
        self.ends: deque[IterationPermission] = deque()
        self.stuck: list[bool] = []
        """For each wish to end: whether the agent cannot go on."""
        """What it says to an agent that wants to end, before it lets it."""
        self.begun = begun or LoopProgress()
        self.held = False
        self.began: list[LoopStart] = []
        self.asked: list[int] = []
        self.reports: list[DriverReport] = []
        self.on_asked: Callable[[], None] = lambda: None
        self.on_answered: Callable[[IterationPermission], None] = lambda go: None
        self.on_report: Callable[[DriverReport], None] = lambda report: None
        self.interrupt_sent = False
        self._orders: asyncio.Queue[DriverOrder | Exception | None] = asyncio.Queue()
        self._answered: dict[str, asyncio.Future[DriverReport]] = {}
        self._number = 0

    async def begin(self, loop: LoopStart) -> LoopProgress:
        self.began.append(loop)
        return self.begun

    async def may_begin(self, iteration: int) -> IterationPermission:
        self.asked.append(iteration)
        self.on_asked()
        await asyncio.sleep(0)
        answer = self.answers.popleft() if self.answers else RUNNING
        go = answer if isinstance(answer, IterationPermission) else await answer()
        self.on_answered(go)
        return go

    async def may_end(self, iteration: int, *, stuck: bool) -> IterationPermission:
        await asyncio.sleep(0)
        self.stuck.append(stuck)
        return self.ends.popleft() if self.ends else RUNNING

    async def orders(self) -> AsyncIterator[DriverOrder]:
        while order := await self._orders.get():
            if isinstance(order, Exception):
                raise order
            yield order

    async def report(self, report: DriverReport) -> None:
        await asyncio.sleep(0)
        self.reports.append(report)
        self.on_report(report)
        answered = self._answered.get(report.request)
        if report.kind == "order" and answered is not None and not answered.done():
            answered.set_result(report)

    def put(
        self, order: Kind, *, request: str = "", model: str = ""
    ) -> asyncio.Future[DriverReport]:
        """Send an order; gives what will be answered."""
        self._number += 1
        self.interrupt_sent |= order == "interrupt"
        request = request or f"request-{self._number}"
        answered = self._answered.setdefault(request, asyncio.get_running_loop().create_future())
        self._orders.put_nowait(
            DriverOrder(number=self._number, order=order, request=request, model=model)
        )
        return answered

    @property
    def end(self) -> DriverReport:
        """The end that was reported: exactly one, and nothing after it."""
        found = self.of_kind("done", "abort")
        assert len(found) == 1
        assert self.reports[-1] == found[0]
        return found[0]

    def run_is_over(self) -> None:
        """There will be no more orders."""
        self._orders.put_nowait(None)

    def break_orders(self) -> None:
        """The next order is a fault."""
        self._orders.put_nowait(ConnectionError("no daemon"))

    def of_kind(self, *kinds: str) -> list[DriverReport]:
        """The reports of some kinds, in their order."""
        return [report for report in self.reports if report.kind in kinds]


class FakeTime:
    """Pauses are over at once; who looks at something from time to time waits for a tick."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.in_pause: Callable[[], Awaitable[object]] | None = None
        self._waiting: list[tuple[float, asyncio.Future[None]]] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        if seconds in (LOOK_EVERY, PATIENCE):
            over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((seconds, over))
            await over
        else:
            self.pauses.append(seconds)
            if self.in_pause is not None:
                await self.in_pause()
        self.now += seconds

    async def watched(self) -> None:
        """Until whoever looks has looked, and sleeps again."""
        while not self._waiting:
            await asyncio.sleep(0)

    async def tick(self) -> None:
        """Let all sleeps that are waited for be over."""
        await self.watched()
        waiting, self._waiting = self._waiting, []
        for _, over in waiting:
            if not over.done():
                over.set_result(None)


class LoopSetup:
    """Everything that a loop needs; nothing of it is real."""

    def __init__(
        self,
        *script: Step,
        answers: Iterable[Answer] = (),
        begun: LoopProgress | None = None,
        verifications: Iterable[Verification] = (),
        ask: AskPerson | None = None,
    ) -> None:
        self.ask = ask
        self.script: deque[Step] = deque(script)
        self.office = FakeDaemonClient(answers, begun)
        self.time = FakeTime()
        self.verifications = deque(verifications)
        self.in_verify: Callable[[], Awaitable[object]] | None = None
        self.memory = ProcessSample(100.0)
        self.known_models = {"small", "big"}
        self.starts: list[tuple[bool, str]] = []
        """How each agent was started: resumed or not, and with which model."""
        self.bad_starts: deque[AgentGoneError | OSError | None] = deque()
        self.in_start: Callable[[], Awaitable[object]] | None = None
        self.agents: list[FakeAgent] = []
        self.on_turn: Callable[[], None] = lambda: None
        self.on_start: Callable[[str], None] = lambda model: None
        self.on_verified: Callable[[Verification], None] = lambda came: None
        self.prompts: list[str] = []
        self.models: list[str] = []
        self._beside: list[asyncio.Task[None]] = []
        self.open = 0
        """Agents that were started and not ended."""

    @asynccontextmanager
    async def start(self, *, resume: bool, model: str) -> AsyncIterator[FakeAgent]:
        self.starts.append((resume, model))
        self.on_start(model)
        if self.in_start is not None:
            await self.in_start()
        if self.bad_starts and (error := self.bad_starts.popleft()):
            raise error
        agent = FakeAgent(self, 1000 + len(self.agents), model)
        self.agents.append(agent)
        self.open += 1
        try:
            yield agent
        finally:
            agent.die()
            self.open -= 1

    async def verify(self, command: str, cwd: str, *, environ: dict[str, str]) -> Verification:
        if self.in_verify is not None:
            await self.in_verify()
        came = self.verifications.popleft()
        self.on_verified(came)
        return came

    def beside(self, work: Coroutine[object, object, None]) -> None:
        """Do something while the loop goes on; it has to be over before the loop is."""
        self._beside.append(asyncio.ensure_future(work))

    def means(self) -> LoopDependencies:
        return LoopDependencies(
            self.time.clock,
            self.time.sleep,
            lambda pid: self.memory,
            self.verify,
            self.time.clock,
            lambda: 0.0,
        )

    async def drive(self, task: DriveTask = TASK) -> LoopEnd:
        """Drive the agent to the end; nothing may be left then."""
        try:
            return await drive(task, self.office, self.start, self.means(), ask=self.ask)
        finally:
            assert self.open == 0
            assert asyncio.all_tasks() == {asyncio.current_task()}

    def run(self, task: DriveTask = TASK) -> LoopEnd:
        """The same, from outside of an event loop."""

        async def bounded() -> LoopEnd:
            async with asyncio.timeout(60):  # instead of hanging for ever
                return await self.drive(task)

        return asyncio.run(bounded())
