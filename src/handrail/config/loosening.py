"""Which change of a setting gives an agent more freedom: one row for each key of the schema.

A new key of the schema needs a row here; a test checks it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, cast

from msgspec import Struct

from handrail.config.scope import scope_covers
from handrail.model.ordinal import Severity


class Loosened(Struct, frozen=True):
    """One setting that became laxer."""

    key: str
    was: object
    becomes: object
    says: str
    """Both in one line, for people."""


class LooseningRule(NamedTuple):
    """How one sort of setting loosens."""

    is_laxer: Callable[[object, object], bool]
    """Whether the second value is laxer than the first."""
    stricter: Callable[[object, object], object]
    """The stricter of both; the first where neither is."""
    says: Callable[[object, object], str]
    """The change from the first to the second, in words."""


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = _names(value) if isinstance(value, tuple | dict) else str(value)
    return text or "empty"


def _names(items: Iterable[object]) -> str:
    return ", ".join(str(getattr(item, "name", item)) for item in items)


def _arrow(was: object, becomes: object) -> str:
    return f"{_shown(was)} → {_shown(becomes)}"


def _by_laxness(laxness: Callable[[object], float]) -> LooseningRule:
    return LooseningRule(
        lambda a, b: laxness(b) > laxness(a),
        lambda a, b: b if laxness(b) < laxness(a) else a,
        _arrow,
    )


def _words(*strictest_first: object) -> LooseningRule:
    return _by_laxness(strictest_first.index)


def _number(value: object) -> float:
    return float(cast("float", value))


def _items(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value)


def _new(a: object, b: object) -> list[object]:
    known = _items(a)
    return [item for item in _items(b) if item not in known]


def _outside(a: object, b: object) -> list[object]:
    """The places of the second scope that the first does not hold."""
    known = cast("Sequence[str]", a)
    return [place for place in _items(b) if not scope_covers(known, str(place))]


_ONLY_TEMP = ("/tmp",)
"""A scope with only the temp folders, because an empty one would mean the default."""


def _both_scopes(a: object, b: object) -> tuple[object, ...]:
    """Return the places that lie in both scopes."""
    outside = (*_outside(a, b), *_outside(b, a))
    joined = dict.fromkeys((*_items(a), *_items(b)))
    return tuple(place for place in joined if place not in outside) or _ONLY_TEMP


BIGGER = _by_laxness(_number)
SMALLER = _by_laxness(lambda value: -_number(value))
LIMIT = _by_laxness(lambda value: _number(value) or float("inf"))
"""A bigger number is laxer, and 0 means no limit."""
RETENTION = _by_laxness(lambda value: -(_number(value) or float("inf")))
"""A smaller number is laxer, and 0 means for ever."""
OFF = _words(True, False)
ON = _words(False, True)
LONGER = LooseningRule(
    lambda a, b: bool(_new(a, b)),
    lambda a, b: tuple(item for item in _items(a) if item in _items(b)),
    lambda a, b: f"also {_names(_new(a, b))}",
)
SHORTER = LooseningRule(
    lambda a, b: bool(_new(b, a)),
    lambda a, b: (*_items(a), *_new(a, b)),
    lambda a, b: f"without {_names(_new(b, a))}",
)
PLACES = LooseningRule(
    lambda a, b: bool(_outside(a, b)), _both_scopes, lambda a, b: f"also {_names(_outside(a, b))}"
)
ANY = LooseningRule(lambda a, b: a != b, lambda a, b: a, _arrow)
"""Nobody can say which value is stricter, so only a person's own or confirmed value counts."""
NEVER = LooseningRule(lambda a, b: False, lambda a, b: b, _arrow)
"""Holds no agent back."""

