"""What is said about each kind of trouble in the report of an incident."""

import msgspec


class Advice(msgspec.Struct, frozen=True):
    """Why it comes about, and what to do: now, to prevent it, and in `handrail.yaml`."""

    cause: str
    now: tuple[str, ...]
    later: tuple[str, ...]
    settings: tuple[str, ...]


_SMALLER = "Give the agent a smaller task, with a check at its end."
_SCOPE = "Set `scope` to the folders that the task needs."
_STUCK = Advice(
    "The agent had no new information and did the same again instead of finding another way.",
    (
        "Look at the steps that are named above and say in one sentence what is really wrong.",
        "Tell the agent that cause when it goes on.",
    ),
    ("Put what the agent could not find out by itself into the project's notes.", _SMALLER),
    ("`limits.actions` ends a run that goes on for too long.",),
)
_LOST = Advice(
    "The agent worked on something other than its task, or on things that are not there.",
    ("Compare what it did with what it was told.", "Say again what the task is and what is not."),
    (_SMALLER, "Name the files that matter in the prompt."),
    (_SCOPE, "Set `goal`, so that drifting away from it is noticed early."),
)
_GREEDY = Advice(
    "Each step used more than the one before it, and nothing in the task made it stop.",
    (
        "See what is still there: large files, caches, containers, started services.",
        "Remove them before the run goes on.",
    ),
    (_SMALLER, "Have long work done by a script with a limit of its own."),
    (
        "Lower `limits.file_operations` and `limits.actions`.",
        "`interventions.resource_throttling` slows a run down before it has to be stopped.",
    ),
)
_HARMFUL = Advice(
    "The agent touched what is not part of its task, or what it read could leave the machine.",
    (
        "Find out whether anything was sent, and to whom.",
        "Replace every secret that is named in the timeline.",
    ),
    ("Keep secrets out of the folders in which agents work.", "Work in a container or a worktree."),
    (_SCOPE, "Add the place to `step_reviewer.rules` as a rule of its own."),
)
_REFUSED = Advice(
    "The agent wanted the same refused thing again and again, in other words.",
    (
        "Decide whether it should be allowed; `handrail explain` tells why it was refused.",
        "If it should, do it yourself; if not, tell the agent so.",
    ),
    ("Say in the prompt what is out of bounds, and what to do instead.",),
    ("A rule of your own in `step_reviewer.rules` can allow exactly this.",),
)
OTHER = Advice(
    "A pattern of trouble was seen that went on after milder means.",
    ("Look at the steps that are named above.",),
    (_SMALLER,),
    ("`interventions` says what is done, and when.",),
)
ADVICE = {
    "repetitive_errors": _STUCK,
    "loop": _STUCK,
    "stall": _STUCK,
    "exploration_wandering": _LOST,
    "goal_drift": _LOST,
    "hallucination": _LOST,
    "confused_state": _LOST,
    "error_exploration_loop": _STUCK,
    "resource_spiral": _GREEDY,
    "runaway_execution": _GREEDY,
    "scope_creep": _HARMFUL,
    "information_flow": _HARMFUL,
    "repeated_refusals": _REFUSED,
}
"""By the kind of the finding."""
