"""Write tasks as they would stand in `tasks.yaml`."""

from collections.abc import Mapping, Sequence

import msgspec
import yaml

from handrail.fleet.tasks.task import Task


def task_yaml(task: Task) -> str:
    """Return a `tasks.yaml` with one task, for a person who edits it."""
    return tasks_yaml([msgspec.to_builtins(task)])


def tasks_yaml(entries: Sequence[Mapping[str, object]]) -> str:
    """Return a `tasks.yaml` with these tasks."""
    document = {"tasks": [dict(entry) for entry in entries]}
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks: people edit prompts."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    )


def _sequence(dumper: yaml.SafeDumper, items: Sequence[object]) -> yaml.SequenceNode:
    return dumper.represent_list(list(items))


_Dumper.add_representer(str, _text)
_Dumper.add_representer(tuple, _sequence)
