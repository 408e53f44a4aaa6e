"""A call that changed a part of Handrail: no detector sees it, the daemon's own watch does."""

from handrail.detect.description import Advice, FindingDescription

KIND = "tampering"

DESCRIPTION = FindingDescription(
    label="tampering",
    meaning="A call of the run changed a part of Handrail: its hooks, its program or its files.",
    advice=Advice(
        "A call changed what supervises the run. No review saw it beforehand: the call ran code "
        "that Handrail cannot read, such as a program or a script that was there before.",
        (
            "Look at the step that is named above, and at the file that it ran.",
            "handrail doctor proves that sessions are supervised again.",
        ),
        ("Run unattended agents in a container, or as a user of their own.",),
        ("Add the program to `programs:`, so that a person decides before it runs again.",),
    ),
)
