"""What is asked about the machine, and what of the answers counts."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.upgrade.machine import Machine

_RUNS = ("5a0e7c11", "5a0e7c12", "5a0e7c13", "d0c5e114", "d0c5e115", "5a0e7c16")

_ADDED = {
    "permitted_by", "used", "alternatives", "repository", "links", "after", "context", "git",
    "git_digest", "copies", "question",
}  # fmt: skip
"""Keys that the answers have got since then; all others stay as they were."""
_NEW_ID = ("id", "")
"""Reviews have an id since then; everything else that has one had it before."""


def _status(machine: Machine) -> Any:
    told = machine.json("status", "--all")
    for run in told["runs"]:
        del run["quiet_seconds"]  # since then, more and more
    return told["runs"]


def _explain(machine: Machine) -> Any:
    steps = {"5a0e7c11": (1, 5, 6, 7, 9, 10, 11, 15, 53, 58), "5a0e7c12": (2, 3), "5a0e7c16": (1,)}
    told = {
        f"{run} {step}": machine.json("explain", run, str(step))
        for run, found in steps.items()
        for step in found
    }
    return told | {
        f"{run} --interventions": machine.json("explain", run, "--interventions")
        for run in ("5a0e7c11", "d0c5e114")
    }


def _incidents(machine: Machine) -> Any:
    listed = machine.json("incident", "list")
    return {each["id"]: machine.json("incident", "show", each["id"]) for each in listed}


ASKED: Mapping[str, Callable[[Machine], Any]] = {
    "status": _status,
    "log": lambda machine: machine.json("log", "--all-runs"),
    "log-lines": lambda machine: {run: machine.says("log", run).splitlines() for run in _RUNS},
    "explain": _explain,
    "incidents": _incidents,
    "feedback": lambda machine: machine.json("feedback"),
    "checkpoints": lambda machine: machine.json("checkpoints"),
    "diff": lambda machine: machine.says("diff", "before-the-weekend").splitlines(),
    "rollback": lambda machine: machine.json("rollback", "before-the-weekend", "--dry-run"),
    "uninstall": lambda machine: machine.json("uninstall", "claude", "--dry-run"),
    "uninstall-project": lambda machine: machine.json(
        "uninstall", "claude", "--project", "--dry-run"
    ),
}
"""By the name of the file in `data/` that has the answer of the old code."""


def ask(machine: Machine, name: str) -> str:
    """What is answered now, as it would stand in its file."""
    told = _without_added(ASKED[name](machine))
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _without_added(told: Any) -> Any:
    if isinstance(told, dict):
        known = (item for item in told.items() if item[0] not in _ADDED and item != _NEW_ID)
        return {key: _without_added(each) for key, each in known}
    return [_without_added(each) for each in told] if isinstance(told, list) else told
