"""Read a pipeline file, and report everything wrong with it at once, each with its place."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from handrail.config.describe import either
from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.foreign_keys import with_own_names
from handrail.config.read_file import parse_yaml, read_text
from handrail.config.setting_tree import SettingNode, SettingOrigin
from handrail.config.sources import PipelineSafety, shown_path
from handrail.config.validation import validate
from handrail.fleet.pipeline.condition import (
    ALWAYS_NEXT,
    Condition,
    ConditionError,
    checks_in,
    names_in,
    parse_condition,
)
from handrail.fleet.pipeline.schema import (
    MAX_STEPS,
    STEP_TYPES,
    AgentStep,
    AnyStep,
    PipelineFile,
    ScriptStep,
)
from handrail.fleet.pipeline.variables import (
    IS_STEP,
    IS_VARIABLE,
    STEP_VALUES,
    names_in_prompt,
    shell_name,
)
from handrail.model.near_names import did_you_mean

TEXT = "<text>"
"""The name of a pipeline that stands in no file."""
_INPUTS = {
    "Bash": ("command",),
    "Read": ("file_path",),
    "Write": ("file_path", "content"),
    "Edit": ("file_path", "old_string", "new_string"),
}
_NO_STEPS = "steps is missing; expected a list of steps, each with a type"


class Step(msgspec.Struct, frozen=True):
    """One step, checked."""

    name: str
    type: str
    keys: AnyStep
    condition: Condition
    line: int = 0


class Pipeline(msgspec.Struct, frozen=True):
    """A pipeline, checked: it can run."""

    name: str
    steps: tuple[Step, ...]
    variables: dict[str, str] = {}
    safety: PipelineSafety | None = None
    """Its own settings; None: it has none."""
    file: str = TEXT


def load_pipeline(path: str, cwd: str, home: str = "") -> Pipeline:
    """Read a pipeline file; raises ConfigError with all problems."""
    full = Path(cwd, path)
    shown = shown_path(full, Path(cwd), home)
    return read_pipeline(read_text(full, shown), str(full), shown, home)


def read_pipeline(text: str, file: str, shown: str = TEXT, home: str = "") -> Pipeline:
    """Read the text of a pipeline; `file`: its path, `shown`: its name in messages.

    Raises ConfigError with all problems.
    """
    tree = parse_yaml(text, SettingOrigin(shown, 1, os.path.dirname(file)))
    reader = _Reader(home)
    found = reader.pipeline(tree, file)
    if reader.problems or found is None:
        raise ConfigError(sorted(reader.problems, key=lambda problem: problem.origin.line))
    return found


def given_variables(pipeline: Pipeline, given: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a pipeline with those that a person gives; raises ConfigError."""
    unknown = [name for name in given if name not in pipeline.variables]
    if unknown:
        known = ", ".join(pipeline.variables) or "none"
        says = f"{pipeline.name} has no such variable; it has: {known}"
        raise ConfigError(
            ConfigProblem(SettingOrigin(f"--var {name}"), "", says) for name in unknown
        )
    return {**pipeline.variables, **given}


