"""Decide about the calls of one run: review, limits, checkpoints, a person's word."""

from collections.abc import Callable
from time import perf_counter

import msgspec

from handrail.intervene import Capability
from handrail.model import event as events
from handrail.model.action import Action
from handrail.model.control import HOLDING
from handrail.model.fingerprint import fingerprint
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.review.reviewer import ReviewDraft
from handrail.store.errors import StoreError
from handrail.store.journal import Journal
from handrail.store.port import Receipt
from handrail.supervise.decision.approvals import (
    ApprovedVerdict,
    edited_verdict,
    verdict_with_approval,
)
from handrail.supervise.decision.checkpoint_need import action_line, checkpoint_request
from handrail.supervise.decision.checkpoint_request import CheckpointPlanner, CheckpointResult, Save
from handrail.supervise.decision.decision_progress import (
    CheckpointNeeded,
    DecisionProgress,
    Held,
    Ready,
)
from handrail.supervise.decision.messages import with_messages
from handrail.supervise.decision.opinions import opinion_on_action
from handrail.supervise.decision.reply_cache import ReplyCache
from handrail.supervise.decision.run_limits import refusal_by_limits, with_command_limits
from handrail.supervise.decision.tool_call import BegunReview, CallUnderReview
from handrail.supervise.decision.verdict import (
    only_reads,
    refused_strictly,
    under_fault,
    verdict_of,
    with_notice,
)
from handrail.supervise.followup.breach import command_name
from handrail.supervise.followup.corrections import (
    Neighbour,
    corrections,
    with_intervention,
    with_rollback_notice,
)
from handrail.supervise.runs.project import Project
from handrail.supervise.state.approval_state import Approval
from handrail.supervise.state.open_action import OpenAction
from handrail.supervise.state.watched_state import WatchedState
from handrail.supervise.supervised_run import Delivered, SupervisedRun


