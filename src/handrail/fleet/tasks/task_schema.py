"""The keys of `tasks.yaml`, with the descriptions that editors and error messages show."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from handrail.config.text_values import InnerGlob
from handrail.fleet.tasks.task import LONGEST_ID
from handrail.hosts import HOSTS

LONGEST_PROMPT = 100_000

Line = Annotated[str, Meta(max_length=500)]


class TaskEntryLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """How much one attempt at a task may use; 0: as much as the fleet allows."""

    iterations: Annotated[int, Meta(description="Iterations of one attempt.", ge=0)] = 0
    minutes: Annotated[float, Meta(description="Minutes at work.", ge=0)] = 0
    cost_usd: Annotated[float, Meta(description="US dollars.", ge=0)] = 0
    tokens: Annotated[int, Meta(description="Tokens that the agent reads and writes.", ge=0)] = 0
    memory_mb: Annotated[
        float, Meta(description="Megabytes of memory of the agent and its processes.", ge=0)
    ] = 0


class TaskDefaults(Struct, frozen=True, forbid_unknown_fields=True):
    """Values for every task that does not have its own."""

    title: Annotated[Line, Meta(description="A short name for lists.")] = ""
    scope: Annotated[
        tuple[InnerGlob, ...],
        Meta(
            description="Paths inside of the work tree that the agent may change, such as "
            "`src/**`. Empty: those of the project."
        ),
    ] = ()
    verify: Annotated[
        str,
        Meta(
            description="The command that must succeed before the task is done: `make test`. "
            "Empty: the agent's word is enough."
        ),
    ] = ""
    priority: Annotated[int, Meta(description="A higher number goes first.", ge=-1000, le=1000)] = 0
    model: Annotated[Line, Meta(description="The model. Empty: the host's own choice.")] = ""
    host: Annotated[
        Line, Meta(description="The program that runs the agent. Empty: the usual one.")
    ] = ""
    limits: TaskEntryLimits = TaskEntryLimits()


class TaskEntry(TaskDefaults, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One task."""

    id: Annotated[
        str,
        Meta(
            description=f"A name of at most {LONGEST_ID} letters, digits, dots, dashes and "
            "underscores; branches and folders are called after it. Empty: made from the title or "
            "the prompt."
        ),
    ] = ""
    prompt: Annotated[
        str,
        Meta(description="What the agent is told to do.", min_length=1, max_length=LONGEST_PROMPT),
    ]
    depends_on: Annotated[
        tuple[str, ...], Meta(description="Ids of tasks that must be done before it starts.")
    ] = ()


class TaskFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The tasks of a fleet."""

    tasks: Annotated[
        tuple[TaskEntry | str, ...],
        Meta(description="The tasks. A plain text is a task with this prompt."),
    ]
    defaults: TaskDefaults = TaskDefaults()


def task_file_schema() -> dict[str, Any]:
    """Return the JSON Schema of `tasks.yaml`, for editors that complete and check it."""
    schema = msgspec.json.schema(TaskFile)
    for struct in (TaskEntry, TaskDefaults):
        schema["$defs"][struct.__name__]["properties"]["host"]["enum"] = ["", *HOSTS]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tasks.yaml",
        **schema,
    }
