"""One action of an agent as a block, entered only if the action may run."""

import asyncio
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from handrail.library.errors import ActionBlockedError
from handrail.library.verdict import ActionVerdict

if TYPE_CHECKING:
    from handrail.library.supervisor import Supervisor


class SupervisedAction:
    """Review the action when the block begins, and report its result when the block ends.

    `with` and `async with` both work. Entering raises ActionBlockedError where the action may not
    run. An exception in the block is reported as a failure, and goes on.
    """

    verdict: ActionVerdict
    guidance: str = ""
    """For the model, after the block: Handrail's remark on the result."""

    def __init__(
        self, supervisor: "Supervisor", tool: str, given: dict[str, object], agent: str
    ) -> None:
        self._supervisor = supervisor
        self._asked: tuple[str, dict[str, object], str] | None = (tool, given, agent)
        self._output = self._error = ""
        self._exit_code: int | None = None
        self._tokens = 0
        self._began = 0.0

    @property
    def input(self) -> dict[str, object]:
        """Return the input to run."""
        return self.verdict.input

    def done(
        self, output: str = "", *, exit_code: int | None = None, error: str = "", tokens: int = 0
    ) -> None:
        """Report the result. Without a report, the block counts as a success without output."""
        self._output, self._exit_code = output, exit_code
        self._error, self._tokens = error, tokens

    def __enter__(self) -> Self:
        tool, given, agent = self._ask()
        return self._enter(self._supervisor.before(tool, given, agent=agent))

    async def __aenter__(self) -> Self:
        tool, given, agent = self._ask()
        return self._enter(await self._supervisor.before_async(tool, given, agent=agent))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._note(error)
        self.guidance = self._supervisor.after(
            self.verdict,
            self._output,
            exit_code=self._exit_code,
            error=self._error,
            seconds=perf_counter() - self._began,
            tokens=self._tokens,
        )

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._note(error)
        self.guidance = await self._supervisor.after_async(
            self.verdict,
            self._output,
            exit_code=self._exit_code,
            error=self._error,
            seconds=perf_counter() - self._began,
            tokens=self._tokens,
        )

    def _ask(self) -> tuple[str, dict[str, object], str]:
        asked, self._asked = self._asked, None
        if asked is None:
            raise RuntimeError("an action can be entered once; make a new one")
        return asked

    def _enter(self, verdict: ActionVerdict) -> Self:
        self.verdict = verdict
        if not verdict.allowed:
            raise ActionBlockedError(verdict)
        self._began = perf_counter()
        return self

    def _note(self, error: BaseException | None) -> None:
        if error is not None and not self._error:
            cancelled = isinstance(error, asyncio.CancelledError)
            self._error = "it was cancelled" if cancelled else f"{type(error).__name__}: {error}"
