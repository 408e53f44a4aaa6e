"""Write the prompts for an agent in a loop: first the goal, then how to go on."""

from collections.abc import Iterator, Sequence

from handrail.drive.completion_mark import BLOCKED, DONE, QUESTION
from handrail.drive.daemon_client import IterationPermission
from handrail.drive.verify import Verification
from handrail.hosts.driven_agent import DrivenAgent

_HOW = f"""\
When all of it is done, end your last message with this line, on its own, outside of any code block:
{DONE}
If you cannot go on without a person, end it with this line instead:
{BLOCKED}: what you need"""
_HOW_TO_ASK = f"""\
If only a person can decide how to go on, end it with this line instead. Put the choices into it,
and the one that you would take. The answer may take a while:
{QUESTION}: your question"""
_ALONE = "Nobody is there to answer questions: you are sent on until the work is done."
_BY_ITSELF = "Nobody watches you: you are sent on until the work is done."
_STARTED_AGAIN = "You have been started again. Look at what is there, then go on."
_INTERRUPTED = "You were interrupted. Look at what is there, then go on."
_GO_ON = "Go on with the work."
_NEW_GOAL = "There is a new goal, which replaces the one before:"


def first_prompt(
    goal: str,
    *,
    verify: str = "",
    news: Sequence[str] = (),
    verified: Verification | None = None,
    resumed: bool = False,
    may_ask: bool = False,
) -> str:
    """Write the prompt for a new process.

    `news`: messages from people, ready to read; `may_ask`: a person may answer questions.
    """
    parts = [goal.strip(), *news, *_not_done(verify, verified)]
    if resumed:
        parts.append(_STARTED_AGAIN)
    parts += [_BY_ITSELF if may_ask else _ALONE, _how(may_ask=may_ask)]
    if verify:
        parts.append(f"It counts as done when this command passes, too: {verify}")
    return _joined(parts)


def next_prompt(
    *,
    goal: str = "",
    verify: str = "",
    news: Sequence[str] = (),
    verified: Verification | None = None,
    broken_off: bool = False,
    missing: str = "",
    may_ask: bool = False,
) -> str:
    """Write the prompt for an agent that has stopped.

    `verified`: the outcome of the command; `missing`: what its last message lacks.
    """
    told = any(goal in text for text in news)  # changed by a person
    parts = [] if told or not goal else [f"{_NEW_GOAL}\n{goal.strip()}"]
    parts += [*news, *_not_done(verify, verified)]
    parts += [missing] if missing else []
    parts += [_INTERRUPTED if broken_off else _GO_ON, _how(may_ask=may_ask)]
    return _joined(parts)


def _how(*, may_ask: bool) -> str:
    return f"{_HOW}\n{_HOW_TO_ASK}" if may_ask else _HOW


def _not_done(verify: str, verified: Verification | None) -> Iterator[str]:
    if verified is not None and not verified.ok:
        yield f"It is not done yet. This command did not pass ({verified.how}): {verify}"
        if verified.says:
            yield f"It printed:\n{_fenced(verified.says)}"


def _fenced(text: str) -> str:
    """Return a block of code whose fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(parts) + "\n"


class AgentBriefing:
    """Keep track of the news that the agent does not know yet."""

    def __init__(self, goal: str, verify: str, *, may_ask: bool = False) -> None:
        """`verify`: the command that must pass; `may_ask`: a person may answer questions."""
        self._may_ask = may_ask
        self._goal = self._known_goal = goal
        self._verify = verify
        self._news: list[str] = []
        self._knows: DrivenAgent | None = None
        """The process that knows the goal."""
        self._sent: DrivenAgent | None = None
        self._broken_off = False
        self._missing = ""

    @property
    def has_news(self) -> bool:
        """Return whether there is news for the agent."""
        return bool(self._news) or self._goal != self._known_goal

    def note(self, go: IterationPermission) -> None:
        """Remember the news in the daemon's answer until an agent has certainly got it."""
        self._goal = go.goal or self._goal
        self._news += go.messages

    def hear(self, answer: str) -> None:
        """Remember the answer to a question of the agent."""
        self._news.append(answer)

    def prompt(self, agent: DrivenAgent, verified: Verification | None, *, resumed: bool) -> str:
        """Write the prompt for the next turn. `resumed`: the run had another process before."""
        self._sent = agent
        if agent is not self._knows:
            return first_prompt(
                self._goal,
                verify=self._verify,
                news=self._news,
                verified=verified,
                resumed=resumed,
                may_ask=self._may_ask,
            )
        return next_prompt(
            goal=self._goal if self._goal != self._known_goal else "",
            verify=self._verify,
            news=self._news,
            verified=verified,
            broken_off=self._broken_off,
            missing=self._missing,
            may_ask=self._may_ask,
        )

    def told(self, *, broken_off: bool, missing: str = "") -> None:
        """Note that the agent got the last prompt; `missing`: what its answer lacks."""
        self._knows, self._known_goal = self._sent, self._goal
        self._news.clear()
        self._broken_off = broken_off
        self._missing = missing
