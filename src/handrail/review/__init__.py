"""The judgement of one action: effects, risk, rationality, rules, decision, rewrite."""

from handrail.review.judgment.rules import Rule
from handrail.review.reviewer import Reviewer

__all__ = ["Reviewer", "Rule"]
