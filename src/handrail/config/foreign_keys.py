"""Keys of the designs that Handrail comes from, where it has other names for them.

Handrail takes over a key with the same meaning under its own name. It answers a key without an
equal with what to write instead, as part of the message about an unknown key.
"""

from handrail.config.setting_tree import SettingNode

RENAMED = {
    "checkpoints.periodic": "every_tasks",
    "checkpoints.everyTasks": "every_tasks",
    "checkpoints.beforeAutopilot": "before_unattended",
    "checkpoints.before_autopilot": "before_unattended",
}
"""The key, and its name here in the same section."""
WRAPPERS = ("safety",)
"""Sections of which everything stands at the top level here."""
ANSWERS = {
    "notification_channels": (
        "write addresses into `notify.urls`: `mailtos://you:${MAIL_PASSWORD}@example.com`, "
        "`slack://…`"
    ),
    "notificationChannels": "write addresses into `notify.urls`",
    "beforeAutopilot": "write `checkpoints.before_unattended`, once",
    "before_autopilot": "write `checkpoints.before_unattended`, once",
    "auto_cleanup": "write `interventions.emergency_stop.auto_cleanup`",
    "emergency_stop": "write `interventions.emergency_stop`",
    "periodic": "write `checkpoints.every_tasks`, once",
    "safety": "write its sections at the top level: `step_reviewer`, `interventions`",
    "max_file_operations": "write `step_reviewer.max_file_operations`",
    "file_operations": "write `step_reviewer.max_file_operations`",
    "intervention": (
        "write `desktop` for the watch over a graphical session; it has the same keys. "
        "`interventions` is about agents in trouble"
    ),
}
"""By name, what to write instead, wherever the key stands."""


def with_own_names(tree: SettingNode) -> SettingNode:
    """Return the written settings with foreign keys under the names that they have here."""
    if not isinstance(tree.value, dict):
        return tree
    tree = _unwrapped(tree, tree.value)
    for path, name in RENAMED.items():
        section, _, key = path.partition(".")
        tree = _renamed(tree, section, key, name)
    return tree


def _unwrapped(tree: SettingNode, top: dict[str, SettingNode]) -> SettingNode:
    for wrapper in WRAPPERS:
        inner = top.get(wrapper)
        if inner is None or not isinstance(inner.value, dict):
            continue
        if not inner.value.keys().isdisjoint(top):
            continue  # which of both counts, nobody knows: it is answered as an unknown key
        rest = {key: child for key, child in top.items() if key != wrapper}
        top = {**rest, **inner.value}
        tree = SettingNode(top, tree.origin)
    return tree


def _renamed(tree: SettingNode, section: str, key: str, name: str) -> SettingNode:
    top = tree.value
    inner = top.get(section) if isinstance(top, dict) else None
    if not isinstance(top, dict) or inner is None or not isinstance(inner.value, dict):
        return tree
    if key not in inner.value or name in inner.value:
        return tree
    named = {name if each == key else each: child for each, child in inner.value.items()}
    return SettingNode({**top, section: SettingNode(named, inner.origin)}, tree.origin)
