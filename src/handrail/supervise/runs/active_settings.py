"""Keep a run's first settings in its log, so that a restart of the daemon loosens nothing."""

import hashlib
import json

import msgspec

from handrail.config import Config
from handrail.model.active_settings import ActiveSettings

_MAX_BYTES = 64 * 1024
"""Maximal size of settings; of larger ones only the scope is kept, the rest has defaults."""

_Values = dict[str, object]
_ELSEWHERE = frozenset({"notify", "judge"})
"""Sections with addresses and budgets: they restrict no agent, and are read on use."""
_DEFAULTS: _Values = msgspec.to_builtins(Config())


def settings_identity(config: Config) -> str:
    """Return a key for equal settings."""
    return active_settings(config).id


def active_settings(config: Config) -> ActiveSettings:
    """Return settings in the form of an event."""
    # Not by msgspec: a folder in them may have a name that is not valid text.
    values = _differing(msgspec.to_builtins(config), _DEFAULTS)
    kept = {name: value for name, value in values.items() if name not in _ELSEWHERE}
    text = json.dumps(kept, sort_keys=True)
    short = text if len(text) <= _MAX_BYTES else json.dumps({"scope": config.scope})
    return ActiveSettings(hashlib.sha256(text.encode()).hexdigest()[:32], json.loads(short))


def config_of(settings: ActiveSettings) -> Config:
    """Return the settings of an event; defaults if this version cannot read them."""
    try:
        return msgspec.convert(_joined(_DEFAULTS, settings.values), Config)
    except (ValueError, TypeError):
        return Config()


def _differing(values: _Values, defaults: _Values) -> _Values:
    found: _Values = {}
    for name, value in values.items():
        usual = defaults.get(name)
        if isinstance(value, dict) and isinstance(usual, dict):
            if inner := _differing(value, usual):
                found[name] = inner
        elif value != usual:
            found[name] = value
    return found


def _joined(defaults: _Values, values: _Values) -> _Values:
    joined = dict(defaults)
    for name, value in values.items():
        usual = defaults.get(name)
        if isinstance(value, dict) and isinstance(usual, dict):
            joined[name] = _joined(usual, value)
        else:
            joined[name] = value
    return joined
