"""What programs do, one file per family; `all_programs` joins them with those of the hosts."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from handrail.model.host import host_programs
from handrail.model.program import Program
from handrail.shell.join_programs import joined

FAMILIES = tuple(
    """
    coreutils text search git versions forges packages ecosystems system_packages build containers
    container_tools kubernetes kubernetes_tools aws gcloud azure cloud infrastructure orchestration
    databases migrations disks backups network processes permissions services other_systems
    schedulers editors interpreters languages archives secrets kernel platforms delivery agents
    wrappers
    """.split()
)


@cache
def all_programs() -> Mapping[str, Program]:
    """Every known program by name."""
    programs: dict[str, Program] = {}
    families = [import_module(f"handrail.shell.tables.{name}").PROGRAMS for name in FAMILIES]
    for family in (*families, *host_programs()):
        for name, program in family.items():
            known = programs.get(name)
            programs[name] = program if known is None else joined(known, program)
    return programs
