"""Merge the settings from all places: defaults, user, project, pipeline, environment."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from handrail.config.environment import read_environment
from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.foreign_keys import with_own_names
from handrail.config.prompts import read_prompts
from handrail.config.read_file import parse_yaml, read_text
from handrail.config.schema import Config, RulesFile
from handrail.config.setting_tree import (
    DEFAULT,
    SettingNode,
    SettingOrigin,
    from_plain,
    merge_trees,
)
from handrail.config.sources import PipelineSafety, project_file, shown_path, user_file
from handrail.config.validation import type_at, validate

_RULES_PATH = "step_reviewer.rules.custom_rules_path"
_PROMPTS_PATH = "interventions.soft_correction.custom_prompts_path"
_ALWAYS = "approvals.always"
_ONLY_USER = "this counts only in your own file, ~/.config/handrail/handrail.yaml; move it there"


class ProjectText(msgspec.Struct, frozen=True):
    """A project's `handrail.yaml`, and the files that it names, as they were read."""

    file: str
    texts: tuple[str, ...]


class Settings(msgspec.Struct, frozen=True):
    """The settings in force, and the origin of each."""

    config: Config
    tree: SettingNode
    """The written settings of all layers, merged; a setting missing here has its default."""
    project: ProjectText | None = None
    """The project's own files; None: there are none, or another file was asked for."""

    def origin(self, key: str) -> SettingOrigin:
        """Return the origin of the value at a key path."""
        if node := self.tree.find(key):
            return node.origin
        if type_at(Config, key.split(".")) is None:
            raise KeyError(key)
        return DEFAULT

    def items(self) -> Iterator[tuple[str, object, SettingOrigin]]:
        """Yield every setting: key path, value, origin."""
        for key, value in _leaves(self.config, ""):
            yield key, value, self.origin(key)


def load_settings(
    cwd: str | Path,
    *,
    config_path: str | Path | None = None,
    environ: Mapping[str, str] = os.environ,
    pipeline: str | Path | PipelineSafety | None = None,
    with_project: bool = True,
) -> Settings:
    """Read every layer that exists.

    `config_path` stands in for the project's file. `pipeline` is a pipeline file, whose
    `safety:` counts, or that mapping itself. `with_project`: whether the project's file counts.
    Raises ConfigError with all problems.
    """
    layers = _Layers(Path.cwd() / cwd, environ)
    if config_path is None and with_project:
        layers.project = project_file(layers.cwd, layers.home)
    return layers.load(config_path, pipeline)


def pipeline_text(settings: Settings, pipeline: PipelineSafety) -> ProjectText:
    """Return what a person confirms of a pipeline: its settings, and the files that they name.

    Raises ConfigError if such a file cannot be read.
    """
    plain = from_plain(pipeline.settings, DEFAULT)
    named = (
        (plain.find(_RULES_PATH), settings.config.step_reviewer.rules.custom_rules_path),
        (
            plain.find(_PROMPTS_PATH),
            settings.config.interventions.soft_correction.custom_prompts_path,
        ),
    )
    texts = [read_text(Path(path), path) for node, path in named if node is not None and path]
    written = json.dumps(dict(pipeline.settings), sort_keys=True)
    return ProjectText(pipeline.file, (written, *texts))


