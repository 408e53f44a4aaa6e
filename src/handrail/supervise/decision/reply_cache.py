"""Remember the last answers of a run: a host with our hook twice asks everything twice."""

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")

_MAX_KEPT = 16
"""About as many calls as a host makes at the same time; the log has older ones."""


class ReplyCache(Generic[T]):
    """Answers by the host's id of a call and the fingerprint of its action."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, T]] = OrderedDict()

    def find(self, action_id: str, name: str) -> T | None:
        """Return the answer to the very same call; another input makes it another call."""
        found = self._kept.get(action_id)
        return found[1] if found is not None and found[0] == name else None

    def keep(self, action_id: str, name: str, answer: T) -> None:
        """Remember an answer; a call without an id cannot be recognised."""
        if not action_id:
            return
        self._kept.pop(action_id, None)
        self._kept[action_id] = (name, answer)
        if len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)

    def forget(self, action_id: str) -> None:
        """Forget a call that is over: if it comes again, it is judged again."""
        self._kept.pop(action_id, None)
