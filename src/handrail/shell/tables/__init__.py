"""What programs do, one file per family; `all_programs` joins them."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

import msgspec

from handrail.model.knowledge import Program

FAMILIES = (
    "coreutils",
    "text",
    "search",
    "git",
    "versions",
    "forges",
    "packages",
    "ecosystems",
    "system_packages",
    "build",
    "containers",
    "container_tools",
    "kubernetes",
    "kubernetes_tools",
    "aws",
    "gcloud",
    "azure",
    "cloud",
    "infrastructure",
    "orchestration",
    "databases",
    "migrations",
    "disks",
    "backups",
    "network",
    "processes",
    "permissions",
    "services",
    "other_systems",
    "schedulers",
    "editors",
    "interpreters",
    "languages",
    "archives",
    "secrets",
    "kernel",
    "platforms",
    "delivery",
    "agents",
    "wrappers",
)


@cache
def all_programs() -> Mapping[str, Program]:
    """Every known program by name."""
    programs: dict[str, Program] = {}
    for family in FAMILIES:
        for name, program in import_module(f"handrail.shell.tables.{family}").PROGRAMS.items():
            known = programs.get(name)
            programs[name] = program if known is None else _joined(known, program)
    return programs


def _joined(first: Program, second: Program) -> Program:
    """A program that two families know something about (`mix` builds, and drops databases)."""
    if first.same_as or second.same_as:
        return second if first.same_as else first
    return msgspec.structs.replace(
        first,
        values=f"{first.values} {second.values}",
        single_dash=first.single_dash or second.single_dash,
        posix=first.posix or second.posix,
        facts=first.facts + second.facts,
        wraps=first.wraps + second.wraps,
        harmless="|".join(filter(None, (first.harmless, second.harmless))),
        reader=first.reader or second.reader,
        chdir="|".join(filter(None, (first.chdir, second.chdir))),
        subcommands={**second.subcommands, **first.subcommands},
    )
