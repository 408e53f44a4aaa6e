"""Read texts for agents by kind of finding, with `{fields}` to fill in later."""

from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.names import finding_kinds
from handrail.config.read_file import read_yaml
from handrail.config.setting_tree import SettingNode
from handrail.config.text_values import must_be_no_slip
from handrail.config.validation import validate

Prompts = dict[str, tuple[str, ...]]

FIELDS: dict[str, str] = {
    "says": "the finding, in a sentence",
    "kind": "the kind of the finding",
    "severity": "how bad it is",
    "steps": "the steps behind it: 4, 6, 8",
    "first": "the first of them",
    "times": "how often it happened",
    "step": "the current step of the run",
    "nth": "the number of this hint about the kind: Second",
    "goal": "the goal of the run",
    "scope": "the folders of the scope",
    "error": "the repeated error",
    "call": "the repeated action",
    "path": "a file outside the scope",
    "paths": "the number of touched paths",
    "outside": "how many of them lie outside the scope",
    "series": "the growing use",
    "fall": "how far the run has moved from its goal, from 0 to 1",
    "things": "the missing things",
    "claim": "the agent's claim",
    "looks": "the number of looks",
    "folders": "the number of folders",
    "secret": "the place of the secret",
    "host": "the receiving host",
}
"""The fields of a text, and their contents."""


def read_prompts(path: Path, shown: str) -> Prompts:
    """Read the texts of a file; raise ConfigError with all its problems."""
    checked, problems = validate(_as_lists(read_yaml(path, shown)), Prompts, "")
    for key, node in checked.children():
        kind = key.removeprefix(".")
        problems += _wrong_kind(kind, node)
        for index, text in node.children():
            problems += _wrong_fields(kind, f"{kind}{index}", text)
    if problems:
        raise ConfigError(problems)
    return {
        key.removeprefix("."): tuple(str(text.value).strip() for _, text in node.children())
        for key, node in checked.children()
    }


def fields_of(text: str) -> list[str]:
    """Return the fields of a text; raise ValueError for a stray brace."""
    fields = []
    for _, name, form, conversion in Formatter().parse(text):
        if name is None:
            continue
        if form or conversion or not name.isidentifier():
            raise ValueError(f"{{{name}}} is no field; write {{{{ and }}}} for braces")
        fields.append(name)
    return fields


def _as_lists(root: SettingNode) -> SettingNode:
    """Turn a single text into a list of one."""
    if not isinstance(root.value, dict):
        return root
    children = {
        key: SettingNode([node], node.origin) if isinstance(node.value, str) else node
        for key, node in root.value.items()
    }
    return SettingNode(children, root.origin)


def _wrong_kind(kind: str, node: SettingNode) -> Iterator[ConfigProblem]:
    try:
        must_be_no_slip(kind, finding_kinds(), "kind of finding")
    except ValueError as error:
        yield ConfigProblem(node.origin, kind, f"{kind!r} {error}")


def _wrong_fields(kind: str, key: str, node: SettingNode) -> Iterator[ConfigProblem]:
    try:
        fields = fields_of(str(node.value))
    except ValueError as error:
        yield ConfigProblem(node.origin, key, str(error))
        return
    for name in fields:
        if name not in FIELDS and kind in finding_kinds():
            says = f"unknown field {{{name}}}; allowed: {', '.join(FIELDS)}"
            yield ConfigProblem(node.origin, key, says)
