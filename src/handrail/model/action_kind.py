"""The coarse kinds of actions that settings name: what a person approves, or a run may not do."""

from enum import StrEnum

from handrail.model.effect import Kind
from handrail.model.review import Review


class ActionKind(StrEnum):
    """What an action does, in five words."""

    FILE_READ = "file_read"
    FILE_WRITE = "file_write"
    FILE_DELETE = "file_delete"
    SYSTEM_COMMAND = "system_command"
    NETWORK = "network"


_KINDS: dict[Kind, ActionKind] = {
    **dict.fromkeys((Kind.READ, Kind.SECRET), ActionKind.FILE_READ),
    **dict.fromkeys((Kind.WRITE, Kind.PERMIT, Kind.LINK), ActionKind.FILE_WRITE),
    **dict.fromkeys((Kind.DELETE, Kind.DISCARD), ActionKind.FILE_DELETE),
    **dict.fromkeys((Kind.REACH, Kind.FETCH, Kind.SEND, Kind.PUBLISH), ActionKind.NETWORK),
}
"""All other effects are those of a system command: what it runs or changes is not in sight."""


def action_kinds(review: Review) -> tuple[ActionKind, ...]:
    """Return the kinds of an action, in the order of `ActionKind`; an unknown part is a command."""
    found = {_KINDS.get(effect.kind, ActionKind.SYSTEM_COMMAND) for effect in review.effects}
    if review.strange or any(effect.opaque for effect in review.effects):
        found.add(ActionKind.SYSTEM_COMMAND)
    return tuple(kind for kind in ActionKind if kind in found)
