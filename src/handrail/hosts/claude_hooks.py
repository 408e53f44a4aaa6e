"""Claude Code's hook events, and what Handrail does with each."""

from collections.abc import Callable
from time import time

import msgspec

from handrail.hosts import claude_reply as reply
from handrail.hosts.claude_payload import Payload, PayloadError, read_end, read_payload
from handrail.model.event import (
    AgentEnded,
    AgentStarted,
    Compacted,
    Event,
    IterationEnded,
    PromptGiven,
    RunEnded,
    RunStarted,
    SettingsChanged,
)
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.review import fingerprint
from handrail.store.errors import StoreError
from handrail.supervise.pending import Pending
from handrail.supervise.runs import Runs
from handrail.supervise.supervisor import Supervisor
from handrail.supervise.verdict import fault_verdict

Reply = reply.Reply
Answer = Pending[Reply]

_ASKING_MODES = frozenset({"", "default", "acceptEdits", "plan"})
"""Permission modes in which the person has not said that they do not want to be asked."""

WELCOME = (
    "Handrail reviews every tool call of this session before it runs. If it refuses a call, do "
    "what its answer says instead; do not try the same again in other words. Handrail's own "
    "files, settings and processes, and the hooks in Claude Code's settings, are off limits."
)


PROXIED = (
    "A proxy is set for this session (HTTP_PROXY), and Claude Code sends its hooks through it: "
    "Handrail may not be heard. Put 127.0.0.1 into NO_PROXY, and start again."
)


class Visit(msgspec.Struct, frozen=True):
    """One hook request: what it says, and what is known of the session beside it."""

    payload: Payload
    attended: bool | None = None
    """Whether somebody sits at the session; None where this request does not tell."""
    proxied: bool = False
    """The session sends its hooks through a proxy, which could answer them itself."""


