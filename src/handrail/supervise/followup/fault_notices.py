"""Alert a person to a fault once, not on every call."""

import msgspec

from handrail.config.sources import FILE_NAME
from handrail.model.review import Review, Verdict
from handrail.store.errors import DamagedError, DiskFullError, StoreError
from handrail.supervise.decision.verdict import (
    OnFault,
    fault_verdict,
    only_reads,
    stricter_policy,
    under_fault,
    with_notice,
)
from handrail.supervise.runs.project import Project

NEWER = "its bans count now, its permissions when a session starts or resumes"
WITHHELD = "its bans count now, its permissions when a person confirms them"
_TRUST = "handrail config trust shows them."
_FIXES: dict[type[StoreError], str] = {
    DiskFullError: "make room on the disk.",
    DamagedError: "handrail doctor --fix moves the damaged log aside and starts a new one.",
}
_CHECK = "handrail config check says what is wrong."
_FIX = "handrail doctor says what is wrong."


class FaultNotices:
    """The notices of one run; `said`: those given already."""

    def __init__(self, said: set[str]) -> None:
        self._said = said

    def is_news(self, what: str) -> bool:
        """Return whether a notice is new, and remember it."""
        news = what not in self._said
        self._said.add(what)
        return news

    def over(self, what: str) -> None:
        """Forget a notice, so that the fault is announced again."""
        self._said.discard(what)

    def log_fault(self, error: StoreError, policy: OnFault, *, harmless: bool) -> Verdict:
        """Return the verdict for a failing log."""
        fix = _FIXES.get(type(error), _FIX)
        return self._fault("log", str(error), fix, policy, harmless=harmless)

    def own_fault(self, problem: str, policy: OnFault, *, harmless: bool) -> Verdict:
        """Return the verdict for a Handrail that somebody has changed; no setting lets it pass."""
        policy = stricter_policy(policy, "deny")
        return self._fault("own", problem, _FIX, policy, harmless=harmless)

    def told(self, verdict: Verdict, review: Review, project: Project) -> Verdict:
        """Return the verdict with the problems of the settings."""
        if project.newer is not None and self.is_news("newer"):
            said = f"{WITHHELD}. {_TRUST}" if project.newer.withheld else f"{NEWER}."
            verdict = with_notice(verdict, alarm=f"{FILE_NAME} was changed: {said}")
        problem = project.problem
        if not problem:
            self.over("settings")
            return verdict
        if not project.settled:
            harmless = only_reads(review)
            fault = self._fault("settings", problem, _CHECK, project.on_fault, harmless=harmless)
            return under_fault(verdict, fault)
        if not self.is_news("settings"):
            return verdict
        alarm = f"Handrail's settings cannot be used: {problem}. Those from before stay in force."
        return with_notice(verdict, alarm=f"{alarm} Fix: {_CHECK}")

    def _fault(
        self, kind: str, problem: str, fix: str, policy: OnFault, *, harmless: bool
    ) -> Verdict:
        """Return the verdict for a fault of Handrail itself; loud the first time only."""
        verdict = fault_verdict(harmless=harmless, problem=problem, fix=fix, policy=policy)
        if not self.is_news(kind):
            return verdict
        alarm = f"Handrail cannot do its work: {problem}. Fix: {fix}"
        return msgspec.structs.replace(verdict, alarm=alarm)
