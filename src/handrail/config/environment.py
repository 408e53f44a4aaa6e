"""Read settings from environment variables: `HANDRAIL_STEP_REVIEWER__MODE=async`."""

from collections.abc import Mapping

from handrail.config.read_file import parse_yaml
from handrail.config.schema import Config
from handrail.config.setting_tree import SettingNode, SettingOrigin, merge_trees
from handrail.config.validation import section_fields, type_at, unwrap_type

_PREFIX = "HANDRAIL_"


def read_environment(environ: Mapping[str, str], cwd: str) -> SettingNode:
    """Return all variables that name a setting as one layer; ignore empty variables."""
    layer = SettingNode({}, SettingOrigin("environment", folder=cwd))
    for name in sorted(environ):
        if _names_setting(name) and environ[name]:
            keys = name.removeprefix(_PREFIX).lower().split("__")
            layer = merge_trees(layer, _nested(keys, _value(name, keys, environ[name], cwd)))
    return layer


def _names_setting(name: str) -> bool:
    """Return whether a variable names a setting: a known key, or any name with levels."""
    rest = name.removeprefix(_PREFIX)
    return rest != name and ("__" in rest or rest.lower() in section_fields(Config))


def _value(name: str, keys: list[str], text: str, cwd: str) -> SettingNode:
    origin = SettingOrigin(name, folder=cwd)
    if unwrap_type(type_at(Config, keys))[0] is str:
        return SettingNode(text, origin, text)  # a goal may well read like YAML: "fix: the cart"
    return parse_yaml(text, origin)


def _nested(keys: list[str], value: SettingNode) -> SettingNode:
    for key in reversed(keys):
        value = SettingNode({key: value}, value.origin)
    return value
