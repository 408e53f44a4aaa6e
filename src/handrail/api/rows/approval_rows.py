"""Questions to a person as messages of the API."""

from handrail.api.messages.approvals import ApprovalRow
from handrail.api.rows.action_details import bounded, command_parts, effect_rows, factor_rows
from handrail.views.approval_feed import ApprovalView

_MAX_GOAL = 2_000


def approval_row(
    view: ApprovalView, now: float, *, always: str = "", no_rule: str = ""
) -> ApprovalRow:
    """Return a question as a message; `always`: the diff that allows its action for good."""
    asked, question = view.approval, view.question
    action = None if question is None else question.action
    review = None if question is None else question.review
    rewrite = None if review is None else review.rewrite
    return ApprovalRow(
        id=asked.id,
        run=view.run,
        run_name=view.run_name,
        goal=view.goal[:_MAX_GOAL],
        says=asked.says,
        tool="" if action is None else action.tool,
        input={} if action is None else bounded(action.input),
        cwd="" if action is None else action.cwd,
        why=view.why,
        kinds=tuple(map(str, asked.kinds)),
        effects=() if review is None else effect_rows(review),
        parts=() if review is None else command_parts(review),
        risk=0.0 if review is None else review.risk.score,
        severity="none" if review is None else str(review.risk.severity),
        factors=() if review is None else factor_rows(review),
        alternative="" if review is None else review.alternative,
        rewritten=None if rewrite is None else bounded(rewrite.input),
        changes=() if rewrite is None else rewrite.changes,
        asked=asked.asked,
        until=asked.until,
        state=view.standing(now),
        by=asked.by,
        reason=asked.reason,
        refused=asked.refused,
        would=view.would,
        tests=view.tests,
        edited=None if asked.edited is None else bounded(asked.edited),
        edited_says=asked.edited_says,
        editable=view.editable,
        always=always,
        no_rule=no_rule,
    )
