"""Claude Code's hook events, and what Handrail does with each."""

from collections.abc import Callable
from time import time

import msgspec

from handrail.hosts.claude import reply
from handrail.hosts.claude.payload import Payload, PayloadError, read_end, read_payload
from handrail.hosts.claude.port_senders import PortSenders
from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.claude.settings import READS
from handrail.hosts.claude.transcript import TranscriptIndex
from handrail.hosts.port import CAUSE, FaultAnswers, Reply, SessionOrigin
from handrail.model import event as events
from handrail.model.control import ENDING, Standing
from handrail.model.fingerprint import fingerprint
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.store.errors import StoreError
from handrail.store.port import Receipt
from handrail.supervise.decision.decision_progress import DecisionProgress, Ready
from handrail.supervise.decision.messages import said_to_agent
from handrail.supervise.decision.verdict import OnFault, fault_verdict
from handrail.supervise.followup.breach import command_name
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.runs.settings_trust import untrusted_notice
from handrail.supervise.state.run_state import RunState
from handrail.supervise.supervisor import Supervisor

Answer = DecisionProgress[Reply]

_ASKING_MODES = frozenset({"", "default", "auto", "acceptEdits", "plan"})
"""Permission modes in which the person is willing to answer questions."""

_STARTS = frozenset({"startup", "resume", "clear"})
"""Session starts by a person; a compaction is not one."""

WELCOME = (
    "Handrail reviews every tool call of this session before it runs. If it refuses a call, do "
    "what its answer says instead; do not try the same again in other words. Handrail's own "
    "files, settings and processes, and the hooks in Claude Code's settings, are off limits."
)
_DOCTOR = "handrail doctor says what is wrong."
_STOPPED = (
    "Handrail has stopped this run. This prompt was not sent. What happened: "
    "handrail incident show {0}. How it can go on: handrail incident resume {0}"
)
_NOTIFICATION = "<task-notification>"
"""The start of prompts that Claude Code gives itself when a sub-agent or command has ended."""


class HookCall(msgspec.Struct, frozen=True):
    """One hook request, with the known facts about its session."""

    payload: Payload
    origin: SessionOrigin = SessionOrigin()


