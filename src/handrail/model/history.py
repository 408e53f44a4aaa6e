"""The past of a run, as far as the review of its next action needs it."""

import msgspec

from handrail.model.finding import Finding

_RECENT = 20


class History(msgspec.Struct):
    """The past of one run in a few numbers. Reviews read it; the supervisor writes it.

    Actions are known by their fingerprints.
    """

    goal: str = ""
    ran: dict[str, int] = {}
    """The number of permissions of each action."""
    failed: dict[str, int] = {}
    """The number of failures of each action since its last success, or the last changed file."""
    refused: dict[str, int] = {}
    recent: list[str] = []
    """The last actions that ran, the newest at the end."""
    created: set[str] = set()
    """Paths that the run made itself, so that deleting them loses nothing of others."""
    branches: set[str] = set()
    """Branches that nobody knew on a remote before the run pushed them."""
    file_operations: int = 0
    began: float = 0.0
    """When the run began, in seconds since 1970: files that changed later may be its own. 0: that
    is not known, and no file is."""
    trouble: Finding | None = None
    """The worst present finding about the run."""

    def ran_before(self, name: str) -> bool:
        """Whether the same action was let through before."""
        return name in self.ran

    def failures(self, name: str) -> int:
        """How often an action failed since it last worked, or a file was changed."""
        return self.failed.get(name, 0)

    def refusals(self, name: str) -> int:
        """How often an action was refused."""
        return self.refused.get(name, 0)

    def remember_refusal(self, name: str) -> None:
        """Note that an action was refused."""
        self.refused[name] = self.refusals(name) + 1

    def remember(
        self, name: str, *, ok: bool, created: tuple[str, ...] = (), file_operations: int = 0
    ) -> None:
        """Note that an action ran, and how it ended."""
        self.ran[name] = self.ran.get(name, 0) + 1
        if ok:
            self.failed.pop(name, None)
            self.created.update(created)
            if file_operations:  # with other files, it may work the next time
                self.failed.clear()
        else:
            self.failed[name] = self.failures(name) + 1
        self.recent.append(name)
        del self.recent[:-_RECENT]
        self.file_operations += file_operations
