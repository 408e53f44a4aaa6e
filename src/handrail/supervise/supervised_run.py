"""The state of one run and its log: record events, and tell listeners."""

from collections.abc import Callable, Sequence

import msgspec

from handrail.config.sources import FILE_NAME
from handrail.intervene.processes.process_tree import start_time_of_pid
from handrail.model import event as events
from handrail.model.active_settings import ActiveSettings
from handrail.model.control import ENDING, HOLDING
from handrail.redact import Redactor
from handrail.review.secrets.known_secrets import secrets_of
from handrail.store.journal import Journal
from handrail.store.port import Receipt
from handrail.supervise.followup.fault_notices import NEWER, WITHHELD, FaultNotices
from handrail.supervise.log.event_recorder import EventRecorder, ExtraRows
from handrail.supervise.runs.active_settings import active_settings
from handrail.supervise.runs.project import Project
from handrail.supervise.state.reducers import approval_notice
from handrail.supervise.state.run_state import RunState

Delivered = Callable[["SupervisedRun", events.ControlAsked], Receipt]
"""Records that the agent got a person's messages."""


class SupervisedRun:
    """Join the state of one run, the settings of its project and the log."""

    def __init__(
        self,
        state: RunState,
        project: Project,
        journal: Journal,
        *,
        said: set[str],
        distrusts_log: bool,
        publish: Callable[[events.Event], None],
        delivered: Delivered | None,
        clock: Callable[[], float],
    ) -> None:
        self.state = state
        self.project = project
        self.log = EventRecorder(state, journal, self._log_works)
        self._publish = publish
        self._delivered = delivered
        self._clock = clock
        self._alarms = FaultNotices(said)
        self._distrusts_log = distrusts_log
        self._redacts: tuple[object, ...] = ()
        """The project's redactor and the files behind this run's own."""
        self._redactor = project.redactor
        self._inherited = frozenset(each.step for each in state.open)
        """Actions permitted under the last daemon: nobody may have heard their ends."""

    @property
    def broken(self) -> bool:
        """An event was lost: the state has run ahead of the log and must be read again."""
        return self.log.lost is not None

    def record(self, event: events.Event, beside: ExtraRows | None = None) -> Receipt:
        """Write an event and apply it to the state.

        `beside`: rows of other topics that belong to the new state; all are written or none.
        """
        if type(event) is events.RunStarted:
            event = msgspec.structs.replace(event, settings=self._settings())
            if not event.pid_began and (began := start_time_of_pid(event.pid)):
                event = msgspec.structs.replace(event, pid_began=began)
        written = self.log.write(event, self.redactor, beside)
        self._publish(written.event)
        self.log.save_now_and_then()
        return written.receipt

    @property
    def redactor(self) -> Redactor:
        """Return the redactor of the project, with the secrets in files that the run has read."""
        read = self.state.history.secrets
        if not read:
            return self.project.redactor
        basis = (self.project.redactor, *read)
        if basis != self._redacts:
            known = (secret.value for path in read for secret in secrets_of(path))
            self._redacts, self._redactor = basis, self.project.redactor.knowing(known)
        return self._redactor

    def follow(self, now: Project) -> None:
        """Take note of the settings on the disk; they loosen a run only when a session starts."""
        if not self.state.seq:  # the run has not begun
            self.project = now
            return
        before, self.project = self.project, self.project.under_way(now)
        newer = self.project.newer
        if newer is None:
            self._alarms.over("newer")
            if not before.settled and self.project.settled:
                self.note_settings()
        elif before.newer is None or before.newer.config != newer.config:
            self.note_newer()

    def is_news(self, what: str) -> bool:
        """Whether the run was not told of a fault before; from now on it was."""
        return self._alarms.is_news(what)

    def note_settings(self) -> None:
        """Write down the settings that hold for the run from now on."""
        at, settings = self._clock(), self._settings()
        self.record(events.SettingsChanged(at, FILE_NAME, "handrail", settings=settings))

    def note_newer(self) -> None:
        """Record that newer settings apply only as far as they forbid."""
        newer = self.project.newer
        says = WITHHELD if newer is not None and newer.withheld else NEWER
        self.record(events.SettingsChanged(self._clock(), FILE_NAME, "handrail", says))

    @property
    def is_over(self) -> bool:
        """Return whether the run was stopped: no earlier permission holds any more."""
        return bool(self.state.course.stopped) or self.state.hand.standing in ENDING

    @property
    def goal(self) -> str:
        """Return what the agent was asked for, by its prompts or the settings."""
        return self.state.history.goal or self.project.config.goal

    @property
    def messages(self) -> list[events.ControlAsked]:
        """Return the messages from people that the agent can get now."""
        hand = self.state.hand
        if self._delivered is None or not hand.asked or hand.standing in ENDING:
            return []
        return hand.messages

    def hand_over(self, messages: Sequence[events.ControlAsked]) -> list[Receipt]:
        """Answer the people whose messages the agent gets now."""
        if self._delivered is None:
            return []
        return [self._delivered(self, each) for each in messages]

    def take_notices(self, receipts: list[Receipt], besides: str = "") -> tuple[str, ...]:
        """Return what the agent has not been told yet, and record that it is told now.

        `besides`: the approval of the present call, whose verdict tells the answer.
        """
        told = dict(self.state.notices)
        told.pop(approval_notice(besides), None)
        if not told:
            return ()
        receipts.append(self.record(events.AgentTold(self._clock(), tuple(told))))
        return tuple(told.values())

    @property
    def hold_seconds(self) -> float | None:
        """Return how long an action may be held; None: the run is not paused any more."""
        is_paused = self.state.hand.standing in HOLDING
        return float(self.project.config.control.hold_seconds) if is_paused else None

    def approval_seconds(self, name: str) -> float | None:
        """Return how long an action may wait for its approval; None: it has an answer."""
        now = self._clock()
        asked = self.state.approvals.find(name, now)
        if asked is None or not asked.is_open(now) or self.state.hand.standing in ENDING:
            return None
        config = self.project.config
        host_waits = float(min(config.control.hold_seconds, config.approvals.wait_seconds))
        return min(host_waits, asked.until - now)

    def release(self, action_id: str) -> None:
        """Note that nobody waits for a held action any more."""
        if action_id in self.state.hand.held:
            self.record(
                events.ActionHeld(self._clock(), action_id, "", released="its agent is gone")
            )

    def close_unheard(self, agent: str) -> None:
        """Close the agent's actions from before a restart: its next action proves their end."""
        for each in self.state.at_work:
            of_agent = each.intent is not None and each.intent.agent == agent
            if of_agent and each.step in self._inherited:
                self.record(events.ActionDropped(self._clock(), each.step, "its end was not heard"))

    def _settings(self) -> ActiveSettings | None:
        """Return the settings to log for a restart."""
        return active_settings(self.project.config) if self.project.settled else None

    def _log_works(self) -> None:
        """Note that the log has taken an event; called in its thread."""
        self._distrusts_log = False
        self._alarms.over("log")
