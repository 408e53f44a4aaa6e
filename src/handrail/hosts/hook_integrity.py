"""What a host hands in so that its settings can be watched: our hooks, and what keeps them out."""

from typing import TYPE_CHECKING, Protocol

from handrail.hosts.settings_file import FileChangePlan, InstallRecord

if TYPE_CHECKING:
    from handrail.hosts.port import Obstacle


class HookIntegrity(Protocol):
    """Compares the settings of one host with what they should be.

    Used in one thread. It remembers how our hooks looked when they were last complete, and puts
    nothing back that it has not seen. Everything else in these files belongs to the person.
    """

    fix: str
    """The command that puts our hooks back, and the one that takes them out in order."""

    def watched(self, folder: str) -> tuple[str, ...]:
        """The files that decide whether our hooks run in a folder."""

    def announced(self, folder: str) -> tuple[str, ...]:
        """Files of a project whose change a person is shown at the next prompt."""

    def missing(self, record: InstallRecord) -> str:
        """What of ours a settings file has lost, as a sentence; empty: nothing."""

    def plan_repair(self, path: str, *, whole: bool) -> FileChangePlan | None:
        """The edit that puts our hooks back; None: there is none.

        `whole`: a call of an agent did it. What has nothing left in it, or is no settings file any
        more, is replaced by the last good one; whatever stands in its place is moved aside.
        """

    def obstacles(self, folder: str) -> "tuple[Obstacle, ...]":
        """What in the files of a folder keeps our hooks from running."""

    def plan_clearing(self, path: str) -> FileChangePlan | None:
        """The edit that takes out the keys that keep hooks from running and were not there when
        the file was last good; None: there is none."""

    def plan_overruling(self, found: "Obstacle", folder: str) -> FileChangePlan | None:
        """The edit of a file of this machine that lets hooks run in a folder all the same, where
        the file in the way belongs to a repository; None: there is none."""