class DecidingRun(SupervisedRun):
    """A run whose calls get verdicts; each verdict is recorded."""

    state: WatchedState

    def __init__(
        self,
        state: WatchedState,
        project: Project,
        journal: Journal,
        *,
        said: set[str] | None,
        distrusts_log: bool,
        can: Callable[[str], frozenset[Capability]],
        publish: Callable[[events.Event], None],
        delivered: Delivered | None,
        planner: CheckpointPlanner | None,
        current: "Callable[[], DecidingRun] | None",
        neighbour: Neighbour,
        own_problem: Callable[[], str],
        clock: Callable[[], float],
    ) -> None:
        super().__init__(
            state,
            project,
            journal,
            said=set() if said is None else said,
            distrusts_log=distrusts_log,
            publish=publish,
            delivered=delivered,
            clock=clock,
        )
        self._can = can
        self._planner = planner
        self._current = current or (lambda: self)
        self._neighbour = neighbour
        self._own_problem = own_problem
        self._answers: ReplyCache[Ready[Verdict]] = ReplyCache()
        self._ended: ReplyCache[Verdict] = ReplyCache()

    def decide(
        self, action: Action, *, agent: str = "", may_ask: bool = False
    ) -> DecisionProgress[Verdict]:
        """Judge an action; the same call twice gets the same answer."""
        return self._decide(CallUnderReview(action, fingerprint(action), agent, may_ask))

    def judge_edit(self, action: Action) -> tuple[Review, Verdict]:
        """Review what a person wants to run instead of an action; nothing is recorded."""
        review = self.project.begin_review(action, self.state.past).review
        verdict = self._decided(fingerprint(action), review)
        if review.checkpoint_first and verdict.overrulable:
            says = f"{review.explanation} Handrail saves the files first."
            verdict = Verdict(Decision.WARN, says)
        return review, verdict

    def judge_without_log(self, action: Action, error: StoreError) -> Verdict:
        """Judge an action that cannot be recorded."""
        name = fingerprint(action)
        review = self.project.begin_review(action, self.state.past, name).review
        verdict = self._tell_all(self._decided(name, review), review)
        harmless = only_reads(review)
        verdict = self._ready(verdict, [], harmless=harmless, error=error).value
        # Nobody can permit an action that could not be recorded.
        return msgspec.structs.replace(verdict, overrulable=False)

    def _decide(self, call: CallUnderReview) -> DecisionProgress[Verdict]:
        """Decide about a call as far as possible now."""
        action = call.action
        answer = self._answers.find(action.id, call.name)
        if answer is not None and not (self.is_over and _lets_through(answer.value)):
            return answer
        # The log may know the same call, for example from before a restart.
        known = self.state.find_open(action.id)
        if known is not None and (known.name != call.name or self.broken):
            known = None
        if known is not None and self.is_over and _lets_through(known.verdict):
            known = None  # its permission ended with the run
        is_paused = self.state.hand.standing in HOLDING and not self.broken
        if known is None and is_paused and action.id and not call.must_answer:
            return self._hold(call)
        if known is not None and (known.approved or not _is_rewritten(known.verdict)):
            answer = self._ready(known.verdict, self.log.under_way)
        else:
            progress = self._judge(call, known)
            if not isinstance(progress, Ready):
                return progress
            answer = progress
        self._answers.keep(action.id, call.name, answer)
        return answer

    def _decide_later(self, call: CallUnderReview) -> DecisionProgress[Verdict]:
        """Decide about a call that has waited, by the present state of the run."""
        try:
            now = self._current()
        except StoreError as error:
            verdict = self.judge_without_log(call.action, error)
            return Ready(verdict, [], lambda error: verdict)
        return now._decide(call)

    def _hold(self, call: CallUnderReview) -> Held[Verdict]:
        """Let a call wait while the run is paused; the facts may change meanwhile."""
        action = call.action
        if action.id not in self.state.hand.held:
            says = action_line(action, self.redactor)
            self.record(events.ActionHeld(self._clock(), action.id, says, call.agent))
            self.close_unheard(call.agent)
        return self._held(
            call,
            seconds=lambda: self._current().hold_seconds,
            abandon=lambda: self._current().release(action.id),
        )

    def _hold_for_approval(self, call: CallUnderReview) -> Held[Verdict]:
        """Let a call wait until a person has approved or denied it."""
        return self._held(
            msgspec.structs.replace(call, saved=None),  # the files may change meanwhile
            seconds=lambda: self._current().approval_seconds(call.name),
            abandon=lambda: None,  # the question stays: the same call may come again
        )

    def _held(
        self,
        call: CallUnderReview,
        seconds: Callable[[], float | None],
        abandon: Callable[[], None],
    ) -> Held[Verdict]:
        later = msgspec.structs.replace(call, begun=None)
        last = msgspec.structs.replace(later, must_answer=True)
        return Held(
            self.state.run,
            seconds,
            resume=lambda: self._decide_later(later),
            answer=lambda: self._decide_later(last),
            abandon=abandon,
        )

    def _judge(self, call: CallUnderReview, known: OpenAction | None) -> DecisionProgress[Verdict]:
        """Review a call, and decide about it unless the files have to be saved first.

        `known`: the logged action of the same call, whose rewritten input lacks its secrets.
        """
        began = perf_counter()
        begun, state = call.begun, self.state
        if begun is not None and begun.still_holds(self.project, state):
            draft = begun.draft
            began -= begun.seconds
        else:
            draft = self.project.begin_review(call.action, state.past, call.name)
        saved = call.saved
        review = draft.review if saved is None else draft.finish(saved.kept)
        decided = self._decided(call.name, review, saved)
        save = None if saved is not None else self._save(call.action, draft, decided)
        approved: ApprovedVerdict | None = ApprovedVerdict(decided)
        # A person is asked about what stays refused with a checkpoint.
        if known is None and (save is None or decided.decision is not Decision.BLOCK):
            approved = verdict_with_approval(self, call, review, decided, self._clock())
        if approved is None:
            return self._hold_for_approval(call)
        if approved.edit is not None:
            return self._judge_edited(call, approved.edit, began)
        if saved is None and approved.verdict is not decided:
            save = self._save(call.action, draft, approved.verdict)
        if save is None:
            return self._conclude(call, known, review, approved, began)
        took = perf_counter() - began
        begun = BegunReview(draft, self.project, state, state.step, state.prompts, took)

        def proceed(saved: CheckpointResult) -> DecisionProgress[Verdict]:
            return self._decide_later(msgspec.structs.replace(call, begun=begun, saved=saved))

        return CheckpointNeeded(save, proceed)

    def _judge_edited(
        self, call: CallUnderReview, edit: Approval, began: float
    ) -> DecisionProgress[Verdict]:
        """Review what a person wants to run instead, and decide about it."""
        action = msgspec.structs.replace(call.action, input=edit.edited or {})
        draft = self.project.begin_review(action, self.state.past)
        saved = call.saved
        review = draft.review if saved is None else draft.finish(saved.kept)
        decided = self._decided(call.name, review, saved)
        save = None if saved is not None else self._save(action, draft, decided)
        if save is not None:

            def proceed(saved: CheckpointResult) -> DecisionProgress[Verdict]:
                return self._decide_later(msgspec.structs.replace(call, begun=None, saved=saved))

            return CheckpointNeeded(save, proceed)
        verdict = edited_verdict(edit, decided)
        used = edit.id if verdict.decision is not Decision.BLOCK else ""
        return self._conclude(call, None, review, ApprovedVerdict(verdict, used), began)

    def _conclude(
        self,
        call: CallUnderReview,
        known: OpenAction | None,
        review: Review,
        approved: ApprovedVerdict,
        began: float,
    ) -> Ready[Verdict]:
        """Record the decision and its immediate consequences."""
        action = call.action
        decided, approval = approved.verdict, approved.approval
        verdict = with_command_limits(
            action, self._tell_all(decided, review), self.state.course.allowance
        )
        command = command_name(action, verdict.updated_input)
        harmless = only_reads(review)
        if self.log.lost is not None:
            return self._ready(verdict, [], harmless=harmless, error=self.log.lost)
        if known is not None and known.command == command:
            # The log has the rewritten input without its secrets; this one is complete.
            return self._ready(verdict, self.log.under_way, harmless=harmless)
        messages = [] if call.agent else self.messages
        if messages:
            verdict = with_messages(verdict, messages)
        told: list[Receipt] = []
        if self.state.notices and not call.agent and not self.is_over:
            verdict = with_notice(verdict, *self.take_notices(told, approval))
        asked = call.may_ask and verdict.overrulable
        step = self.state.step + 1
        event = events.ActionReviewed(
            self._clock(),
            step,
            call.name,
            action,
            msgspec.structs.replace(review, id=f"r{step}"),
            verdict,
            call.agent,
            round((perf_counter() - began) * 1000, 3),
            asked,
            command,
            approval,
        )
        receipt = self.record(event)
        self._ended.forget(action.id)
        waits = self._waits(review, verdict) or messages or approval
        receipts = [*told, receipt] if waits else told
        if messages:
            receipts += self.hand_over(messages)
        final = verdict.decision is Decision.BLOCK and not (asked or verdict.passing)
        if final and not self.state.course.stopped:
            # A refused action has no later event: look at it now.
            verdict = self._correct(verdict, receipts)
        ready = self._ready(verdict, receipts, harmless=harmless)
        if verdict.decision is Decision.WARN:
            ready.doubt = opinion_on_action(self, action, review)
        return ready

    def _save(self, action: Action, draft: ReviewDraft, verdict: Verdict) -> Save | None:
        """Return how to save the files before deciding about an action, or None."""
        if self._planner is None or self.log.lost is not None or self.state.course.stopped:
            return None
        redactor, config = self.redactor, self.project.config
        request = checkpoint_request(action, draft, verdict, self.state, redactor, config.trash)
        if request is None:
            return None
        return self._planner.plan(request, self.state, self.project.config.checkpoints)

    def _correct(self, verdict: Verdict, receipts: list[Receipt]) -> Verdict:
        """Record the findings about the last step, and intervene if need be."""
        now = self._clock()
        can = self._can(self.state.host)
        for event in corrections(self.state, self.project, can, now, self._neighbour):
            receipts.append(self.record(event))
            if isinstance(event, events.Intervened):
                verdict = with_intervention(verdict, event.intervention)
        faults = (
            *self.state.course.watch.faults,
            *self.project.controller.faults,
            *self.project.reviewer.faults,
        )
        receipts += [
            self.record(events.FaultNoted(now, "plugin", fault))
            for fault in faults
            if self._alarms.is_news(fault)
        ]
        return verdict

    def _decided(self, name: str, review: Review, saved: CheckpointResult | None = None) -> Verdict:
        refused = refusal_by_limits(self.state, review, self.project.limits, self._clock())
        if refused is not None:
            return refused
        verdict = verdict_of(review, self.state.history.refusals(name), saved)
        return refused_strictly(verdict, review) if self.state.course.strict else verdict

    def _tell_all(self, verdict: Verdict, review: Review) -> Verdict:
        back = self.state.course.rolled_back
        if back is not None and self.state.course.back_untold:
            verdict = with_rollback_notice(verdict, back)
        verdict = self._alarms.told(verdict, review, self.project)
        if problem := self._own_problem():
            harmless = only_reads(review)
            fault = self._alarms.own_fault(problem, self.project.on_fault, harmless=harmless)
            verdict = under_fault(verdict, fault)
        return verdict

    def _waits(self, review: Review, verdict: Verdict) -> bool:
        settings = self.project.config.step_reviewer
        if settings.mode == "blocking" or self._distrusts_log:
            return True
        risk = review.risk.score
        return verdict.decision > Decision.ALLOW or risk >= settings.performance.async_threshold

    def _ready(
        self,
        verdict: Verdict,
        receipts: list[Receipt],
        *,
        harmless: bool = False,
        error: StoreError | None = None,
    ) -> Ready[Verdict]:
        def otherwise(error: StoreError) -> Verdict:
            fault = self._alarms.log_fault(error, self.project.on_fault, harmless=harmless)
            return under_fault(verdict, fault)

        return Ready(verdict if error is None else otherwise(error), receipts, otherwise)


def _is_rewritten(verdict: Verdict) -> bool:
    return verdict.decision is Decision.MODIFY


def _lets_through(verdict: Verdict) -> bool:
    return verdict.decision is not Decision.BLOCK or verdict.overrulable
