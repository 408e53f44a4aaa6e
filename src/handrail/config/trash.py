"""The `trash` section of `handrail.yaml`: copies of files that no checkpoint holds."""

from typing import Annotated

from msgspec import Meta, Struct


class Trash(Struct, frozen=True, forbid_unknown_fields=True):
    """Copies of files that no checkpoint holds, made before an agent overwrites them.

    `handrail restore` lists them and puts them back.
    """

    max_file_mb: Annotated[
        int,
        Meta(
            description="Handrail copies no larger file. It then refuses to replace the file as a "
            "whole if it is older than the run; 0: Handrail copies and refuses nothing.",
            ge=0,
        ),
    ] = 100
    quota_mb: Annotated[
        int,
        Meta(
            description="How much room these copies may take, for all projects; the oldest go "
            "first.",
            ge=1,
        ),
    ] = 2_000
