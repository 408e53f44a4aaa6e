"""Carries out the answers of people to questions about actions."""

import asyncio
import os
from collections.abc import Callable, Mapping

import msgspec

from handrail.api.messages.approvals import ApprovalDecision
from handrail.config.approvals import AlwaysAllowed
from handrail.config.user_rules import UnwritableRuleError, UserRuleChange, plan_rule
from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.event import ApprovalAsked, ApprovalDecided
from handrail.model.fingerprint import fingerprint
from handrail.model.ordinal import Decision
from handrail.model.review import Review, Verdict
from handrail.redact.spans import MARKER
from handrail.server.http.json_response import once_written
from handrail.server.http.routes import EndpointError
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.private_files import make_folder, replace_file
from handrail.supervise.decision.always_allowed import rule_for
from handrail.supervise.decision.approvals import QUESTION_LENGTH
from handrail.supervise.decision.checkpoint_need import action_line
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.state.approval_state import Approval
from handrail.supervise.supervisor import Supervisor
from handrail.words.actions import command_of

_MINUTE = 60.0


class AnswerOutcome(msgspec.Struct, frozen=True):
    """What an answer came to."""

    runs: str
    """What runs instead; empty: the action itself, or nothing."""
    note: str
    """What else the person has to know or do; empty: nothing."""


class EditReview(msgspec.Struct, frozen=True):
    """The verdict on an edited action, before anybody approves it."""

    input: dict[str, object]
    says: str
    review: Review
    verdict: Verdict
    possible: bool
    """It can be approved."""


class NoSuchApprovalError(EndpointError):
    """Nothing of that name waits, or has waited lately."""

    status = 404

    def __init__(self, run: str, approval: str) -> None:
        super().__init__(f"run {run} has no approval {approval}: it was used, or never asked for")


class AnsweredBeforeError(EndpointError):
    """It has an answer, or nobody may answer it any more."""

    status = 409


class EditRefusedError(EndpointError):
    """An edit cannot be approved."""


class RuleRefusedError(EndpointError):
    """No rule can allow the action for good."""

    status = 409


