"""Calls that only look whether something else is ready; repeating them is normal."""

import re
from typing import Final

from handrail.model.action import Action
from handrail.model.desktop import DESKTOP_LOOK

_MAX_COMMAND = 2_000
_MAX_LOOK = 400
"""A longer command does more than look."""
_TOOLS = frozenset({"BashOutput", "TaskOutput", "AgentOutputTool", "Sleep", DESKTOP_LOOK})
_SLEEPS = re.compile(r"(?:^|[;&|({\n]|\bdo)\s*(?:sleep|wait)(?=\s|$)")
_ANY = ""
_STATES = r"\b(?:view|watch|checks|status|list|show|logs?|trace|get|ls)\b"
_CONTAINERS = r"\b(?:ps|inspect|logs|stats|top|wait|port)\b"
_CLUSTER = r"\b(?:get|wait|rollout|describe|logs|top|events)\b"
_HEALTH = r"/(?:[\w-]*health\w*|ready\w*|live\w*|status|ping|up|metrics|version)\b"
_WATCHERS: Final[dict[str, str]] = {
    # Logs and processes of this machine.
    "tail": _ANY, "journalctl": _ANY, "dmesg": _ANY, "ps": _ANY, "pgrep": _ANY, "top": _ANY,
    "uptime": _ANY, "free": _ANY, "df": _ANY, "vmstat": _ANY, "iostat": _ANY, "ss": _ANY,
    "netstat": _ANY, "lsof": _ANY, "nvidia-smi": _ANY, "jobs": _ANY,
    "systemctl": r"\b(?:status|is-active|is-failed|show|list-units)\b",
    # Is it up?
    "curl": _HEALTH, "wget": _HEALTH, "http": _HEALTH, "nc": r" -\w*z", "ping": _ANY,
    "pg_isready": _ANY, "redis-cli": r"\bping\b", "mysqladmin": r"\b(?:ping|status)\b",
    # Pipelines and jobs elsewhere.
    "gh": rf"\b(?:run|pr|workflow|release)\b.*{_STATES}", "glab": rf"\b(?:ci|mr)\b.*{_STATES}",
    "squeue": _ANY, "sacct": _ANY, "qstat": _ANY, "bjobs": _ANY, "condor_q": _ANY,
    "nomad": r"\bstatus\b", "fly": r"\b(?:status|logs)\b", "heroku": r"\b(?:ps|logs)\b",
    "az": r"\b(?:show|list)\b", "gcloud": r"\b(?:describe|list|log)\b",
    "aws": r" (?:wait|describe-[\w-]+|get-[\w-]+|list-[\w-]+)\b",
    # Containers, clusters and machines.
    "docker": _CONTAINERS, "podman": _CONTAINERS, "docker-compose": _CONTAINERS,
    "kubectl": _CLUSTER, "oc": _CLUSTER, "helm": r"\b(?:status|list)\b",
    "argocd": r"\b(?:get|wait)\b", "vagrant": r"\bstatus\b",
    "virsh": r"\b(?:domstate|list|dominfo)\b",
}  # fmt: skip
"""Programs that show the state of work elsewhere, and the words of their arguments."""
_BEFORE = r"(?:(?:sudo|env|command|timeout \S+)\s+|[A-Za-z_]\w*=\S*\s+)*"
_PART = re.compile(rf"\s*{_BEFORE}(?P<program>[^\s|&<>]+)(?P<rest>[^|&]*)")
_NEXT = re.compile(r"&&|\|\||[;\n]")
_BESIDE = frozenset({"cd", "echo", "date", "true", "sleep", "wait"})
"""What stands beside a program that watches."""

_MAX_PROMPT = 4_000
_REQUEST = re.compile(
    r"\b(?:watch|wait|monitor|poll|as soon as|keep an eye|comes? (?:up|back)"
    r"|(?:tell|let) me (?:know )?(?:when|if|as soon))\b",
    re.IGNORECASE,
)


def asks_to_wait(prompt: str) -> bool:
    """Return whether a person asks to watch something, or to wait for it."""
    return _REQUEST.search(prompt[:_MAX_PROMPT]) is not None


def only_waits(action: Action) -> bool:
    """Return whether an action only looks whether something else is ready."""
    command = action.input.get("command")
    if not isinstance(command, str):
        return action.tool in _TOOLS
    command = command[:_MAX_COMMAND]
    if ("sleep" in command or "wait" in command) and _SLEEPS.search(command):
        return True
    if len(command) > _MAX_LOOK:
        return False
    found = False
    for part in _NEXT.split(command):
        words = _PART.match(part)
        if words is None:
            continue
        program = words["program"]
        shows = _WATCHERS.get(program)
        if shows is not None and (not shows or re.search(shows, words["rest"])):
            found = True
        elif program not in _BESIDE:
            return False
    return found
