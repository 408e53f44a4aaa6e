"""What a run did so far, as far as the review of its next action needs it."""

import hashlib
from collections import Counter, deque

from handrail.model.action import Action

_RECENT = 20


class History:
    """The past of one run in a few numbers. Reviews read it; whoever runs the agent writes it."""

    def __init__(self, goal: str = "") -> None:
        self.goal = goal
        self.ran: Counter[str] = Counter()
        """How often each action was let through, by fingerprint."""
        self.failed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.recent: deque[str] = deque(maxlen=_RECENT)
        self.created: set[str] = set()
        """Paths that the run made itself, so that deleting them loses nothing of others."""
        self.file_operations = 0

    def ran_before(self, name: str) -> bool:
        """Whether the same action was let through before."""
        return self.ran[name] > 0

    def remember_refusal(self, action: Action) -> None:
        """Note that an action was refused."""
        self.refused[fingerprint(action)] += 1

    def remember(
        self, action: Action, *, ok: bool, created: tuple[str, ...] = (), file_operations: int = 0
    ) -> None:
        """Note that an action ran, and how it ended."""
        name = fingerprint(action)
        self.ran[name] += 1
        if ok:
            self.failed.pop(name, None)
            self.created.update(created)
        else:
            self.failed[name] += 1
        self.recent.append(name)
        self.file_operations += file_operations


def fingerprint(action: Action) -> str:
    """A short name for an action that is the same when the same thing is tried again."""
    parts = [action.tool, action.cwd]
    parts += [f"{key}={action.input[key]}" for key in sorted(action.input)]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()
