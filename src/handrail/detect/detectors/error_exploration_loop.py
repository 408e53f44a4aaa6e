"""The same error comes back while the agent looks around without end."""

from handrail.detect.combinations import Combination
from handrail.detect.description import GO_BACK, STUCK, FindingDescription, paragraphs

COMBINATION = Combination(
    "error_exploration_loop",
    ("repetitive_errors", "exploration_wandering"),
    1.5,
    "It meets the same error and looks around without end",
    FindingDescription(
        meaning="The agent meets the same error and looks around without end.",
        fitting=GO_BACK,
        hints=paragraphs("""
            The error `{error}` keeps coming back while you look around elsewhere (steps {steps}).
            The answer is near the error: open the file and line that it names, and stay there until
            you can explain it.

            {says} Looking further away does not help. Go back to the first error, read it whole,
            and follow only what it names.

            {says} Stop both, the retries and the search. Say what you know about the error, what
            you have ruled out, and the one check that would tell you more. Do that check.
        """),
        constraint="Stay with the error, at the file and line that it names, until it is "
        "explained.",
        example="The trace ends in `cart.py` line 40, so read lines 30 to 50 and what calls them, "
        "nothing else.",
        advice=STUCK,
    ),
    order=1,
)
