"""The settings in `handrail.yaml`: schema, layers, checks."""

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.glob import compile_globs
from handrail.config.layers import Settings, load_settings
from handrail.config.schema import Config, CustomRule
from handrail.config.scope import Scope, resolve_scope
from handrail.config.setting_tree import SettingOrigin
from handrail.config.sources import PipelineSafety

__all__ = [
    "Config",
    "ConfigError",
    "ConfigProblem",
    "CustomRule",
    "PipelineSafety",
    "Scope",
    "SettingOrigin",
    "Settings",
    "compile_globs",
    "load_settings",
    "resolve_scope",
]
