"""What programs do, one file per family; `all_programs` joins them."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

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
    "cloud",
    "infrastructure",
    "databases",
    "migrations",
    "disks",
    "network",
    "processes",
    "permissions",
    "services",
    "schedulers",
    "editors",
    "interpreters",
    "archives",
    "secrets",
    "kernel",
    "platforms",
    "agents",
    "wrappers",
)


@cache
def all_programs() -> Mapping[str, Program]:
    """Every known program by name."""
    programs: dict[str, Program] = {}
    for family in FAMILIES:
        programs.update(import_module(f"handrail.shell.tables.{family}").PROGRAMS)
    return programs
