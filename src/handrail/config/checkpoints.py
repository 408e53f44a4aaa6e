"""The `checkpoints` section of `handrail.yaml`: how the files of a project are saved."""

from typing import Annotated

from msgspec import Meta, Struct

MEGABYTE = 1_000_000


class Checkpoints(Struct, frozen=True, forbid_unknown_fields=True):
    """Copies of the work tree, kept outside of it, so that you can undo every change.

    Handrail saves no files that git ignores, except those named in `include`.
    """

    enabled: Annotated[bool, Meta(description="Whether Handrail saves the files.")] = True
    include: Annotated[
        tuple[str, ...],
        Meta(
            description="Ignored files to save all the same, written as in a .gitignore: local "
            "settings and databases. Files below an ignored folder are not saved."
        ),
    ] = (".env", ".env.*", "*.sqlite", "*.sqlite3", "*.db")
    every_tasks: Annotated[
        int,
        Meta(
            description="Save the files after every so many completed tasks, and the whole fleet "
            "after so many of its tasks; 0: never.",
            ge=0,
        ),
    ] = 5
    before_unattended: Annotated[
        bool,
        Meta(
            description="Whether Handrail saves the files, the tasks and the state of the fleet "
            "before it works unattended."
        ),
    ] = True
    max_file_mb: Annotated[
        int, Meta(description="Handrail leaves out a larger file, and says so.", ge=1)
    ] = 50
    max_files: Annotated[
        int,
        Meta(
            description="One checkpoint takes in at most this many new files. Beyond that, "
            "Handrail leaves out new files of the folders with the most of them.",
            ge=1,
        ),
    ] = 200_000
    max_mb: Annotated[int, Meta(description="One checkpoint adds at most this much.", ge=1)] = 2_000
    soft_seconds: Annotated[
        float,
        Meta(description="How long an action waits for a checkpoint it can do without.", gt=0),
    ] = 2
    hard_seconds: Annotated[
        float,
        Meta(
            description="After this time, Handrail leaves out the remaining files, and says so. "
            "The host waits 15 s for an answer.",
            gt=0,
            le=12,
        ),
    ] = 10
    keep: Annotated[
        int, Meta(description="How many checkpoints to keep, besides named ones.", ge=3)
    ] = 50
    keep_days: Annotated[
        int, Meta(description="How long to keep one; the last 3 and named ones stay.", ge=1)
    ] = 30
    quota_mb: Annotated[
        int,
        Meta(
            description="How much room the checkpoints of a project may take. The oldest go "
            "first; the last 3 and named ones stay.",
            ge=1,
        ),
    ] = 5_000
