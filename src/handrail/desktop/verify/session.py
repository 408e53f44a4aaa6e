"""A recorded editing session: which files it changes, and how. The schema of SESSION.json."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from handrail.model.decodable import decodable

MAX_LINE = 2**31 - 1

Line = Annotated[
    int,
    Meta(description="The first line is 1. A line ends behind its \\n.", ge=1, le=MAX_LINE),
]
_STYLE = "Handrail ignores it: a replay pastes texts."

TypingStyle = Annotated[str | None, Meta(description=_STYLE)]
Nothing = Annotated[None, Meta(description="Has no meaning here.")]


class NavigateOperation(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="navigate"
):
    """Go to the start of a line. The text stays as it is."""

    line: Line
    line_end: Nothing = None
    content: Nothing = None
    typing_style: TypingStyle = None


class DeleteOperation(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="delete"
):
    """Delete whole lines with their line breaks, from `line` to `line_end`."""

    line: Line
    line_end: Annotated[
        Line | None, Meta(description="The last line to delete; by default `line`.")
    ] = None
    content: Nothing = None
    typing_style: TypingStyle = None

    @property
    def last(self) -> int:
        """The last line to delete."""
        return self.line if self.line_end is None else self.line_end


class InsertOperation(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="insert"
):
    """Put a text before the first character of a line; its line breaks are part of it."""

    line: Line
    content: str
    line_end: Nothing = None
    typing_style: TypingStyle = None


EditOperation = NavigateOperation | DeleteOperation | InsertOperation


class OriginalHash(Struct, frozen=True, forbid_unknown_fields=True):
    """The original of a file, known by its hash: the file itself is kept elsewhere."""

    sha256: Annotated[str, Meta(description="In lower case.", pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, Meta(description="Its size in bytes.", ge=0)]


class EditedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file and what happens to it."""

    path: Annotated[
        str,
        Meta(
            description="Relative to ROOT, with `/` between names, without `.` and `..`.",
            min_length=1,
            max_length=4096,
        ),
    ]
    operations: Annotated[
        tuple[EditOperation, ...],
        Meta(description="What the session does, in order. Each line counts in the text as it is "
             "after the operations before."),
    ]  # fmt: skip
    original: Annotated[
        str | OriginalHash | None,
        Meta(description="The text before the session, or its hash. null or nothing: there was "
             "no such file."),
    ] = None  # fmt: skip


class LeftOutFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A change that the session does not have, because it cannot be said in operations."""

    path: str
    reason: str


@decodable
class EditSession(Struct, frozen=True, forbid_unknown_fields=True):
    """A whole session."""

    files: Annotated[tuple[EditedFile, ...], Meta(description="The files, in order.", min_length=1)]
    version: Annotated[int, Meta(description="The version of this format.", ge=1, le=1)] = 1
    left_out: Annotated[
        tuple[LeftOutFile, ...], Meta(description="What the recorder could not record, and why.")
    ] = ()
    session_id: Annotated[
        str | None, Meta(description="A name that other recorders give; Handrail ignores it.")
    ] = None
    contract_id: Annotated[str | None, Meta(description="Ignored, as session_id.")] = None
    memo: Annotated[str | None, Meta(description="Ignored, as session_id.")] = None
    replay_config: Annotated[
        msgspec.Raw | msgspec.UnsetType,
        Meta(description=f"Settings of other programs. {_STYLE}"),
    ] = msgspec.UNSET
