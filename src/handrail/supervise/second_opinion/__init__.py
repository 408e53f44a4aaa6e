"""A second opinion by a model, for those who want one."""

from handrail.supervise.second_opinion.model import NoOpinionError, OpinionModel
from handrail.supervise.second_opinion.question import Opinion, Question, about_action, about_goal

__all__ = ["NoOpinionError", "Opinion", "OpinionModel", "Question", "about_action", "about_goal"]
