"""The past of a run, as far as the review of its next action needs it."""

import msgspec

from handrail.model.finding import Finding

_RECENT = 20
_STEPS = 12
_MAX_PLACEHOLDERS = 20
_MAX_SECRETS = 16


class RecentStep(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A step that ran, as far as a later one can build on it, repeat it or take it back."""

    shown: str
    """The action in a few words."""
    paths: tuple[str, ...] = ()
    ok: bool = True
    changed: bool = False
    """It may have changed a file."""
    before: str = ""
    """The key of the text that it replaced; empty: it replaced none."""
    after: str = ""
    """The key of the text that it put there."""


class GoalPart(msgspec.Struct, frozen=True, gc=False):
    """One of several things that a goal asks for, and the words that tell a step for it."""

    says: str
    words: tuple[str, ...]


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
    secrets: list[str] = []
    """Files with secrets that the run has read; never what is in them."""
    steps: list[RecentStep] = []
    """The last steps, the newest at the end."""
    unverified: int = 0
    """The edits since the last test, build or other check."""
    placeholders: dict[str, str] = {}
    """By file, the sign of unfinished work that the run left in it."""
    open_parts: list[GoalPart] = []
    """The parts of the goal that no step has touched yet; empty for a goal of one part."""
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

    def add_step(self, step: RecentStep, *, edits: bool = False, checks: bool = False) -> None:
        """Note a step that ran; `edits`: it changed files; `checks`: it tested or built them."""
        self.steps.append(step)
        del self.steps[:-_STEPS]
        if checks:
            self.unverified = 0
        elif edits:
            self.unverified += 1

    def note_secrets(self, paths: tuple[str, ...]) -> None:
        """Note files with secrets that the run has read, the newest at the end."""
        known = [path for path in self.secrets if path not in paths]
        self.secrets = [*known, *paths][-_MAX_SECRETS:]

    def note_placeholder(self, path: str, sign: str) -> None:
        """Note the sign of unfinished work in a file; without one, the file is finished."""
        self.placeholders.pop(path, None)
        if sign:
            self.placeholders[path] = sign
            while len(self.placeholders) > _MAX_PLACEHOLDERS:
                del self.placeholders[next(iter(self.placeholders))]
