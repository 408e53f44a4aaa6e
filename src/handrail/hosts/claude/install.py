"""Installing in one settings file, and giving the file back: a plan to show, then the deed."""

import msgspec

from handrail.hosts.claude.settings import Hooking, add, is_blank, remove
from handrail.hosts.git_view import GitView, with_line, without_line
from handrail.hosts.jsontext import scan
from handrail.hosts.settings_file import (
    Change,
    Install,
    Plan,
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


class Installation(msgspec.Struct, frozen=True):
    """Everything that an installation changes; nothing has happened yet."""

    settings: Plan
    exclude: Plan | None
    record: Install

    @property
    def changes(self) -> bool:
        """Whether anything is different afterwards."""
        return self.settings.changes or (self.exclude is not None and self.exclude.changes)


class Removal(msgspec.Struct, frozen=True):
    """Everything that taking an installation out changes; nothing has happened yet."""

    settings: Plan
    exclude: Plan | None
    record: Install | None
    exact: bool
    """The file becomes what it was before, byte for byte."""


def plan_install(path: str, hooking: Hooking, view: GitView, record: str) -> Installation:
    """What to change for our hooks. `record`: the file with what is installed already.

    Raises OSError or JsonTextError if the settings cannot be read.
    """
    before = read(path)
    after = encode(add(None if before is None else decode(before), hooking))
    known = find_install(load_installs(record), path)
    made = dict.fromkeys((*(known.settings.made if known else ()), *missing_folders(path)))
    change = Change(path, _original(before, known), checksum(after), tuple(made))
    exclude = _plan_exclude(view)
    install = Install(
        "claude", change, known.exclude if known else None, known.line if known else ""
    )
    if exclude is not None:
        listed = Change(exclude.path, exclude.before, checksum(exclude.after or b""))
        install = msgspec.structs.replace(install, exclude=listed, line=view.line)
    return Installation(Plan(path, before, after), exclude, install)


def _plan_exclude(view: GitView) -> Plan | None:
    if view.state != "visible":
        return None
    before = read(view.exclude)
    return Plan(view.exclude, before, encode(with_line(decode(before or b""), view.line)))


def _original(before: bytes | None, known: Install | None) -> bytes | None:
    """What the file would be without us."""
    if before is None:
        return None
    if known and checksum(before) == known.settings.after:
        return known.settings.original
    return _without_ours(before, known)


def _without_ours(before: bytes, known: Install | None) -> bytes | None:
    left = remove(decode(before))
    ours_alone = known is not None and known.settings.original is None and _holds_nothing(left)
    return None if ours_alone else encode(left)


def _holds_nothing(text: str) -> bool:
    return is_blank(text) or not scan(text).entries


def install(plan: Installation, record: str) -> None:
    """Do it. The record comes first: nothing is changed that could not be given back."""
    put_aside(record)
    known = load_installs(record)
    others = [each for each in known if each.settings.path != plan.settings.path]
    save_installs(record, [*others, plan.record])
    done: list[Plan] = []
    try:
        for each in filter(None, (plan.exclude, plan.settings)):
            each.carry_out()
            done.append(each)
    except BaseException:
        for each in done:
            Plan(each.path, each.after, each.before).carry_out()
        save_installs(record, known)
        raise


def plan_removal(path: str, record: str) -> Removal:
    """What to change to take our hooks out; raises OSError or JsonTextError."""
    known = find_install(load_installs(record), path)
    before = read(path)
    if before is None:
        return Removal(Plan(path, None, None), _plan_include(known), known, exact=False)
    if known and checksum(before) == known.settings.after:
        plan = Plan(path, before, known.settings.original)
        return Removal(plan, _plan_include(known), known, exact=True)
    plan = Plan(path, before, _without_ours(before, known))
    return Removal(plan, _plan_include(known), known, exact=False)


def _plan_include(known: Install | None) -> Plan | None:
    if known is None or known.exclude is None:
        return None
    before = read(known.exclude.path)
    if before is None:
        return None
    if checksum(before) == known.exclude.after:
        return Plan(known.exclude.path, before, known.exclude.original)
    return Plan(known.exclude.path, before, encode(without_line(decode(before), known.line)))


def uninstall(plan: Removal, record: str) -> None:
    """Do it."""
    plan.settings.carry_out()
    if plan.exclude is not None:
        plan.exclude.carry_out()
    if plan.record is not None:
        remove_folders(plan.record.settings.made)
        left = [each for each in load_installs(record) if each != plan.record]
        save_installs(record, left)


def other_installs(path: str, record: str) -> list[str]:
    """Settings files beside this one that Handrail is installed in."""
    found = (each.settings.path for each in load_installs(record))
    return [other for other in found if other != path and read(other) is not None]
