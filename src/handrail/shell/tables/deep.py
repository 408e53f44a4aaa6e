"""Facts for command lines whose verb stands behind a varying number of nouns."""

from collections.abc import Iterable
from typing import Any

from handrail.model.effect import Kind
from handrail.shell.tables.shorthand import Fact


def deep(
    does: Kind, verbs: str, depths: Iterable[int] = (1, 2, 3), options: str = "", **rest: Any
) -> tuple[Fact, ...]:
    """The same fact for `tool noun verb`, `tool noun noun verb` and so on.

    >>> [fact.when for fact in deep(Kind.DESTROY, "delete|rm", (1, 2))]
    ['* delete|rm', '* * delete|rm']
    """
    return tuple(Fact(does, f"{'* ' * depth}{verbs} {options}".strip(), **rest) for depth in depths)


SQL_LOSS = ("*drop [!i]*", "*truncate *", "*delete from*")
"""Statements that destroy data, as globs; `drop index` loses none."""


def sql_loss(*options: str) -> str:
    """A condition: one of these options holds SQL that destroys data."""
    return "|".join(f"{option}={glob.replace(' ', '?')}" for option in options for glob in SQL_LOSS)
