"""The agent relies on things that are not there, and works outside the scope."""

from handrail.detect.combinations import Combination
from handrail.detect.description import GO_BACK, LOST, FindingDescription, paragraphs

COMBINATION = Combination(
    "confused_state",
    ("hallucination", "scope_creep"),
    1.8,
    "It relies on things that are not there, and works outside the scope",
    FindingDescription(
        meaning="The agent relies on missing things, and works outside the scope.",
        fitting=GO_BACK,
        hints=paragraphs("""
            {says} Go back to {scope}, list what is there, and build only on that.

            {says} Your picture of this project is not right. Read its overview (README, the list of
            files) once more, say what is different from what you thought, and go on from there.
        """),
        constraint="Build only on files that you have seen in this run, inside the task's folders.",
        example="List the tracked files, pick the three that belong to the task, and read those.",
        plan="lost_context",
        tested_by="paths",
        advice=LOST,
    ),
    order=3,
)