class ApprovalDecisions:
    """Records the answers of people; the held call hears of them by the event."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        clock: Callable[[], float],
        environ: Mapping[str, str],
    ) -> None:
        """`environ`: tells where the user's own file is."""
        self._supervision = supervision
        self._runs = runs
        self._clock = clock
        self._environ = environ
        self._turn = asyncio.Lock()
        """One answer after the other: two could write the user's file at the same time, or a
        denial could come between a rule and its approval."""

    async def decide(
        self, run: str, approval: str, given: ApprovalDecision, by: str
    ) -> AnswerOutcome:
        """Approve, edit or deny an action that waits, as `by` decided."""
        if given.decision == "deny" and (given.always or given.edited is not None):
            raise EditRefusedError("a denied action is neither edited nor allowed for good")
        if given.always and given.edited is not None:
            raise EditRefusedError("an edited action runs once; only the action itself can always")
        async with self._turn:
            if given.always:
                question = await self._supervision.call(lambda: self._question(run, approval))
                await asyncio.to_thread(self._write, question)
            return await self._supervision.answer(lambda: self._record(run, approval, given, by))

    async def review_edit(self, run: str, approval: str, edited: dict[str, object]) -> EditReview:
        """Return the verdict on another input of an action that waits."""
        return await self._supervision.call(lambda: self._reviewed(run, approval, edited))

    def plan_always(self, question: ApprovalAsked) -> UserRuleChange:
        """Return the change of the user's file that allows an action for good; reads the disk.

        Raises RuleRefusedError.
        """
        rule = always_rule(question)
        try:
            return plan_rule(rule, self._environ)
        except UnwritableRuleError as error:
            raise RuleRefusedError(str(error)) from None

    def _write(self, question: ApprovalAsked) -> None:
        change = self.plan_always(question)
        path = os.path.realpath(change.path)  # it may be a link into a folder of dotfiles
        make_folder(os.path.dirname(path))
        mode = os.stat(path).st_mode & 0o777 if change.before is not None else 0o600
        replace_file(path, change.after.encode(), mode)

    # In the supervision thread

    def _record(
        self, run: str, approval: str, given: ApprovalDecision, by: str
    ) -> Ready[AnswerOutcome]:
        supervisor, _ = self._open(run, approval)
        now = self._clock()
        approved = given.decision == "approve"
        edit = None
        if given.edited is not None:
            edit = self._reviewed(run, approval, given.edited)
            if not edit.possible:
                raise EditRefusedError(f"nobody can approve `{edit.says}`: {edit.verdict.reason}")
        event = ApprovalDecided(
            now,
            approval,
            approved,
            by,
            given.reason,
            now + supervisor.project.config.approvals.valid_minutes * _MINUTE,
            edited=edit.input if edit is not None else None,
            edited_says=edit.says if edit is not None else "",
            always=given.always,
        )
        note = _goes_on(supervisor) if approved else ""
        return once_written(AnswerOutcome(event.edited_says, note), [supervisor.record(event)])

    def _reviewed(self, run: str, approval: str, edited: dict[str, object]) -> EditReview:
        supervisor, _ = self._open(run, approval)
        action = self._question(run, approval).action
        if not is_editable(action):
            raise EditRefusedError(f"only a command can be edited, and not a call of {action.tool}")
        changed = msgspec.structs.replace(action, input={**action.input, **edited})
        if not command_of(changed).strip():
            raise EditRefusedError("there is no command in it")
        if supervisor.redactor.value(changed.input) != changed.input or _has_marker(changed.input):
            raise EditRefusedError(
                "it has a secret in it, which Handrail does not write down; let the command read "
                "it from a file or a variable"
            )
        review, verdict = supervisor.judge_edit(changed)
        possible = verdict.decision is not Decision.BLOCK or verdict.overrulable
        says = action_line(changed, supervisor.redactor, QUESTION_LENGTH)
        return EditReview(changed.input, says, review, verdict, possible)

    def _question(self, run: str, approval: str) -> ApprovalAsked:
        """Return the event that asked; its question is open."""
        _, asked = self._open(run, approval)
        for _, event in self._runs.journal.read(topic_of(run), max(asked.seq - 1, 0)):
            if isinstance(event, ApprovalAsked) and event.approval == approval:
                return event
        raise NoSuchApprovalError(run, approval)

    def _open(self, run: str, approval: str) -> tuple[Supervisor, Approval]:
        supervisor = self._runs.find(run)
        asked = supervisor.state.approvals.kept.get(approval) if supervisor is not None else None
        if supervisor is None or asked is None:
            raise NoSuchApprovalError(run, approval)
        if not asked.is_open(self._clock()):
            answers = {None: "has expired", True: "was approved before", False: "was denied before"}
            raise AnsweredBeforeError(f"approval {approval} {answers[asked.approved]}")
        return supervisor, asked


def always_rule(question: ApprovalAsked) -> AlwaysAllowed:
    """Return the narrowest rule that allows an action for good. Raises RuleRefusedError."""
    # The log has it without its secrets: a rule made of that would allow something else.
    if fingerprint(question.action) != question.name:
        raise RuleRefusedError("it has a secret in it, so no rule can name it")
    return rule_for(question.action)


def is_editable(action: Action) -> bool:
    """Return whether a person may run it in another form."""
    return action.tool.lower() in SHELL_TOOLS


def _goes_on(supervisor: Supervisor) -> str:
    """Return how an agent that does not run any more hears of an approval."""
    loop = supervisor.state.loop
    if loop is not None and loop.ended and not loop.parent:
        return f"The run has ended: handrail run --resume {supervisor.state.run} goes on with it."
    return ""


def _has_marker(given: dict[str, object]) -> bool:
    return any(isinstance(value, str) and MARKER.search(value) for value in given.values())
