"""Reads texts for agents: by kind of finding, with `{fields}` that are filled in later."""

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
    "says": "what was seen, in a sentence",
    "kind": "the kind of the finding",
    "severity": "how bad it is",
    "steps": "the steps that show it: 4, 6, 8",
    "first": "the first of them",
    "times": "how often it happened",
    "step": "the step that the run is at",
    "nth": "which hint about this kind it is: Second",
    "goal": "what the run is for",
    "scope": "the folders that it may change",
    "error": "the error that comes again",
    "call": "the action that comes again",
    "path": "a file outside of the scope",
    "paths": "how many paths were touched",
    "outside": "how many of them lie outside of the scope",
    "series": "what is used more and more",
    "fall": "how far the run has moved from its goal, from 0 to 1",
    "things": "what is not there",
    "claim": "what the agent said",
    "looks": "how often it has looked around",
    "folders": "in how many folders",
    "secret": "where the secret stands",
    "host": "where something is sent",
}
"""What a text may name, and what stands there then."""


def read_prompts(path: Path, shown: str) -> Prompts:
    """The texts of a file; raises ConfigError with everything that is wrong with them."""
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
    """The fields of a text; raises ValueError where a brace does not belong to one."""
    fields = []
    for _, name, form, conversion in Formatter().parse(text):
        if name is None:
            continue
        if form or conversion or not name.isidentifier():
            raise ValueError(f"{{{name}}} is no field; write {{{{ and }}}} for braces")
        fields.append(name)
    return fields


def _as_lists(root: SettingNode) -> SettingNode:
    """One text is a list of one."""
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
