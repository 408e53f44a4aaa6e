"""The operations about actions that wait for a person."""

from collections.abc import Callable, Mapping

from handrail.api.messages.approvals import (
    ApprovalDecision,
    ApprovalList,
    ApprovalResult,
    ApprovalRow,
    EditOrder,
    EditVerdict,
)
from handrail.api.rows.action_details import bounded, command_parts, effect_rows
from handrail.api.rows.approval_rows import approval_row
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pages import PagePlace
from handrail.server.api.problems import not_found
from handrail.server.control.approval_decisions import ApprovalDecisions, RuleRefusedError
from handrail.store.port import Store
from handrail.views.approval_feed import ApprovalFeed, ApprovalView
from handrail.words.rule_change import rule_diff


class ApprovalOperations:
    """Lists questions from the log, and takes the answers in."""

    def __init__(
        self, decisions: ApprovalDecisions, live: LiveLog, clock: Callable[[], float]
    ) -> None:
        self._decisions = decisions
        self._live = live
        self._clock = clock
        self._feed = ApprovalFeed()

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions, by the name of the operation."""
        return {
            "list_approvals": self.list_approvals,
            "get_approval": self.get_approval,
            "review_edit": self.review_edit,
            "decide_approval": self.decide_approval,
        }

    async def list_approvals(self, call: ApiCall) -> ApprovalList:
        """Return the open questions, the oldest first, then those answered lately."""
        place, now = PagePlace.of(call), self._clock()

        def read(store: Store) -> ApprovalList:
            found = self._feed.all(store, now)
            rows = (self._row(each, now) for each in place.cut(found))
            return ApprovalList(tuple(rows), place.following(len(found)))

        return await self._live.read(read)

    async def get_approval(self, call: ApiCall) -> ApprovalRow:
        """Return one question."""
        return await self._shown(call.path("approval"))

    async def review_edit(self, call: ApiCall) -> EditVerdict:
        """Return the verdict on another input."""
        name, edited = call.path("approval"), call.body(EditOrder).edited
        view = await self._find(name)
        found = await self._decisions.review_edit(view.run, name, edited)
        review, verdict = found.review, found.verdict
        return EditVerdict(
            input=bounded(found.input),
            says=found.says,
            possible=found.possible,
            decision=verdict.decision.value,
            reason=verdict.reason,
            alternative=verdict.alternative,
            rewritten=None if verdict.updated_input is None else bounded(verdict.updated_input),
            changes=verdict.changes,
            effects=effect_rows(review),
            parts=command_parts(review),
            risk=review.risk.score,
            severity=str(review.risk.severity),
        )

    async def decide_approval(self, call: ApiCall) -> ApprovalResult:
        """Take in the answer to a question."""
        name, given = call.path("approval"), call.body(ApprovalDecision)
        view = await self._find(name)
        done = await self._decisions.decide(view.run, name, given, call.caller.user)
        says = "Denied." if given.decision == "deny" else "Approved, once."
        if given.always:
            says = "Approved, for good in this project."
        return ApprovalResult(
            ok=True,
            says=f"{says} {done.note}".rstrip(),
            runs=done.runs,
            note=done.note,
            approval=await self._shown(name),
        )

    async def _shown(self, name: str) -> ApprovalRow:
        now = self._clock()
        view = await self._find(name)
        return await self._live.read(lambda store: self._row(view, now))

    async def _find(self, name: str) -> ApprovalView:
        now = self._clock()
        view = await self._live.read(lambda store: self._feed.find(store, name, now))
        if view is None:
            raise not_found("approval", name)
        return view

    def _row(self, view: ApprovalView, now: float) -> ApprovalRow:
        if view.question is None or not view.approval.is_open(now):
            return approval_row(view, now)
        try:
            change = self._decisions.plan_always(view.question)
        except RuleRefusedError as error:
            return approval_row(view, now, no_rule=str(error))
        return approval_row(view, now, always=rule_diff(change))
