"""Read `tasks.yaml`: the tasks of a fleet, as a person has written them.

All problems of a file are reported at once, each with its line, its key and what is allowed.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import msgspec

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.read_file import parse_yaml, read_text
from handrail.config.setting_tree import SettingNode, SettingOrigin, merge_trees
from handrail.config.validation import validate
from handrail.fleet.tasks.dependencies import cycle_in_words, find_cycles
from handrail.fleet.tasks.task import LONGEST_ID, Task, is_task_id
from handrail.fleet.tasks.task_schema import TaskFile
from handrail.hosts import HOSTS
from handrail.model.near_names import did_you_mean

MAX_TASKS = 5_000

_LONGEST_WORDS = 40
"""Characters of a prompt that its id keeps."""
_HINTS = 20
"""Unknown names that get a "did you mean": each one is compared with all ids."""
_SHOWN = 60


def read_task_file(path: Path, known: Collection[str] = ()) -> tuple[Task, ...]:
    """Read the tasks in a file; raises ConfigError with all its problems.

    `known`: the ids of tasks outside of the file that those in it may depend on.
    """
    shown = str(path)
    origin = SettingOrigin(shown, 1, str(path.parent))
    return parse_tasks(read_text(path, shown), origin, known)


def parse_tasks(text: str, origin: SettingOrigin, known: Collection[str] = ()) -> tuple[Task, ...]:
    """Read the tasks in a text whose first line is at `origin`; raises ConfigError."""
    tree = _with_prompts(parse_yaml(text, origin))
    entries = [_WrittenTask(index, node) for index, node in enumerate(_list(tree, "tasks"))]
    if len(entries) > MAX_TASKS:
        where = entries[MAX_TASKS].node.origin
        raise ConfigError([ConfigProblem(where, "tasks", f"holds more than {MAX_TASKS} tasks")])
    checked, problems = validate(tree, TaskFile, home="")
    problems = [*problems, *_more_problems(tree, entries, known)]
    if not entries and not problems:
        says = "holds no task; write one under `tasks:`, for example `- Fix the failing tests`"
        problems = [ConfigProblem(tree.origin, "tasks", says)]
    if problems:
        raise ConfigError(sorted(problems, key=lambda problem: problem.origin.line))
    return tuple(_tasks(checked, entries))


def id_from_text(text: str) -> str:
    """Make the id of a task from its title or prompt; the same text always gives the same id."""
    plain = unicodedata.normalize("NFKD", text[: _LONGEST_WORDS * 4])
    words = "-".join(re.findall(r"[a-z0-9]+", plain.encode("ascii", "ignore").decode().lower()))
    short = words[:_LONGEST_WORDS].rsplit("-", 1)[0] if len(words) > _LONGEST_WORDS else words
    whole = short == words and text.isascii() and len(text) <= _LONGEST_WORDS * 4
    if whole and short:
        return short
    # Texts that begin alike, or have no letters of a branch's name, still get ids of their own.
    return f"{short or 'task'}-{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


class _WrittenTask:
    """One item of the list, as it is written."""

    def __init__(self, index: int, node: SettingNode) -> None:
        self.node = node
        self.key = f"tasks[{index}]"
        self.written_id = _text(node, "id")
        self.id = self.written_id or _made_id(_text(node, "title") or _text(node, "prompt"))
        self.needs = {
            item: each.text for item, each in enumerate(_list(node, "depends_on")) if _is_text(each)
        }
        """The place of each dependency in its list, and its id."""

    def problem(self, key: str, says: str, item: int | None = None) -> ConfigProblem:
        node = _child(self.node, key)
        if node is None:
            return ConfigProblem(self.node.origin, self.key, says)
        if item is None:
            return ConfigProblem(node.origin, f"{self.key}.{key}", says)
        assert isinstance(node.value, list)
        return ConfigProblem(node.value[item].origin, f"{self.key}.{key}[{item}]", says)


def _made_id(text: str) -> str:
    return id_from_text(text) if text.strip() else ""


def _with_prompts(tree: SettingNode) -> SettingNode:
    """Return the file with each plain text among its tasks as the prompt of a mapping."""
    items = _list(tree, "tasks")
    if not items or not isinstance(tree.value, dict):
        return tree
    mappings = [
        SettingNode({"prompt": each}, each.origin) if isinstance(each.value, str) else each
        for each in items
    ]
    tasks = SettingNode(mappings, tree.value["tasks"].origin)
    return SettingNode({**tree.value, "tasks": tasks}, tree.origin)


def _tasks(checked: SettingNode, entries: Iterable[_WrittenTask]) -> Iterator[Task]:
    defaults = _child(checked, "defaults") or SettingNode({}, checked.origin)
    for entry, node in zip(entries, _list(checked, "tasks"), strict=True):
        merged = merge_trees(defaults, node).plain()
        assert isinstance(merged, dict)
        yield msgspec.convert({**merged, "id": entry.id}, Task)


def _more_problems(
    tree: SettingNode, entries: list[_WrittenTask], known: Collection[str]
) -> Iterator[ConfigProblem]:
    """Yield what the schema cannot say."""
    if defaults := _child(tree, "defaults"):
        yield from _host_problems(defaults, "defaults")
        yield from _null_problems(defaults, "defaults")
    for entry in entries:
        prompt = _text(entry.node, "prompt")
        if prompt and not prompt.strip():
            yield entry.problem("prompt", "holds only blanks; say what the agent is to do")
        yield from _host_problems(entry.node, entry.key)
        yield from _null_problems(entry.node, entry.key)
    yield from _id_problems(entries)
    yield from _dependency_problems(entries, known)


def _null_problems(node: SettingNode, key: str) -> Iterator[ConfigProblem]:
    """Yield the texts that no command line can carry."""
    if isinstance(node.value, str) and "\0" in node.value:
        yield ConfigProblem(node.origin, key, "holds a null character; write it without")
    for step, child in node.children():
        yield from _null_problems(child, key + step)


def _host_problems(node: SettingNode, key: str) -> Iterator[ConfigProblem]:
    host = _text(node, "host")
    where = _child(node, "host")
    if host and where and host not in HOSTS:
        hint = f"{did_you_mean(host, HOSTS)} allowed: {', '.join(HOSTS)}".lstrip()
        says = f"{_quoted(host)} is not a host that Handrail knows; {hint}"
        yield ConfigProblem(where.origin, f"{key}.host", says)


def _id_problems(entries: Iterable[_WrittenTask]) -> Iterator[ConfigProblem]:
    first: dict[str, _WrittenTask] = {}
    for entry in entries:
        if entry.written_id and not is_task_id(entry.written_id):
            yield entry.problem("id", f"{_quoted(entry.written_id)} {_no_id(entry.written_id)}")
        elif entry.id:
            # Folders and branches are called after it, and some systems take A and a for one.
            other = first.setdefault(entry.id.casefold(), entry)
            if other is not entry:
                yield entry.problem("id", _duplicate(entry, other))


def _no_id(text: str) -> str:
    if len(text) > LONGEST_ID:
        return f"is longer than {LONGEST_ID} characters"
    made = id_from_text(text)
    return (
        "cannot be an id; allowed: letters, digits, dots, dashes and underscores, a letter or "
        f"digit first, no two dots together, no dot or .lock at the end; {made} would do"
    )


def _duplicate(entry: _WrittenTask, other: _WrittenTask) -> str:
    line = other.node.origin.line
    if entry.id != other.id:
        return f"{entry.id} differs from {other.id} in line {line} only by capital letters"
    if entry.written_id and other.written_id:
        return f"{entry.id} is already the id of the task in line {line}"
    return f"gets the id {entry.id}, as the task in line {line}; write another `id:` for one"


def _dependency_problems(
    entries: list[_WrittenTask], known: Collection[str]
) -> Iterator[ConfigProblem]:
    by_id = {entry.id: entry for entry in entries if entry.id}
    unknown = 0
    for entry in entries:
        for item, name in entry.needs.items():
            if name and name == entry.id:
                yield entry.problem("depends_on", f"{name} cannot depend on itself", item)
            elif name not in by_id and name not in known:
                unknown += 1
                hint = _known_names(name, (*by_id, *known)) if unknown <= _HINTS else ""
                where = "" if known else " in this file"
                says = f"there is no task {_quoted(name)}{where}{hint}"
                yield entry.problem("depends_on", says, item)
    others = {
        entry.id: [name for name in entry.needs.values() if name != entry.id]
        for entry in by_id.values()
    }
    for cycle in find_cycles(others):
        says = f"these tasks wait for each other: {cycle_in_words(cycle)}"
        yield by_id[cycle[0]].problem("depends_on", says)


def _known_names(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = did_you_mean(name, names) if len(name) <= LONGEST_ID else ""
    few = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
    return f"; {near or f'there are: {few}'}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _list(node: SettingNode, key: str) -> list[SettingNode]:
    child = _child(node, key)
    return child.value if child is not None and isinstance(child.value, list) else []


def _child(node: SettingNode, key: str) -> SettingNode | None:
    return node.value.get(key) if isinstance(node.value, dict) else None


def _text(node: SettingNode, key: str) -> str:
    """Return the text at a key as it is written, also a number's; "" if it is not a text."""
    child = _child(node, key)
    return child.text if child is not None and _is_text(child) else ""


def _is_text(node: SettingNode) -> bool:
    return isinstance(node.value, str | int | float)