LOOSENING: dict[str, LooseningRule] = {
    "goal": NEVER,  # every prompt replaces it
    "scope": PLACES,
    "protected": SHORTER,
    "secrets": SHORTER,
    "regenerable": LONGER,
    "hosts.trusted": LONGER,
    "hosts.services": ANY,
    "programs": ANY,
    "attended": _words("never", "auto", "always"),
    "on_fault": _words("deny_all", "deny", "warn"),
    "limits.actions": LIMIT,
    "limits.minutes": LIMIT,
    "limits.tokens": LIMIT,
    "limits.cost_usd": LIMIT,
    "limits.memory_mb": LIMIT,
    "prices": ANY,
    "log.keep_days": RETENTION,
    "step_reviewer.enabled": OFF,
    "step_reviewer.mode": _words("blocking", "async"),
    "step_reviewer.max_file_operations": LIMIT,
    "step_reviewer.risk.low_threshold": BIGGER,
    "step_reviewer.risk.medium_threshold": BIGGER,
    "step_reviewer.risk.high_threshold": BIGGER,
    "step_reviewer.risk.critical_threshold": BIGGER,
    "step_reviewer.rationality.high_threshold": SMALLER,
    "step_reviewer.rationality.medium_threshold": SMALLER,
    "step_reviewer.rationality.low_threshold": SMALLER,
    "step_reviewer.rules.builtin": _words("all", "essential", "none"),
    "step_reviewer.rules.custom_rules_path": NEVER,  # its rules are in `custom`
    "step_reviewer.rules.custom": SHORTER,
    "step_reviewer.rules.disabled": LONGER,
    "step_reviewer.cache.enabled": NEVER,
    "step_reviewer.cache.ttl_minutes": NEVER,
    "step_reviewer.cache.max_size": NEVER,
    "step_reviewer.performance.max_review_time_ms": BIGGER,
    "step_reviewer.performance.async_threshold": BIGGER,
    "detection.enabled": OFF,
    "detection.disabled": LONGER,
    "detection.scope_creep.allowed_share": BIGGER,
    "detection.scope_creep.min_paths": BIGGER,
    "detection.scope_creep.critical_paths": SHORTER,
    "detection.resource_spiral.growth": BIGGER,
    "detection.resource_spiral.samples": BIGGER,
    "detection.goal_drift.fall": BIGGER,
    "detection.goal_drift.lowest_opinion": SMALLER,
    "detection.hallucination.min_occurrences": BIGGER,
    "detection.exploration_wandering.threshold": BIGGER,
    "detection.exploration_wandering.max_unique_directories": BIGGER,
    "detection.exploration_wandering.backtrack_limit": BIGGER,
    "detection.counting": SHORTER,
    "interventions.enabled": OFF,
    "interventions.max_interventions_per_execution": SMALLER,
    "interventions.intervention_cooldown_seconds": BIGGER,
    "interventions.intervention_cooldown_actions": BIGGER,
    "interventions.soft_correction.enabled": OFF,
    "interventions.soft_correction.max_attempts": ANY,
    "interventions.soft_correction.custom_prompts_path": ANY,  # they speak in Handrail's name
    "interventions.context_reinforcement.enabled": OFF,
    "interventions.context_reinforcement.max_attempts": ANY,
    "interventions.context_reinforcement.reinforcement_strength": _words(
        "strong", "medium", "light"
    ),
    "interventions.context_reinforcement.constraints": SHORTER,
    "interventions.context_reinforcement.include_examples": NEVER,
    "interventions.resource_throttling.enabled": OFF,
    "interventions.resource_throttling.max_attempts": ANY,
    "interventions.resource_throttling.reduction_factors.moderate": BIGGER,
    "interventions.resource_throttling.reduction_factors.aggressive": BIGGER,
    "interventions.resource_throttling.reduction_factors.severe": BIGGER,
    "interventions.resource_throttling.metrics_window_seconds": ANY,
    "interventions.checkpoint_rollback.enabled": OFF,
    "interventions.checkpoint_rollback.max_attempts": ANY,
    "interventions.checkpoint_rollback.max_rollback_depth": ANY,
    "interventions.checkpoint_rollback.checkpoint_retention_minutes": ANY,
    "interventions.checkpoint_rollback.safe_checkpoint_criteria.min_success_rate": SMALLER,
    "interventions.checkpoint_rollback.safe_checkpoint_criteria.no_errors_duration_seconds": (
        SMALLER
    ),
    "interventions.emergency_stop.enabled": OFF,
    "interventions.emergency_stop.auto_cleanup": NEVER,
    "interventions.emergency_stop.preserve_incident_data_days": SMALLER,
    "interventions.strategy.type": ANY,
    "interventions.strategy.custom": ANY,
    "interventions.strategy.patterns": ANY,
    "interventions.strategy.effectiveness_threshold": SMALLER,
    "interventions.strategy.escalation_delay_seconds": BIGGER,
    "interventions.strategy.escalation_delay_actions": BIGGER,
    "interventions.strategy.effect_actions": SMALLER,
    "checkpoints.enabled": OFF,
    "checkpoints.include": SHORTER,
    "checkpoints.every_tasks": LIMIT,
    "checkpoints.before_unattended": OFF,
    "checkpoints.max_file_mb": SMALLER,
    "checkpoints.max_files": SMALLER,
    "checkpoints.max_mb": SMALLER,
    "checkpoints.soft_seconds": SMALLER,
    "checkpoints.hard_seconds": SMALLER,
    "checkpoints.keep": SMALLER,
    "checkpoints.keep_days": SMALLER,
    "checkpoints.quota_mb": SMALLER,
    "trash.max_file_mb": SMALLER,
    "trash.quota_mb": SMALLER,
    "control.hold_seconds": NEVER,
    "control.freeze_seconds": SMALLER,
    "approvals.hold_refused": ON,
    "approvals.require_approval_for": SHORTER,
    "approvals.auto_approve": LONGER,
    "approvals.wait_seconds": NEVER,
    "approvals.answer_minutes": BIGGER,
    "approvals.unanswered": _words("deny", "ask_again"),
    "approvals.valid_minutes": BIGGER,
    "approvals.always": LONGER,
    "notify.urls": ANY,  # messages that do not arrive, or arrive at somebody else's
    "notify.approvals": ANY,
    "notify.severity": _words(*Severity),
    "notify.per_hour": SMALLER,
    "panel.url": ANY,  # who may talk to the daemon: a person's own file decides
    "panel.listen": ANY,
    "panel.insecure": ON,
    "panel.tls.cert": ANY,
    "panel.tls.key": ANY,
    "judge.enabled": ANY,  # sends actions to a model, and costs money
    "judge.model": ANY,
    "judge.key_variable": ANY,
    "judge.seconds": ANY,
    "judge.calls_per_run": ANY,
    "judge.goal_every": ANY,
    "fleet.slots": BIGGER,
    "fleet.max_iterations": LIMIT,
    "fleet.max_retries": BIGGER,
    "fleet.lease_seconds": BIGGER,  # an agent without its scheduler works on for so long
    "fleet.stall_iterations": LIMIT,
    "fleet.budget_usd": LIMIT,
    "fleet.disk.warn_mb": SMALLER,
    "fleet.disk.pause_mb": SMALLER,
    "fleet.disk.stop_mb": SMALLER,
    "fleet.questions.limit": BIGGER,
    "fleet.questions.timeout_minutes": SMALLER,
    "fleet.questions.default_answer": ANY,  # it speaks in your name
    "fleet.workspace.setup": ANY,  # commands that run before there is an agent
    "fleet.merge.auto": ON,
    "desktop.enabled": OFF,
    "desktop.interval_seconds": BIGGER,
    "desktop.min_cooldown_seconds": SMALLER,
    "desktop.max_retries": BIGGER,
    "desktop.confidence_threshold": SMALLER,
    "desktop.screenshot_backend": NEVER,
    "desktop.save_screenshots": ANY,  # pictures show everything on a person's screen
    "desktop.screenshot_dir": ANY,
    "desktop.screenshot_days": ANY,  # pictures of all sessions share the folder
    "desktop.screenshot_mb": ANY,
    "desktop.vision": ON,  # sends pictures of the screen to a model, and costs money
    "desktop.model": ANY,
    "desktop.vision_seconds": BIGGER,
    "desktop.vision_retries": BIGGER,
    "desktop.max_calls": BIGGER,
    "desktop.max_cost_usd": BIGGER,
    "desktop.exclude_windows": SHORTER,
    "desktop.verification.enabled": OFF,
    "desktop.verification.similarity_threshold": SMALLER,
    "desktop.verification.verify_on_completion": OFF,
}