class ClaudeHooks:
    """Answers hook requests of all sessions. Used from one thread at a time."""

    def __init__(
        self,
        runs: Runs,
        *,
        keeps_hooks: Callable[[str], str] = lambda path: "",
        clock: Callable[[], float] = time,
    ) -> None:
        self.runs = runs
        self._keeps_hooks = keeps_hooks
        """Says why a changed settings file may not be taken over; empty: it may."""
        self._clock = clock

    def handle(self, body: bytes, attended: bool | None = None, *, proxied: bool = False) -> Answer:
        """Answer one request; whatever goes wrong inside becomes a refusal."""
        try:
            payload = read_payload(body)
        except PayloadError as error:
            return _now(unreadable(str(error)))
        visit = Visit(payload, attended, proxied)
        react = _REACTIONS.get(payload.hook_event_name)
        if react is None:
            return _now(reply.NO_OPINION)
        try:
            supervisor = self._supervisor(visit)
        except StoreError as error:
            return _now(self._without_log(payload, error))
        return react(self, visit, supervisor)

    def may_ask(self, visit: Visit, supervisor: Supervisor) -> bool:
        """Whether a refusal should become a question."""
        wanted = supervisor.project.config.attended
        if wanted != "auto":
            return wanted == "yes"
        return supervisor.state.attended and visit.payload.permission_mode in _ASKING_MODES

    def _supervisor(self, visit: Visit) -> Supervisor:
        payload = visit.payload
        supervisor = self.runs.get(payload.session_id, payload.cwd)
        if supervisor.state.seq == 0 and payload.hook_event_name != "SessionStart":
            # Handrail came in later, or the session's start was not heard.
            supervisor.record(RunStarted(self._clock(), "claude", payload.cwd))
        return supervisor

    def _without_log(self, payload: Payload, error: StoreError) -> Reply:
        """The log cannot be read: nothing is known of the run, but what only reads may go on."""
        bare = self.runs.bare(payload.session_id, payload.cwd)
        verdict = bare.judge_without_log(payload.action, error) if payload.tool_name else None
        if verdict is None:
            return reply.NO_OPINION
        if payload.hook_event_name == "PreToolUse":
            return reply.before_tool(verdict, ask=False)
        if payload.hook_event_name == "PermissionRequest":
            return reply.permission(verdict)
        return reply.NO_OPINION

    # One method for each event

    def before_tool(self, visit: Visit, supervisor: Supervisor) -> Answer:
        payload = visit.payload
        ask = self.may_ask(visit, supervisor)
        pending = supervisor.decide(payload.action, agent=payload.agent_id, may_ask=ask)
        return pending.then(lambda verdict: reply.before_tool(verdict, ask=ask))

    def after_tool(self, visit: Visit, supervisor: Supervisor) -> Answer:
        event = visit.payload.hook_event_name
        pending = supervisor.take_in(read_end(visit.payload))
        return pending.then(lambda verdict: reply.after_tool(event, verdict))

    def after_batch(self, visit: Visit, supervisor: Supervisor) -> Answer:
        for call in visit.payload.tool_calls:
            said = call.tool_response if isinstance(call.tool_response, str) else ""
            supervisor.drop(call.tool_use_id, said)
        return _now(reply.NO_OPINION)

    def permission(self, visit: Visit, supervisor: Supervisor) -> Answer:
        """The host asks on its own account, or because Handrail told it to."""
        action = visit.payload.action
        if supervisor.state.find_open_named(fingerprint(action)) is not None:
            return _now(reply.NO_OPINION)
        return supervisor.decide(action, agent=visit.payload.agent_id).then(reply.permission)

    def prompt(self, visit: Visit, supervisor: Supervisor) -> Answer:
        return self._note(supervisor, PromptGiven(self._clock(), visit.payload.prompt))

    def start(self, visit: Visit, supervisor: Supervisor) -> Answer:
        payload = visit.payload
        attended = supervisor.state.attended if visit.attended is None else visit.attended
        cwd = supervisor.state.cwd or payload.cwd
        event = RunStarted(self._clock(), "claude", cwd, payload.source, attended, payload.model)
        said = reply.context("SessionStart", WELCOME)
        return self._note(
            supervisor, event, {**said, "systemMessage": PROXIED} if visit.proxied else said
        )

    def end(self, visit: Visit, supervisor: Supervisor) -> Answer:
        answer = self._note(supervisor, RunEnded(self._clock(), visit.payload.reason))
        self.runs.end(visit.payload.session_id)
        return answer

    def stop(self, visit: Visit, supervisor: Supervisor) -> Answer:
        says = visit.payload.last_assistant_message
        return self._note(supervisor, IterationEnded(self._clock(), says))

    def agent_start(self, visit: Visit, supervisor: Supervisor) -> Answer:
        payload = visit.payload
        return self._note(
            supervisor, AgentStarted(self._clock(), payload.agent_id, payload.agent_type)
        )

    def agent_stop(self, visit: Visit, supervisor: Supervisor) -> Answer:
        # /compact ends a sub-agent that was never started.
        if visit.payload.agent_id not in supervisor.state.agents:
            return _now(reply.NO_OPINION)
        return self._note(supervisor, AgentEnded(self._clock(), visit.payload.agent_id))

    def compact(self, visit: Visit, supervisor: Supervisor) -> Answer:
        return self._note(supervisor, Compacted(self._clock(), visit.payload.trigger))

    def config_change(self, visit: Visit, supervisor: Supervisor) -> Answer:
        payload = visit.payload
        refused = self._keeps_hooks(payload.file_path)
        event = SettingsChanged(self._clock(), payload.file_path, payload.source, refused)
        answer = reply.block_change(refused) if refused else reply.NO_OPINION
        return self._note(supervisor, event, answer)

    def _note(self, supervisor: Supervisor, event: Event, said: Reply = reply.NO_OPINION) -> Answer:
        receipt = supervisor.record(event)
        return Pending(said, [receipt], lambda error: said)


_REACTIONS: dict[str, Callable[[ClaudeHooks, Visit, Supervisor], Answer]] = {
    "PreToolUse": ClaudeHooks.before_tool,
    "PostToolUse": ClaudeHooks.after_tool,
    "PostToolUseFailure": ClaudeHooks.after_tool,
    "PostToolBatch": ClaudeHooks.after_batch,
    "PermissionRequest": ClaudeHooks.permission,
    "UserPromptSubmit": ClaudeHooks.prompt,
    "SessionStart": ClaudeHooks.start,
    "SessionEnd": ClaudeHooks.end,
    "Stop": ClaudeHooks.stop,
    "SubagentStart": ClaudeHooks.agent_start,
    "SubagentStop": ClaudeHooks.agent_stop,
    "PreCompact": ClaudeHooks.compact,
    "ConfigChange": ClaudeHooks.config_change,
}


def unreadable(problem: str) -> Reply:
    """The answer to what is no payload: if it was about a tool, that tool does not run."""
    verdict = Verdict(
        Decision.BLOCK,
        f"The hook's message cannot be read: {problem}.",
        "Try the call again with a shorter and plainer input.",
    )
    return reply.before_tool(verdict, ask=False)


def failed(problem: str) -> Reply:
    """The answer when Handrail itself breaks down over a request."""
    verdict = fault_verdict(
        harmless=False, problem=problem, fix="handrail doctor says what is wrong.", policy="deny"
    )
    return reply.before_tool(verdict, ask=False)


def _now(said: Reply) -> Answer:
    return Pending(said, [], lambda error: said)
