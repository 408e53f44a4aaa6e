"""Tell from the output of Claude Code whether it works, and how a turn ended.

It may stop several times for a prompt: a sub-agent goes on in the background, and wakes it up
again. It also works without a prompt: a background command wakes it up when it ends.
"""

from enum import Enum, auto

from handrail.hosts.claude import stream
from handrail.hosts.driven_agent import AgentTurn

_ABORTED = ("aborted_streaming", "aborted_tools")
_BROKEN_OFF = "error_during_execution"
"""The only reason in old versions, for interrupts and all other problems."""
_BY_A_HOOK = "hook_stopped"
_NO_STOP = "a hook stopped it"
_NOTHING_SAID = "it ended without a word"


class Activity(Enum):
    """Whether the agent is at rest."""

    WORKS = auto()
    STIRS = auto()
    """It has stopped, but pending news may wake it up within a moment."""
    RESTS = auto()


class TurnTracker:
    """Follow the lines from one rest to the next."""

    def __init__(self) -> None:
        self.model = ""
        self.interrupting = False
        """Somebody asked it to stop."""
        self._runs = False
        """A turn has begun, and has no result yet."""
        self._tasks = stream.BackgroundTasks(frozenset(), frozenset())
        self._news: set[str] = set()
        """Ended tasks that the model does not know yet; it will wake up for them."""
        self._prompt = ""
        """The prompt without a result."""
        self._state = ""
        """The last reported state of the prompt."""
        self._tells = False
        """This version reports the state of prompts."""
        self._result: stream.TurnEnded | None = None
        self._says = ""
        self._cut = False
        """Work was interrupted, or a prompt dropped, and no result reports it."""
        self._total = stream.TokenUsage()
        self._used = stream.TokenUsage()
        self._answers: dict[str, int] = {}
        """Tokens of each answer of the model since the last result."""

    @property
    def tokens(self) -> int:
        """Return the approximate tokens since the last rest; the result has the exact number."""
        return self._used.tokens + sum(self._answers.values())

    @property
    def rest(self) -> Activity:
        """Return whether it is at rest, and done with every prompt."""
        if self._runs or self._prompt or self._tasks.workers:
            return Activity.WORKS
        return Activity.STIRS if self._news else Activity.RESTS

    @property
    def has_tasks(self) -> bool:
        """Return whether anything runs in the background."""
        return bool(self._tasks.ids)

    def send(self, prompt: str) -> None:
        """Note that a prompt is on its way."""
        self._prompt, self._state = prompt, ""

    def finish_turn(self) -> AgentTurn:
        """Return everything since the last rest; the next line begins another turn."""
        result = self._result
        interrupted = self._cut or (result is not None and self._was_broken_off(result))
        problem = _problem(result) if result and not interrupted else ""
        turn = AgentTurn(
            says=result.text if result and result.text and not problem else self._says,
            problem=problem,
            interrupted=interrupted,
            tokens=self._used.tokens,
            cost_usd=self._used.cost_usd,
            model=self.model,
        )
        self._result, self._says, self._cut = None, "", False
        self._used, self._news, self.interrupting = stream.TokenUsage(), set(), False
        self._answers.clear()
        return turn

    def read(self, line: stream.Line) -> None:
        """Take one more line into account."""
        match line:
            case stream.WorkBegan():
                self._runs = True
                self._news.clear()
                self.model = line.model or self.model
            case stream.ModelSpoke():
                self._says = line.text if line.text and line.model else self._says
                self.model = line.model or self.model
                if line.message:
                    known = self._answers.get(line.message, 0)
                    self._answers[line.message] = max(known, line.tokens)
            case stream.ToolAnswered():
                self._news.clear()
            case stream.PromptHeard():
                self._hear(line)
            case stream.BackgroundTasks():
                self._tasks = line
            case stream.TaskEnded():
                self._end_task(line)
            case stream.TurnEnded():
                self._end(line)
            case _:
                pass

    def _hear(self, heard: stream.PromptHeard) -> None:
        self._tells = True
        if not self._prompt or heard.prompt != self._prompt:
            return
        if heard.state == "cancelled":
            self._prompt, self._cut = "", True
            if self._state == "started":
                self._runs = False
                self._news.add(heard.prompt)  # its result comes now, if ever
        elif heard.state == "started":
            self._runs = True
        self._state = heard.state

    def _end_task(self, task: stream.TaskEnded) -> None:
        if not task.stopped and task.id in self._tasks.ids:
            self._news.add(task.id)
        elif task.stopped and task.id in self._tasks.workers:
            # Otherwise its agent has stopped it, or the result reports it.
            self._cut = self._cut or self.interrupting or not self._runs

    def _end(self, result: stream.TurnEnded) -> None:
        used = result.total.since(self._total) if result.used is None else result.used
        self._total, self._used = result.total, self._used + used
        self._runs, self._result = False, result
        self._answers.clear()
        # A result from before the prompt belongs to something else.
        if not self._tells or self._state not in ("", "queued"):
            self._prompt = ""

    def _was_broken_off(self, result: stream.TurnEnded) -> bool:
        if result.reason:
            return result.reason in _ABORTED
        return self.interrupting and result.subtype == _BROKEN_OFF


def _problem(result: stream.TurnEnded) -> str:
    if result.reason == _BY_A_HOOK:
        return result.text or _NO_STOP
    if result.subtype == "success" and not result.is_error and result.answers != 0:
        return ""
    return "; ".join(result.errors) or result.text or result.subtype or _NOTHING_SAID
