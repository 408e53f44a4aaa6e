"""The judgement of one action: effects, risk, rationality, rules, decision, rewrite."""

from handrail.review.reviewer import Reviewer
from handrail.review.rules import Rule

__all__ = ["Reviewer", "Rule"]
