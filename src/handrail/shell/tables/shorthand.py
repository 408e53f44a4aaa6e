"""Short names for the tables, so that a line of a table is one fact."""

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity, Undo
from handrail.model.program import Fact, Program, Wrapper

NONE, LOW, MEDIUM, HIGH, CRITICAL = Severity
NEEDLESS, CHECKPOINT, UNKNOWN, IMPOSSIBLE = Undo

READ, WRITE, DELETE, PERMIT, LINK = Kind.READ, Kind.WRITE, Kind.DELETE, Kind.PERMIT, Kind.LINK
SECRET, REACH, FETCH, SEND = Kind.SECRET, Kind.REACH, Kind.FETCH, Kind.SEND
RUN, UNSEEN, PRIVILEGE, KILL = Kind.RUN, Kind.UNSEEN, Kind.PRIVILEGE, Kind.KILL
DISCARD, REWRITE, PUBLISH = Kind.DISCARD, Kind.REWRITE, Kind.PUBLISH
DESTROY, CHANGE, DEVICE, SYSTEM = Kind.DESTROY, Kind.CHANGE, Kind.DEVICE, Kind.SYSTEM
PERSIST, INSTALL, EXHAUST = Kind.PERSIST, Kind.INSTALL, Kind.EXHAUST
ESCAPE, TAMPER, DELEGATE = Kind.ESCAPE, Kind.TAMPER, Kind.DELEGATE


def program(
    *facts: Fact,
    values: str = "",
    single_dash: bool = False,
    posix: bool = False,
    wraps: tuple[Wrapper, ...] = (),
    same_as: str = "",
    harmless: str = "",
    reader: str = "",
    chdir: str = "",
    subcommands: dict[str, Program] | None = None,
) -> Program:
    """Return a program that does these facts; see `Program` for what each option means."""
    return Program(
        values, single_dash, posix, facts, wraps, same_as, harmless, reader, chdir,
        {} if subcommands is None else subcommands,
    )  # fmt: skip


def aliases(program_name: str, *names: str) -> dict[str, Program]:
    """Return table rows that give a program other names."""
    return dict.fromkeys(names, Program(same_as=program_name))


__all__ = [
    "CHANGE", "CHECKPOINT", "CRITICAL", "DELEGATE", "DELETE", "DESTROY", "DEVICE", "DISCARD",
    "ESCAPE", "EXHAUST", "FETCH", "HIGH", "IMPOSSIBLE", "INSTALL", "KILL", "LINK", "LOW", "MEDIUM",
    "NEEDLESS", "NONE", "PERMIT", "PERSIST", "PRIVILEGE", "PUBLISH", "REACH", "READ", "REWRITE",
    "RUN", "SECRET", "SEND", "SYSTEM", "TAMPER", "UNKNOWN", "UNSEEN", "WRITE", "Fact", "Program",
    "Wrapper", "aliases", "program",
]  # fmt: skip