class _Layers:
    def __init__(self, cwd: Path, environ: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.environ = environ
        self.home = environ.get("HOME", "")
        self.tree = SettingNode({}, DEFAULT)
        self.problems: list[ConfigProblem] = []
        self.project: Path | None = None
        self.texts: list[str] = []
        """Of the project's file and of those that it names."""

    def load(
        self, config_path: str | Path | None, pipeline: str | Path | PipelineSafety | None
    ) -> Settings:
        if user := user_file(self.environ):
            self._add(lambda: self._read(user), of_user=True)
        if file := config_path or self.project:
            self._add(lambda: self._read(file, of_project=self.project is not None))
        if pipeline:
            self._add(lambda: self._pipeline(pipeline))
        self._add(lambda: read_environment(self.environ, str(self.cwd)))
        self._add_rules_file()
        self._check_prompts_file()
        self._raise_problems()
        own = ProjectText(str(self.project), tuple(self.texts)) if self.project else None
        return Settings(self._convert(), self.tree, own)

    def _add(self, read: Callable[[], SettingNode], *, of_user: bool = False) -> None:
        """Put one more layer on top. Read the others even if this one is wrong."""
        try:
            layer, problems = validate(with_own_names(read()), Config, self.home)
        except ConfigError as error:
            self.problems.extend(error.problems)
        else:
            self.problems.extend(problems)
            if not of_user and (found := layer.find(_ALWAYS)) is not None:
                self.problems.append(ConfigProblem(found.origin, _ALWAYS, _ONLY_USER))
            self.tree = merge_trees(self.tree, layer)

    def _read(self, path: str | Path, *, of_project: bool = False) -> SettingNode:
        full = self.cwd / path
        shown = shown_path(full, self.cwd, self.home)
        text = read_text(full, shown)
        if of_project:
            self.texts.append(text)
        return parse_yaml(text, SettingOrigin(shown, 1, str(full.parent)))

    def _is_of_project(self, node: SettingNode) -> bool:
        return self.project is not None and node.origin.folder == str(self.project.parent)

    def _pipeline(self, pipeline: str | Path | PipelineSafety) -> SettingNode:
        if isinstance(pipeline, PipelineSafety):
            full = self.cwd / pipeline.file
            shown = shown_path(full, self.cwd, self.home)
            return from_plain(
                pipeline.settings, SettingOrigin(shown, pipeline.line, str(full.parent))
            )
        whole = self._read(pipeline)
        return whole.find("safety") or SettingNode({}, whole.origin)

    def _add_rules_file(self) -> None:
        """Append the rules in `custom_rules_path` to those in `custom`."""
        path = self.tree.find(_RULES_PATH)
        if path is None or not path.value:
            return
        try:
            rules = self._read(str(path.value), of_project=self._is_of_project(path))
            file, problems = validate(rules, RulesFile, self.home)
        except ConfigError as error:
            self.problems.extend(
                _referred(problem, path, _RULES_PATH) for problem in error.problems
            )
            return
        self.problems.extend(problems)
        written = self.tree.find("step_reviewer.rules.custom")
        joined = [
            rule
            for node in (written, file.find("rules"))
            if node is not None and isinstance(node.value, list)
            for rule in node.value
        ]
        origin = (written or path).origin
        above = SettingNode(joined, origin)
        for key in ("custom", "rules", "step_reviewer"):
            above = SettingNode({key: above}, origin)
        self.tree = merge_trees(self.tree, above)

    def _check_prompts_file(self) -> None:
        """Report problems in the texts for agents now, not when Handrail needs one."""
        path = self.tree.find(_PROMPTS_PATH)
        if path is None or not path.value:
            return
        full = self.cwd / str(path.value)
        shown = shown_path(full, self.cwd, self.home)
        try:
            read_prompts(full, shown)
            if self._is_of_project(path):
                self.texts.append(read_text(full, shown))
        except ConfigError as error:
            self.problems.extend(
                _referred(problem, path, _PROMPTS_PATH) for problem in error.problems
            )

    def _raise_problems(self) -> None:
        if self.problems:
            raise ConfigError(self.problems)

    def _convert(self) -> Config:
        """Build the settings. Each value is valid by now, but two may contradict each other."""
        try:
            return msgspec.convert(self.tree.plain(), Config)
        except msgspec.ValidationError as error:
            says, _, key = re.sub(r"`$", "", str(error)).partition(" - at `$.")
            node = self.tree.find(key) or self.tree
            raise ConfigError([ConfigProblem(node.origin, key, says)]) from None


def _referred(problem: ConfigProblem, path: SettingNode, key: str) -> ConfigProblem:
    """Report an unreadable file at the line that names it."""
    return problem if problem.origin.line else ConfigProblem(path.origin, key, str(problem))


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from _leaves(getattr(value, field), f"{path}.{field}" if path else field)
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            yield f"{path}.{key}", item
    else:
        yield path, value
