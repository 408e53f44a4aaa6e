"""Plan and carry out an installation in one settings file, and its removal."""

from collections.abc import Callable

import msgspec

from handrail.hosts.git_view import GitView, with_line, without_line
from handrail.hosts.settings_file import (
    FileChange,
    FileChangePlan,
    InstallRecord,
    checksum,
    decode,
    encode,
    find_install,
    load_installs,
    missing_folders,
    put_aside,
    read,
    remove_folders,
    save_installs,
)


class HookText(msgspec.Struct, frozen=True):
    """Functions to find our hooks in a host's settings. Each raises JsonTextError."""

    remove: Callable[[str], str]
    """Remove our hooks from the text."""
    holds_nothing: Callable[[str], bool]
    """Return whether the text has no settings."""


class Installation(msgspec.Struct, frozen=True):
    """The plan of an installation."""

    settings: FileChangePlan
    exclude: FileChangePlan | None
    record: InstallRecord

    @property
    def changes(self) -> bool:
        """Return whether the plan changes anything."""
        return self.settings.changes or (self.exclude is not None and self.exclude.changes)


class Removal(msgspec.Struct, frozen=True):
    """The plan of a removal."""

    settings: FileChangePlan
    exclude: FileChangePlan | None
    record: InstallRecord | None
    exact: bool
    """The file becomes as it was before, byte for byte."""


def plan_install(
    host: str,
    path: str,
    add: Callable[[str | None], str],
    hooks: HookText,
    view: GitView,
    record: str,
    *,
    private: bool = False,
) -> Installation:
    """Plan the installation; `add` puts our hooks into a text, or makes one from None.

    `record`: the file with the present installations. `private`: the hooks hold a token.

    Raises OSError or JsonTextError if the settings cannot be read.
    """
    before = read(path)
    after = encode(add(None if before is None else decode(before)))
    known = find_install(load_installs(record), path)
    made = dict.fromkeys((*(known.settings.made if known else ()), *missing_folders(path)))
    change = FileChange(path, _original(before, known, hooks), checksum(after), tuple(made))
    exclude = _plan_exclude(view)
    install = InstallRecord(
        host, change, known.exclude if known else None, known.line if known else ""
    )
    if exclude is not None:
        listed = FileChange(exclude.path, exclude.before, checksum(exclude.after or b""))
        install = msgspec.structs.replace(install, exclude=listed, line=view.line)
    return Installation(FileChangePlan(path, before, after, private), exclude, install)


def _plan_exclude(view: GitView) -> FileChangePlan | None:
    if view.state != "visible":
        return None
    before = read(view.exclude)
    return FileChangePlan(view.exclude, before, encode(with_line(decode(before or b""), view.line)))


def _original(before: bytes | None, known: InstallRecord | None, hooks: HookText) -> bytes | None:
    """Return the file as it would be without us."""
    if before is None:
        return None
    if known and checksum(before) == known.settings.after:
        return known.settings.original
    return _without_ours(before, known, hooks)


def _without_ours(before: bytes, known: InstallRecord | None, hooks: HookText) -> bytes | None:
    left = hooks.remove(decode(before))
    was_made = known is not None and known.settings.original is None
    return None if was_made and hooks.holds_nothing(left) else encode(left)


def install(plan: Installation, record: str) -> None:
    """Carry out the plan. The record comes first: every change can be taken back."""
    put_aside(record)
    known = load_installs(record)
    others = [each for each in known if each.settings.path != plan.settings.path]
    save_installs(record, [*others, plan.record])
    done: list[FileChangePlan] = []
    try:
        for each in filter(None, (plan.exclude, plan.settings)):
            each.carry_out()
            done.append(each)
    except BaseException:
        for each in done:
            FileChangePlan(each.path, each.after, each.before).carry_out()
        save_installs(record, known)
        raise


def plan_removal(path: str, hooks: HookText, record: str) -> Removal:
    """Plan the removal of our hooks; raises OSError or JsonTextError."""
    known = find_install(load_installs(record), path)
    before = read(path)
    if before is None:
        return Removal(FileChangePlan(path, None, None), _plan_include(known), known, exact=False)
    if known and checksum(before) == known.settings.after:
        plan = FileChangePlan(path, before, known.settings.original)
        return Removal(plan, _plan_include(known), known, exact=True)
    plan = FileChangePlan(path, before, _without_ours(before, known, hooks))
    return Removal(plan, _plan_include(known), known, exact=False)


def _plan_include(known: InstallRecord | None) -> FileChangePlan | None:
    if known is None or known.exclude is None:
        return None
    before = read(known.exclude.path)
    if before is None:
        return None
    if checksum(before) == known.exclude.after:
        return FileChangePlan(known.exclude.path, before, known.exclude.original)
    return FileChangePlan(
        known.exclude.path, before, encode(without_line(decode(before), known.line))
    )


def uninstall(plan: Removal, record: str) -> None:
    """Carry out the plan."""
    plan.settings.carry_out()
    if plan.exclude is not None:
        plan.exclude.carry_out()
    if plan.record is not None:
        remove_folders(plan.record.settings.made)
        left = [each for each in load_installs(record) if each != plan.record]
        save_installs(record, left)


def other_installs(path: str, record: str) -> list[str]:
    """Return the other settings files with an installation."""
    found = (each.settings.path for each in load_installs(record))
    return [other for other in found if other != path and read(other) is not None]
