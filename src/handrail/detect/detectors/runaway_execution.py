"""Runaway execution: the agent uses more and more for less and less of the goal."""

from handrail.detect.combinations import Combination
from handrail.detect.description import GREEDY, SLOW_DOWN, FindingDescription, paragraphs

COMBINATION = Combination(
    "runaway_execution",
    ("resource_spiral", "goal_drift"),
    2.0,
    "It uses more and more, for less and less of the goal",
    FindingDescription(
        meaning="The run uses more and more, for less and less of the goal.",
        fitting=SLOW_DOWN,
        hints=paragraphs("""
            {says} Start nothing new. End what still runs, say what of the task is open, and do only
            that, in the smallest piece that can be checked.

            {says} This costs more than it brings. Name the part that the task really needs, and
            leave out everything else.
        """),
        constraint="Start nothing new before what is running has ended and its result was read.",
        example="Run one of the twelve jobs with a limit of a minute, read its result, then "
        "decide about the others.",
        plan="resource_exhaustion",
        tested_by="any",
        advice=GREEDY,
    ),
    order=2,
)