class ClaudeHooks:
    """Answer the hook requests of all sessions. Used from one thread at a time."""

    def __init__(
        self,
        runs: RunRegistry,
        *,
        find_problem: Callable[[HookCall, str], str] = lambda call, folder: "",
        clock: Callable[[], float] = time,
    ) -> None:
        self.runs = runs
        self.transcripts = TranscriptIndex(clock)
        self.place = self.transcripts.place
        self._find_problem = find_problem
        """Returns why the hooks of a session begun in a folder are not in force, or ""."""
        self._clock = clock
        self._senders = PortSenders(runs, clock)

    def handle(self, body: bytes, origin: SessionOrigin = SessionOrigin()) -> Answer:  # noqa: B008 - it is frozen
        """Answer one request. An exception is a bug; then `failed` gives the answer."""
        try:
            payload = read_payload(body)
        except PayloadError as error:
            return _now(unreadable(str(error), error.event))
        react = _REACTIONS.get(payload.hook_event_name)
        if react is None:
            return _now(reply.NO_OPINION)
        call = HookCall(payload, origin)
        try:
            if problem := self._senders.check(payload, origin.sender):
                return _now(_unheard(payload.hook_event_name, problem))
            return react(self, call, self._supervisor(call))
        except StoreError as error:
            return _now(self._without_log(call, error))
        except RecursionError:
            return _now(unreadable("it is nested too deeply", payload.hook_event_name))

    def reconsider(self, run: str, event: events.ModelAsked) -> Ready[Reply | None]:
        """Return the reply after a second opinion; None: it has not changed."""
        ready = self.runs.get(run, "/").reconsider(event)
        return ready.then(
            lambda verdict: None if verdict is None else reply.before_tool(verdict, ask=False)
        )

    def failed(self, problem: str, body: bytes) -> Reply:
        """Return the reply when Handrail breaks down over a request. Any thread may call it."""
        return failed(problem, body, self.runs.on_fault)

    def unreadable(self, problem: str) -> Reply:
        """Refuse a request that cannot be read."""
        return unreadable(problem)

    def fault_answers(self) -> FaultAnswers:
        """The same answers as data."""
        ask = {"session_id": "s", "cwd": "/", "tool_name": "any"}
        refused = {
            event: failed(CAUSE, msgspec.json.encode({**ask, "hook_event_name": event}))
            for event in (*_LOWERINGS, "ConfigChange")
        }
        return FaultAnswers(
            event="hook_event_name",
            tool="tool_name",
            run="session_id",
            folder="cwd",
            reads=READS,
            refusals={event: _text(said) for event, said in refused.items()},
            otherwise=_text(reply.NO_OPINION),
            unreadable=_text(unreadable(CAUSE)),
        )

    def may_ask(self, call: HookCall, supervisor: Supervisor) -> bool:
        """Return whether to turn a refusal into a question."""
        wanted = supervisor.project.config.attended
        if wanted != "auto":
            return wanted == "always"
        return supervisor.state.attended and call.payload.permission_mode in _ASKING_MODES

    def _supervisor(self, call: HookCall) -> Supervisor:
        payload = call.payload
        self.transcripts.note(
            payload.session_id, payload.transcript_path, payload.prompt_id, payload.tool_use_id
        )
        supervisor = self.runs.get(payload.session_id, payload.cwd)
        state = supervisor.state
        # Handrail was installed later, or missed the start of the session.
        origin = call.origin
        unknown = state.seq == 0 or origin.attended not in (None, state.attended)
        if unknown and payload.hook_event_name != "SessionStart":
            cwd = state.cwd or payload.cwd
            attended = bool(origin.attended)
            event = events.RunStarted(
                self._clock(), PROFILE.name, cwd, attended=attended, pid=origin.pid
            )
            supervisor.record(event)
        return supervisor

    def _without_log(self, call: HookCall, error: StoreError) -> Reply:
        """Answer without the log: nothing is known of the run, but reading may go on."""
        payload = call.payload
        event = payload.hook_event_name
        if event == "SessionStart":
            return reply.context(event, WELCOME, _alarm(error))
        bare = self.runs.bare(payload.session_id, payload.cwd)
        if event in _LOWERINGS:
            return _LOWERINGS[event](bare.judge_without_log(payload.action, error))
        if event in _GUARDED and (problem := self._find_problem(call, bare.state.cwd)):
            return reply.block(problem)
        return reply.NO_OPINION

    def _problem(self, call: HookCall, supervisor: Supervisor) -> str:
        return self._find_problem(call, supervisor.state.cwd or call.payload.cwd)

    # One method for each event

    def before_tool(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer before a tool runs."""
        payload = call.payload
        ask = self.may_ask(call, supervisor)
        progress = supervisor.decide(payload.action, agent=payload.agent_id, may_ask=ask)
        return progress.then(lambda verdict: reply.before_tool(verdict, ask=ask))

    def after_tool(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer after a tool succeeded or failed."""
        event = call.payload.hook_event_name
        ready = supervisor.take_in(read_end(call.payload))
        return ready.then(lambda verdict: reply.after_tool(event, verdict))

    def after_batch(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Close the calls of a batch: those without a result by now did not run."""
        receipts = []
        for each in call.payload.tool_calls:
            said = each.tool_response if isinstance(each.tool_response, str) else ""
            receipts += supervisor.drop(each.tool_use_id, said)
        return Ready(reply.NO_OPINION, receipts, lambda error: reply.NO_OPINION)

    def permission(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer when the host asks for permission, by itself or because Handrail told it to."""
        action = call.payload.action
        known = supervisor.state.find_same(fingerprint(action), command_name(action))
        if known is None:
            return supervisor.decide(action, agent=call.payload.agent_id).then(reply.permission)
        return _now(reply.NO_OPINION if known.asked else reply.permission(known.verdict))

    def prompt(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Record a person's prompt; hold it back if the session would run unsupervised."""
        text = call.payload.prompt
        if incident := supervisor.state.course.stopped:
            return _now(reply.block(_STOPPED.format(incident)))
        if supervisor.state.hand.standing in ENDING:
            return _now(reply.block(_ended_by(supervisor.state)))
        if text.startswith(_NOTIFICATION):
            return _now(reply.NO_OPINION)
        # This event is delivered safely, so it can still stop an unsupervised session.
        if problem := self._problem(call, supervisor):
            event = events.FaultNoted(self._clock(), "hooks", problem)
            return self._note(supervisor, event, reply.block(problem))
        self.runs.renew_if_confirmed(call.payload.session_id, call.origin.pid)
        messages = supervisor.messages
        receipts: list[Receipt] = []
        notices = supervisor.take_notices(receipts) if supervisor.state.notices else ()
        told = "\n".join((*notices, *map(said_to_agent, messages)))
        said = reply.with_prompt(told, self.runs.announce(supervisor.state))
        answer = self._note(supervisor, events.PromptGiven(self._clock(), text), said)
        answer.receipts += [*receipts, *supervisor.hand_over(messages)]
        return answer

    def start(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer when a session begins or resumes."""
        payload = call.payload
        if payload.source in _STARTS:
            self.runs.renew(payload.session_id, payload.cwd, call.origin.pid)
        origin = call.origin
        attended = supervisor.state.attended if origin.attended is None else origin.attended
        cwd = supervisor.state.cwd or payload.cwd
        event = events.RunStarted(
            self._clock(),
            PROFILE.name,
            cwd,
            payload.source,
            attended,
            payload.model,
            pid=origin.pid,
        )
        problem, receipt = self._problem(call, supervisor), supervisor.record(event)
        notice = untrusted_notice(supervisor.project.withheld)
        alarms = filter(None, (problem, self.runs.announce(supervisor.state), notice))
        said = reply.context("SessionStart", WELCOME, " ".join(alarms))
        return Ready(
            said,
            [receipt],
            lambda error: reply.context("SessionStart", WELCOME, _alarm(error)),
        )

    def end(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Record the end of a session."""
        answer = self._note(supervisor, events.RunEnded(self._clock(), call.payload.reason))
        self.runs.end(call.payload.session_id)
        return answer

    def stop(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer when the agent has stopped and waits for the next prompt."""
        payload = call.payload
        # Send an agent on only once: twice would be a loop of our own.
        again = payload.stop_hook_active
        ready = supervisor.rest(payload.last_assistant_message, for_good=again)
        return ready.then(reply.after_turn)

    def agent_stop(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Record the end of a sub-agent."""
        # /compact ends a sub-agent that never started.
        if call.payload.agent_id not in supervisor.state.agents:
            return _now(reply.NO_OPINION)
        return self._note(supervisor, events.AgentEnded(self._clock(), call.payload.agent_id))

    def note(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Record an event that needs no answer."""
        make = _NOTED[call.payload.hook_event_name]
        return self._note(supervisor, make(self._clock(), call.payload))

    def config_change(self, call: HookCall, supervisor: Supervisor) -> Answer:
        """Answer a change of settings; block one that would end supervision."""
        payload = call.payload
        # All files count, not only the changed one: a later change brings this one along.
        refused = self._problem(call, supervisor)
        event = events.SettingsChanged(self._clock(), payload.file_path, payload.source, refused)
        answer = reply.block(refused) if refused else reply.NO_OPINION
        return self._note(supervisor, event, answer)

    def _note(
        self, supervisor: Supervisor, event: events.Event, said: Reply = reply.NO_OPINION
    ) -> Ready[Reply]:
        receipt = supervisor.record(event)
        return Ready(said, [receipt], lambda error: said)


_NOTED: dict[str, Callable[[float, Payload], events.Event]] = {
    "SubagentStart": lambda at, seen: events.AgentStarted(at, seen.agent_id, seen.agent_type),
    "TaskCreated": lambda at, seen: events.TaskNoted(
        at, seen.task_id, "pending", seen.task_subject
    ),
    "TaskCompleted": lambda at, seen: events.TaskNoted(at, seen.task_id, "done", seen.task_subject),
    "PreCompact": lambda at, seen: events.Compacted(at, seen.trigger),
}

_REACTIONS: dict[str, Callable[[ClaudeHooks, HookCall, Supervisor], Answer]] = {
    "PreToolUse": ClaudeHooks.before_tool,
    "PostToolUse": ClaudeHooks.after_tool,
    "PostToolUseFailure": ClaudeHooks.after_tool,
    "PostToolBatch": ClaudeHooks.after_batch,
    "PermissionRequest": ClaudeHooks.permission,
    "UserPromptSubmit": ClaudeHooks.prompt,
    "SessionStart": ClaudeHooks.start,
    "SessionEnd": ClaudeHooks.end,
    "Stop": ClaudeHooks.stop,
    "SubagentStop": ClaudeHooks.agent_stop,
    "ConfigChange": ClaudeHooks.config_change,
    **dict.fromkeys(_NOTED, ClaudeHooks.note),
}


_LOWERINGS: dict[str, Callable[[Verdict], Reply]] = {
    "PreToolUse": lambda verdict: reply.before_tool(verdict, ask=False),
    "PermissionRequest": reply.permission,
}
"""The events that can carry a verdict without asking anybody."""
_GUARDED = frozenset({"UserPromptSubmit", "ConfigChange"})
"""The events to hold back if the hooks are, or would be, out of force."""


def _ended_by(state: RunState) -> str:
    hand = state.hand
    who = f"by {hand.by}" if hand.by else "by a person"
    why = f" ({hand.reason})" if hand.reason else ""
    if hand.standing in (Standing.CANCELLING, Standing.CANCELLED):
        return f"This run was cancelled {who}{why}. This prompt was not sent. Start a new session."
    return (
        f"This run was stopped {who}{why}. This prompt was not sent. "
        f"handrail resume {state.run} lets it go on."
    )


def _unheard(event: str, problem: str) -> Reply:
    """Return the reply to a request that nobody took from the port."""
    if event == "SessionStart":
        return reply.context(event, WELCOME, problem)
    if event in _GUARDED:
        return reply.block(problem)
    return _told(event, Verdict(Decision.BLOCK, problem, _DOCTOR))


def unreadable(problem: str, event: str = "") -> Reply:
    """Return the reply to an unreadable request: a refusal if it may be about a tool."""
    verdict = Verdict(
        Decision.BLOCK,
        f"The hook's message cannot be read: {problem}.",
        "Try the call again with a shorter and plainer input.",
    )
    return _told(event or "PreToolUse", verdict)


def failed(
    problem: str, body: bytes, on_fault: Callable[[str], OnFault] = lambda run: "deny"
) -> Reply:
    """Return the reply when Handrail itself breaks down over a request of a run."""
    try:
        payload = read_payload(body)
    except PayloadError as error:
        return unreadable(str(error), error.event)
    if payload.hook_event_name == "ConfigChange":
        return reply.block(f"Handrail cannot look at the changed settings: {problem}. {_DOCTOR}")
    verdict = fault_verdict(
        harmless=payload.tool_name in READS,
        problem=problem,
        fix=_DOCTOR,
        policy=on_fault(payload.session_id),
    )
    return _told(payload.hook_event_name, verdict)


def _text(said: Reply) -> str:
    return msgspec.json.encode(said).decode()


def _told(event: str, verdict: Verdict) -> Reply:
    lower = _LOWERINGS.get(event)
    return lower(verdict) if lower else reply.NO_OPINION


def _alarm(error: StoreError) -> str:
    return (
        f"Handrail cannot do its work: {error}. Until that is fixed, only what reads may run. "
        "`handrail doctor` says what to do."
    )


def _now(said: Reply) -> Ready[Reply]:
    return Ready(said, [], lambda error: said)
