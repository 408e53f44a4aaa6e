"""A second opinion by a model, for those who want one."""

from handrail.judge.judge import Judge, NoOpinionError
from handrail.judge.question import Opinion, Question, about_action, about_goal

__all__ = ["Judge", "NoOpinionError", "Opinion", "Question", "about_action", "about_goal"]
