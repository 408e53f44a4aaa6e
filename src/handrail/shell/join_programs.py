"""Two accounts of one program, put together."""

import msgspec

from handrail.model.program import Program


def joined(first: Program, second: Program) -> Program:
    """A program that two families, or a table and a user, know something about."""
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
