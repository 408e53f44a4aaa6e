"""Rules and program tables from packages of a user's own, by entry points.

An entry point in `handrail.rules` names a `Rule`, or a class that makes one without arguments. One
in `handrail.programs` names a mapping of programs, as the tables in `handrail.shell.tables` are.
What cannot be loaded is reported in every run, and the others are there.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, cast

import msgspec

from handrail.config.entry_points import find_entry_points
from handrail.model.program import Program
from handrail.review.judgment.rules import Rule

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

RULES = "handrail.rules"
PROGRAMS = "handrail.programs"


class ReviewPlugins(msgspec.Struct, frozen=True):
    """What was found when it was looked for."""

    rules: tuple[Rule, ...] = ()
    programs: dict[str, Program] = {}
    problems: tuple[str, ...] = ()
    """What could not be loaded, and why."""


@lru_cache(maxsize=1)
def load_plugins() -> ReviewPlugins:
    """The rules and tables of all installed packages; looked for once."""
    rules: list[Rule] = []
    programs: dict[str, Program] = {}
    problems: list[str] = []
    for point in find_entry_points(RULES, PROGRAMS):
        try:
            if point.group == RULES:
                rules.append(check_rule(_made(point.load()), point.value))
            else:
                programs |= check_programs(point.load(), point.value)
        except Exception as error:  # noqa: BLE001 - somebody else's package may do anything
            problems.append(_says(point, error))
    return ReviewPlugins(tuple(rules), programs, tuple(problems))


def check_rule(rule: object, name: str) -> Rule:
    """The rule, if it is one; raises TypeError."""
    if not isinstance(getattr(rule, "name", None), str) or not callable(
        getattr(rule, "check", None)
    ):
        raise TypeError(f"{name} is no rule: it needs a name and a check")
    return cast("Rule", rule)


def check_programs(table: object, name: str) -> dict[str, Program]:
    """The table, if it is one; raises TypeError or msgspec.ValidationError."""
    if not isinstance(table, dict) or not all(
        isinstance(key, str) and isinstance(value, Program) for key, value in table.items()
    ):
        raise TypeError(f"{name} is no table: a dict of Program by name")
    # A field of a wrong type would be met when the program is: in the middle of a review.
    return msgspec.convert(msgspec.to_builtins(table), dict[str, Program])


def _made(loaded: object) -> object:
    return loaded() if isinstance(loaded, type) else loaded


def _says(point: "EntryPoint", error: Exception) -> str:
    says = f"{point.group}: {point.name} cannot be used: {type(error).__name__}: {error}"
    return says[:300]