class _Reader:
    def __init__(self, home: str) -> None:
        self.problems: list[ConfigProblem] = []
        self._home = home

    def pipeline(self, tree: SettingNode, file: str) -> Pipeline | None:
        top = tree.value
        if not isinstance(top, dict):
            self._says(tree, "", f"a pipeline is a mapping; {_NO_STEPS}")
            return None
        safety = top.get("safety")
        keys = {**top, "steps": SettingNode([], tree.origin)}
        if safety is not None:
            keys["safety"] = with_own_names(safety)
        checked, problems = validate(SettingNode(keys, tree.origin), PipelineFile, self._home)
        self.problems += problems
        variables = self._variables(checked)
        steps = self._steps(tree, top.get("steps"), variables)
        if self.problems:
            return None
        name = checked.find("name")
        return Pipeline(
            str(name.value) if name else Path(file).stem,
            tuple(steps),
            variables,
            _safety(safety, file),
            file,
        )

    # Variables

    def _variables(self, tree: SettingNode) -> dict[str, str]:
        written = tree.find("vars")
        found: dict[str, str] = {}
        for step, node in written.children() if written else ():
            name = step.removeprefix(".")
            if not IS_VARIABLE.fullmatch(name):
                says = "use a lower-case name: letters, digits and _, first a letter"
                self._says(node, f"vars.{name}", says)
            if "\0" in str(node.value):
                self._says(node, f"vars.{name}", "holds a NUL character; take it out")
            found[name] = str(node.value)
        return found

    # Steps

    def _steps(
        self, tree: SettingNode, written: SettingNode | None, variables: Mapping[str, str]
    ) -> list[Step]:
        if written is None or written.value in (None, []):
            self._says(written or tree, "", _NO_STEPS)
            return []
        if not isinstance(written.value, list):
            self._says(written, "steps", "expected a list of steps: `- type: command`")
            return []
        if len(written.value) > MAX_STEPS:
            self._says(written, "steps", f"has {len(written.value)} steps; {MAX_STEPS} are allowed")
            return []
        known = dict.fromkeys(variables, "")
        """Everything a step may name so far, and the step behind it."""
        found: list[Step] = []
        for number, node in enumerate(written.value, 1):
            step = self._step(node, number, f"steps[{number - 1}]", known)
            if step is not None:
                found.append(step)
                known |= {f"{step.name}.{value}": step.name for value in STEP_VALUES}
        self._check_shell_names(written, found, variables)
        return found

    def _step(
        self, node: SettingNode, number: int, path: str, known: Mapping[str, str]
    ) -> Step | None:
        if not isinstance(node.value, dict):
            self._says(node, path, "expected a mapping with a type and its keys")
            return None
        typed = self._type(node, node.value, path)
        if typed is None:
            return None
        kind = STEP_TYPES[typed]
        flat = self._flattened(node, node.value, path)
        checked, problems = validate(flat, kind, self._home)
        self.problems += (
            ConfigProblem(each.origin, f"{path}.{each.key}".rstrip("."), each.says)
            for each in problems
        )
        if problems:
            return None
        try:
            keys: AnyStep = msgspec.convert(checked.plain(), kind)
        except msgspec.ValidationError as error:  # a key with nothing behind it, an empty list
            says, _, key = str(error).rstrip("`").partition(" - at `$.")
            self._says(flat.find(key) or flat, f"{path}.{key}".rstrip("."), says)
            return None
        name = keys.name or f"step{number}"
        self._check_name(flat, name, path, known)
        self._check_keys(flat, keys, path, known)
        condition = self._condition(flat, keys.condition, path, known)
        return Step(name, typed, keys, condition, node.origin.line)

    def _type(self, node: SettingNode, keys: Mapping[str, SettingNode], path: str) -> str | None:
        written = keys.get("type")
        kind = "" if written is None else str(written.value)
        if kind in STEP_TYPES:
            return kind
        allowed = f"expected {either(sorted(STEP_TYPES))}"
        if written is None:
            self._says(node, path, f"type is missing; {allowed}")
        else:
            hint = did_you_mean(kind, STEP_TYPES)
            says = f"{kind!r} is no type of a step; {f'{hint} ' if hint else ''}{allowed}"
            self._says(written, f"{path}.type", says)
        return None

    def _flattened(
        self, node: SettingNode, keys: Mapping[str, SettingNode], path: str
    ) -> SettingNode:
        """Return the keys of a step without `type`, and with those in its `config`."""
        own = {key: child for key, child in keys.items() if key not in ("type", "config")}
        nested = keys.get("config")
        if nested is None or nested.value is None:
            return SettingNode(own, node.origin)
        if not isinstance(nested.value, dict):
            self._says(nested, f"{path}.config", "expected a mapping with the keys of this type")
            return SettingNode(own, node.origin)
        for key, child in nested.value.items():
            if key in own:
                says = f"is given twice, also in line {own[key].origin.line}, outside of config"
                self._says(child, f"{path}.config.{key}", says)
        return SettingNode({**own, **nested.value}, node.origin)

    def _check_name(
        self, node: SettingNode, name: str, path: str, known: Mapping[str, str]
    ) -> None:
        written = node.find("name") or node
        if not IS_STEP.fullmatch(name):
            says = f"{name!r} is not allowed; use letters, digits, _ and -, first a letter"
            self._says(written, f"{path}.name", says)
        elif name in known.values():
            self._says(written, f"{path}.name", f"another step is called {name}; choose another")

    def _check_keys(
        self, node: SettingNode, keys: AnyStep, path: str, known: Mapping[str, str]
    ) -> None:
        if isinstance(keys, AgentStep):
            for name in names_in_prompt(keys.prompt):
                if name not in known:
                    self._says(node.find("prompt") or node, f"{path}.prompt", _unknown(name, known))
        elif isinstance(keys, ScriptStep):
            for number, call in enumerate(keys.calls):
                needs = _INPUTS[call.tool]
                if tuple(sorted(call.input)) != tuple(sorted(needs)):
                    at = node.find(f"calls[{number}]") or node
                    says = f"{call.tool} takes {', '.join(needs)}"
                    self._says(at, f"{path}.calls[{number}].input", says)

    def _condition(
        self, node: SettingNode, text: str, path: str, known: Mapping[str, str]
    ) -> Condition:
        written = node.find("if")
        if written is None or not text.strip():
            return ALWAYS_NEXT
        try:
            found = parse_condition(text)
        except ConditionError as error:
            self._says(written, f"{path}.if", str(error))
            return ALWAYS_NEXT
        for operand in names_in(found):
            if operand.text not in known:
                says = f"column {operand.at + 1}: {_unknown(operand.text, known)}"
                self._says(written, f"{path}.if", says)
        before = {step for step in known.values() if step}
        for check in checks_in(found):
            if check.step and check.step not in before:
                says = f"no step before this one is called {check.step!r}"
                allowed = f"; allowed: {', '.join(sorted(before))}" if before else ""
                self._says(written, f"{path}.if", f"column {check.at + 1}: {says}{allowed}")
        return found

    def _check_shell_names(
        self, node: SettingNode, steps: Sequence[Step], variables: Mapping[str, str]
    ) -> None:
        """Refuse two variables that a command could not tell apart."""
        taken = {shell_name(name): name for name in variables}
        for step in steps:
            for value in STEP_VALUES:
                name = f"{step.name}.{value}"
                other = taken.setdefault(shell_name(name), name)
                if other != name:
                    says = f"{name} and {other} are both ${shell_name(name)}; rename one"
                    self._says(node, "steps", says)
                    return

    def _says(self, node: SettingNode, key: str, says: str) -> None:
        self.problems.append(ConfigProblem(node.origin, key, says))


def _unknown(name: str, known: Mapping[str, str]) -> str:
    hint = did_you_mean(name, known)
    allowed = ", ".join(known) or "none"
    return f"there is no variable {name!r}; {f'{hint} ' if hint else ''}defined here: {allowed}"


def _safety(node: SettingNode | None, file: str) -> PipelineSafety | None:
    if node is None or not isinstance(node.value, dict) or not node.value:
        return None
    plain = node.plain()
    return PipelineSafety(plain if isinstance(plain, dict) else {}, file, node.origin.line)
