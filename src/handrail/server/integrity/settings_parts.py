"""Our hooks in the settings of hosts, and the keys in them that keep hooks from running."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial

from handrail.hosts.git_view import git_view, with_line
from handrail.hosts.hook_integrity import HookIntegrity
from handrail.hosts.port import Obstacle
from handrail.hosts.settings_file import (
    ChangedMeanwhileError,
    FileChangePlan,
    InstallRecord,
    decode,
    encode,
    load_installs,
    read,
)
from handrail.server.integrity.parts import Loss

Hosts = Mapping[str, HookIntegrity]
Folders = Callable[[], Iterable[tuple[str, str]]]
"""The hosts and folders of the runs that are alive."""


class HookEntries:
    """The hooks that `handrail install` has put into settings files."""

    def __init__(self, hosts: Hosts, record: str) -> None:
        """`record`: the file that says where they were installed."""
        self._hosts = hosts
        self._record = record

    def paths(self) -> Iterator[str]:
        """The files with our hooks, and the record of them."""
        yield self._record
        yield from (each.settings.path for each in load_installs(self._record))

    def losses(self) -> Iterator[Loss]:
        """The files that have lost some of them."""
        for each in load_installs(self._record):
            host = self._hosts.get(each.host)
            if host is None:
                continue
            if says := host.missing(each):
                path, repair = each.settings.path, partial(_put_back, host, each)
                yield Loss("hooks", path, says, host.fix, repair, may_be_versioned=True)


class HookSwitches:
    """Keys that keep hooks from running, in the files that count for the runs that are alive."""

    def __init__(self, hosts: Hosts, folders: Folders) -> None:
        self._hosts = hosts
        self._folders = folders
        self._there: dict[tuple[str, str], frozenset[tuple[str, str]]] = {}
        """What stood in the way in each folder when it was first looked at: sessions that begin
        there are told by the host's hooks."""

    def paths(self) -> Iterator[str]:
        """The files that count in these folders."""
        for host, folder in self._folders():
            if host in self._hosts:
                yield from self._hosts[host].watched(folder)

    def losses(self) -> Iterator[Loss]:
        """What stands in the way of our hooks, and did not when the run began."""
        for name, folder in self._folders():
            if (host := self._hosts.get(name)) is None:
                continue
            found = host.obstacles(folder)
            at_first = self._there.setdefault((name, folder), frozenset(map(_key, found)))
            for each in found:
                if _key(each) not in at_first:
                    yield self._loss(host, each, folder)

    def _loss(self, host: HookIntegrity, found: Obstacle, folder: str) -> Loss:
        def repair(by_call: bool) -> bool:
            # A person may want it; what a call has put in is nobody's wish.
            return by_call and _carried_out(lambda: host.plan_clearing(found.path))

        def overrule() -> str:
            plan = host.plan_overruling(found, folder)
            is_ours = plan is not None and _hidden_from_git(plan.path)
            return plan.path if plan and is_ours and _carried_out(lambda: plan) else ""

        says, _, fix = found.says.partition(": ")
        return Loss(
            "switch",
            found.path,
            f"{found.path} keeps Handrail's hooks from running: {says}",
            fix or host.fix,
            repair,
            overrule=overrule,
            may_be_versioned=True,
            hosts_write=True,
        )


def _key(found: Obstacle) -> tuple[str, str]:
    return found.path, found.says


def _put_back(host: HookIntegrity, record: InstallRecord, by_call: bool) -> bool:
    _carried_out(lambda: host.plan_repair(record.settings.path, whole=by_call))
    return not host.missing(record)


def _hidden_from_git(path: str) -> bool:
    """See to it that git leaves a file of this machine alone; False: it does not."""
    view = git_view(path)
    if view.state == "visible":
        before = read(view.exclude)
        after = encode(with_line(decode(before or b""), view.line))
        return _carried_out(lambda: FileChangePlan(view.exclude, before, after))
    return view.state != "tracked"


def _carried_out(make_plan: Callable[[], FileChangePlan | None]) -> bool:
    """Change a file as planned, unless somebody changes it at the same time."""
    with suppress(OSError, ChangedMeanwhileError):
        plan = make_plan()
        if plan is not None and plan.changes:
            plan.carry_out()
            return True
    return False
