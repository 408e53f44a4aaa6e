"""Run one session of Claude Code against a scripted model, with a folder's settings."""

import json
import os
import signal
import subprocess
from contextlib import suppress

from handrail.hosts.port import ProbeSession

_SECONDS = 60.0
_TAKEN_OUT = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION")
"""Variables that an agent sets for the doctor; the probe is a session of its own."""


def run_probe(asked: ProbeSession) -> str:
    """Return why the session failed; "" if it worked."""
    model_env = {
        "ANTHROPIC_BASE_URL": asked.model,
        "ANTHROPIC_API_KEY": "sk-ant-handrail-probe",
        "ANTHROPIC_AUTH_TOKEN": "",
        "CLAUDE_CODE_USE_BEDROCK": "",
        "CLAUDE_CODE_USE_VERTEX": "",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    env = {name: value for name, value in asked.environ.items() if name not in _TAKEN_OUT}
    env |= {**model_env, "TMPDIR": asked.scratch, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    # Only a hook may stop it.
    permissions = {"allow": ["Bash(touch:*)"], "additionalDirectories": [asked.state]}
    settings = {"env": model_env, "permissions": permissions}
    arguments = [
        *(
            asked.program,
            "-p",
            asked.prompt,
            "--model",
            "claude-sonnet-4-5",
            "--output-format",
            "json",
        ),
        *("--settings", json.dumps(settings), "--no-session-persistence", "--strict-mcp-config"),
    ]
    try:
        process = subprocess.Popen(
            arguments,
            cwd=asked.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"{asked.program}: {error.strerror}"
    try:
        output, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"it did not end within {_SECONDS:g} s"
    if process.returncode == 0:
        return ""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else f"it ended with {process.returncode}"
