"""The `checkpoints` section of `handrail.yaml`: how the files of a project are saved."""

from typing import Annotated

from msgspec import Meta, Struct

MEGABYTE = 1_000_000


class Checkpoints(Struct, frozen=True, forbid_unknown_fields=True):
    """Saved points of the work tree, outside of it, to which every change can be undone.

    Files that git ignores are not saved, except those that `include` names.
    """

    enabled: Annotated[bool, Meta(description="Whether the files are saved.")] = True
    include: Annotated[
        tuple[str, ...],
        Meta(
            description="Ignored files that are saved all the same, as in a .gitignore: local "
            "settings and databases. Not below folders that are ignored themselves."
        ),
    ] = (".env", ".env.*", "*.sqlite", "*.sqlite3", "*.db")
    every_tasks: Annotated[
        int,
        Meta(
            description="After how many tasks that an agent has completed one is taken; 0: never.",
            ge=0,
        ),
    ] = 5
    max_file_mb: Annotated[
        int, Meta(description="A larger file is left out, and said so.", ge=1)
    ] = 50
    max_files: Annotated[
        int,
        Meta(
            description="More new files than this are not taken into one checkpoint: of the "
            "folders with the most new files, those that are too many are left out.",
            ge=1,
        ),
    ] = 200_000
    max_mb: Annotated[
        int, Meta(description="More than this is not added by one checkpoint.", ge=1)
    ] = 2_000
    soft_seconds: Annotated[
        float,
        Meta(description="An action that need not be saved for waits no longer than this.", gt=0),
    ] = 2
    hard_seconds: Annotated[
        float,
        Meta(
            description="What is not saved by then is left out, and said so. The host waits 15 s "
            "for an answer.",
            gt=0,
            le=12,
        ),
    ] = 10
    keep: Annotated[int, Meta(description="How many are kept, beside named ones.", ge=3)] = 50
    keep_days: Annotated[
        int, Meta(description="For how long, beside the last 3 and named ones.", ge=1)
    ] = 30
    quota_mb: Annotated[
        int,
        Meta(
            description="How much room the checkpoints of a project may take; the oldest go "
            "first, the last 3 and named ones stay.",
            ge=1,
        ),
    ] = 5_000
