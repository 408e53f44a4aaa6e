"""Count actions by the rules in the user's settings."""

import re
from functools import lru_cache

import msgspec

from handrail.config.detection import CountingRule, Detection
from handrail.detect.completed_step import CompletedStep
from handrail.model.effect import Kind
from handrail.model.finding import Finding

_MOST = 50
"""Steps that a rule can look back."""
_FAILED = {"ok": False, "failed": True}


class CountedStep(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of a step for rules."""

    step: int
    tool: str
    shown: str
    kinds: tuple[Kind, ...]
    failed: bool | None
    """None: it did not run."""


class CountingRules(msgspec.Struct):
    """The last steps, shared by all rules."""

    deeds: list[CountedStep] = []

    def see(self, done: CompletedStep) -> None:
        """Add the next step."""
        intent = done.intent
        failed = _FAILED.get(done.ending)
        deeds = self.deeds
        deeds.append(CountedStep(done.step, intent.tool, intent.begins, intent.kinds, failed))
        if len(deeds) > _MOST:
            del deeds[0]

    def find(self, settings: Detection) -> list[Finding]:
        """Return the findings of the rules that count the last step and enough before it."""
        if not settings.counting or not self.deeds:
            return []
        found = (self._count(rule) for rule in settings.counting)
        return [finding for finding in found if finding is not None]

    def _count(self, rule: CountingRule) -> Finding | None:
        if not _counts(rule, self.deeds[-1]):
            return None
        steps = tuple(done.step for done in self.deeds[-rule.within :] if _counts(rule, done))
        if len(steps) < rule.times:
            return None
        facts = {"times": str(len(steps)), "within": str(rule.within)}
        return Finding(rule.name, rule.severity, 1.0, steps, 0.0, rule.says, rule.name, facts)


def _counts(rule: CountingRule, done: CountedStep) -> bool:
    if rule.failed is not None and done.failed is not rule.failed:
        return False
    if rule.tools and done.tool not in rule.tools:
        return False
    if rule.kinds and not set(rule.kinds).intersection(done.kinds):
        return False
    return not rule.commands or _pattern(rule.commands).search(done.shown) is not None


@lru_cache(maxsize=64)
def _pattern(expressions: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{expression})" for expression in expressions))
