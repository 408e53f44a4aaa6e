"""Decide when to ask a model for a second opinion."""

from collections.abc import Callable

from handrail.model.action import Action
from handrail.model.review import Review
from handrail.supervise.decision.decision_progress import OpinionRequest
from handrail.supervise.second_opinion import Question, about_action, about_goal
from handrail.supervise.supervised_run import SupervisedRun


def opinion_on_action(run: SupervisedRun, action: Action, review: Review) -> OpinionRequest | None:
    """Return the question about an action that Handrail would only warn of; None: ask nobody."""
    return _request(run, lambda: about_action(run.goal, action, review, run.redactor))


def opinion_on_goal(run: SupervisedRun) -> OpinionRequest | None:
    """Return the question whether the run still works on its goal; None: it is not due."""
    every = run.project.config.judge.goal_every
    if not every or run.state.step % every or not run.goal:
        return None
    return _request(run, lambda: about_goal(run.goal, run.state.course.shown, run.redactor))


def _request(run: SupervisedRun, ask: Callable[[], Question]) -> OpinionRequest | None:
    judge, state = run.project.config.judge, run.state
    if not judge.enabled or state.usage.opinions >= judge.calls_per_run:
        return None
    return OpinionRequest(state.run, state.step, ask(), judge)
