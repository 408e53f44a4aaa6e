"""The `fleet` section of `handrail.yaml`: how agents work through many tasks."""

from typing import Annotated

from msgspec import Meta, Struct

from handrail.config.thresholds import must_ascend


class DiskThresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """The free megabytes on the disks of the workspaces and of Handrail's state folder.

    Higher numbers are more careful. 0: never.
    """

    warn_mb: Annotated[int, Meta(description="With less free space, Handrail warns you.", ge=0)] = (
        1_000
    )
    pause_mb: Annotated[int, Meta(description="With less, the fleet starts no new task.", ge=0)] = (
        500
    )
    stop_mb: Annotated[
        int,
        Meta(
            description="With less, the fleet stops all agents. Their workspaces stay.",
            ge=0,
        ),
    ] = 100

    def __post_init__(self) -> None:
        must_ascend(stop_mb=self.stop_mb, pause_mb=self.pause_mb, warn_mb=self.warn_mb)


class FleetQuestions(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens when the agent of a task asks a person. `handrail task answer` answers it."""

    limit: Annotated[
        int,
        Meta(
            description="How many questions of one task may stay without your answer. One more, "
            "and the task is blocked and names them.",
            ge=1,
        ),
    ] = 5
    timeout_minutes: Annotated[
        float,
        Meta(
            description="How long an agent waits for your answer. Then it gets `default_answer`. "
            "0: at once.",
            ge=0,
        ),
    ] = 10
    default_answer: Annotated[
        str,
        Meta(
            description="The answer to a question that nobody has answered in time. Empty: the "
            "task is blocked and names the question.",
        ),
    ] = (
        "Nobody can answer now. Decide yourself by what is safest and easiest to undo, write "
        "down the decision, and go on."
    )


class FleetWorkspace(Struct, frozen=True, forbid_unknown_fields=True):
    """The git worktree in which the agent of one task works."""

    setup: Annotated[
        tuple[Annotated[str, Meta(min_length=1)], ...],
        Meta(
            description="Commands that prepare a new workspace, in this order, before its agent "
            "starts: `npm ci`. If one fails, so does the attempt."
        ),
    ] = ()


class FleetMerge(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to the branch of a task that is done."""

    auto: Annotated[
        bool,
        Meta(
            description="Whether the fleet merges it by itself, after one more verification on "
            "the merged files. Otherwise it waits for `handrail merge`."
        ),
    ] = False


class Fleet(Struct, frozen=True, forbid_unknown_fields=True):
    """Agents that work through tasks (`handrail run tasks.yaml`), each in a worktree of its own."""

    slots: Annotated[int, Meta(description="How many agents work at a time.", ge=1, le=100)] = 3
    max_iterations: Annotated[
        int,
        Meta(
            description="How many iterations one attempt at a task may take, unless the task has "
            "its own limit; 0: no limit.",
            ge=0,
        ),
    ] = 10
    max_retries: Annotated[
        int,
        Meta(
            description="How many more attempts a task gets after a failure or a crash. Then it "
            "has failed, or is blocked after a crash, and waits for you.",
            ge=0,
        ),
    ] = 3
    lease_seconds: Annotated[
        float,
        Meta(
            description="How long an attempt keeps its task without a sign of life. Then Handrail "
            "holds its agent, and the task goes to another attempt.",
            ge=1,
            le=3600,
        ),
    ] = 60
    stall_iterations: Annotated[
        int,
        Meta(
            description="After so many iterations in a row without a commit or a changed file, "
            "the task is reported as stalled; 0: never.",
            ge=0,
        ),
    ] = 5
    budget_usd: Annotated[
        float,
        Meta(
            description="US dollars that all tasks together may cost. Beyond that, the fleet "
            "starts no new task and ends its agents; 0: no limit. A cost that nobody knows "
            "does not count.",
            ge=0,
        ),
    ] = 0
    disk: DiskThresholds = DiskThresholds()
    questions: FleetQuestions = FleetQuestions()
    workspace: FleetWorkspace = FleetWorkspace()
    merge: FleetMerge = FleetMerge()
