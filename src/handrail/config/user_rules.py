"""Write what a person allows for good into their own file: one line, the rest stays as it is."""

import json
import os
from collections.abc import Iterator, Mapping

import msgspec
import yaml

from handrail.config.approvals import AlwaysAllowed
from handrail.config.layers import load_settings
from handrail.config.sources import FILE_NAME, user_folder

_SECTION, _KEY = "approvals", "always"


class UnwritableRuleError(ValueError):
    """The user's file cannot take a rule as it is."""

    def __init__(self, path: str, says: str, line: str) -> None:
        super().__init__(f"{path}: {says}; add this to `{_SECTION}: {_KEY}:` in it by hand: {line}")


class UserRuleChange(msgspec.Struct, frozen=True):
    """A change of the user's file."""

    path: str
    before: str | None
    """Its text; None: there is no such file."""
    after: str


def plan_rule(rule: AlwaysAllowed, environ: Mapping[str, str]) -> UserRuleChange:
    """Return the change by which an action is always allowed. Raises UnwritableRuleError."""
    path = os.path.join(user_folder(environ), FILE_NAME)
    try:
        with open(path, encoding="utf-8") as file:
            before: str | None = file.read()
    except FileNotFoundError:
        before = None
    except (OSError, UnicodeDecodeError) as error:
        raise UnwritableRuleError(path, f"cannot be read ({error})", _line(rule)) from None
    return UserRuleChange(path, before, _with_rule(before or "", rule, path))


def is_readable(environ: Mapping[str, str]) -> bool:
    """Return whether the user's file has no mistake."""
    try:
        load_settings("/", environ=environ, with_project=False)
    except ValueError:
        return False
    return True


def _with_rule(text: str, rule: AlwaysAllowed, path: str) -> str:
    line = _line(rule)
    try:
        old = yaml.safe_load(text)
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        raise UnwritableRuleError(path, "is no valid YAML", line) from None
    if not isinstance(old, dict | None):
        raise UnwritableRuleError(path, "is no mapping", line)
    wanted = _expected(old or {}, rule)
    for attempt in _attempts(text, tree, line):
        try:
            if yaml.safe_load(attempt) == wanted:
                return attempt
        except yaml.YAMLError:
            continue
    raise UnwritableRuleError(path, "is written in a way that Handrail cannot extend", line)


def _expected(old: dict[str, object], rule: AlwaysAllowed) -> dict[str, object]:
    section = old.get(_SECTION) or {}
    known = section.get(_KEY) or [] if isinstance(section, dict) else []
    rules = [*known, _plain(rule)] if isinstance(known, list) else [_plain(rule)]
    return {**old, _SECTION: {**(section if isinstance(section, dict) else {}), _KEY: rules}}


def _attempts(text: str, tree: yaml.Node | None, line: str) -> Iterator[str]:
    """Yield texts with the rule, the one most like the old text first."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    section = _value(tree, _SECTION)
    known = _value(section, _KEY)
    if isinstance(known, yaml.SequenceNode) and known.value and not known.flow_style:
        indent = " " * known.start_mark.column
        last = known.value[-1].end_mark
        at = last.line + (1 if last.column else 0)
        yield _joined(lines, at, f"{indent}- {line}\n")
        yield _joined(lines, known.value[0].start_mark.line, f"{indent}- {line}\n")
    if isinstance(known, yaml.SequenceNode) and known.flow_style:
        old = text[known.start_mark.index : known.end_mark.index].rstrip()[:-1].rstrip()
        comma = ", " if known.value else ""
        yield f"{text[: known.start_mark.index]}{old}{comma}{line}]{text[known.end_mark.index :]}"
    if isinstance(section, yaml.MappingNode) and section.value and not section.flow_style:
        column, at = section.start_mark.column, section.start_mark.line
        indent = " " * column
        yield _joined(lines, at, f"{indent}{_KEY}:\n{indent}  - {line}\n")
    if isinstance(section, yaml.ScalarNode) and not section.value:
        at = section.start_mark.line + 1
        yield _joined(lines, at, f"  {_KEY}:\n    - {line}\n")
    if section is None:
        gap = "\n" if lines else ""
        yield f"{''.join(lines)}{gap}{_SECTION}:\n  {_KEY}:\n    - {line}\n"


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _joined(lines: list[str], at: int, new: str) -> str:
    return "".join((*lines[:at], new, *lines[at:]))


def _line(rule: AlwaysAllowed) -> str:
    """Return a rule as one line of YAML."""
    pairs = (
        f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in _plain(rule).items()
    )
    return f"{{{', '.join(pairs)}}}"


def _plain(rule: AlwaysAllowed) -> dict[str, str]:
    return {key: value for key, value in msgspec.structs.asdict(rule).items() if value}
