"""The live probe: the real Claude Code, a scripted model, and a command that must not run."""

import json
import os
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import suppress
from shlex import quote
from time import perf_counter

import msgspec

from handrail.server.home import Home
from handrail.testing.model_server import Call, ModelServer, Say, Step

PROMPT = "handrail doctor: is a refusal enforced?"
_SECONDS = 60.0
_CALL = "toolu_handrail_probe"
_REFUSED = "Handrail stopped this"
_TAKEN_OUT = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION")
"""Set where the doctor is called by an agent; the probe is a session of its own."""


class Probe(msgspec.Struct, frozen=True):
    """What became of the command."""

    enforced: bool
    says: str
    ms: float = 0.0


def probe(claude: str, folder: str, home: Home, environ: Mapping[str, str]) -> Probe:
    """Let Claude Code try to write into Handrail's state folder, with the settings of `folder`.

    The command is harmless if it runs, and leaves a file behind that proves it.
    """
    trace = os.path.join(home.path, f"probe-{uuid.uuid4().hex[:12]}")
    script: list[Step] = [
        Call("Bash", {"command": f"touch {quote(trace)}"}, _CALL),
        Say("That is all."),
    ]
    began = perf_counter()
    with ModelServer(script) as model, tempfile.TemporaryDirectory() as scratch:
        problem = _run(claude, folder, model.url, scratch, home.path, environ)
        results = model.requests[-1].tool_results if model.requests else {}
    ms = round((perf_counter() - began) * 1000)
    ran = os.path.exists(trace)
    with suppress(FileNotFoundError):
        os.unlink(trace)
    told = results[_CALL].text if _CALL in results else ""
    if ran:
        return Probe(False, "the probe command RAN: refusals are not enforced here", ms)
    if _REFUSED in told:
        return Probe(True, "a probe command was denied and did not run", ms)
    if told:
        first = told.strip().splitlines()[0][:200]
        return Probe(False, f"the probe did not run, but Handrail was not asked: {first}", ms)
    return Probe(False, f"Claude Code did not get as far as the probe: {problem}", ms)


def _run(
    claude: str, folder: str, url: str, scratch: str, state: str, environ: Mapping[str, str]
) -> str:
    """Why the session did not work out; empty: it did."""
    model_env = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-handrail-probe",
        "ANTHROPIC_AUTH_TOKEN": "",
        "CLAUDE_CODE_USE_BEDROCK": "",
        "CLAUDE_CODE_USE_VERTEX": "",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    env = {name: value for name, value in environ.items() if name not in _TAKEN_OUT}
    env |= {**model_env, "TMPDIR": scratch, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    # Nothing but a hook may be what stops it.
    permissions = {"allow": ["Bash(touch:*)"], "additionalDirectories": [state]}
    settings = {"env": model_env, "permissions": permissions}
    arguments = [
        *(claude, "-p", PROMPT, "--model", "claude-sonnet-4-5", "--output-format", "json"),
        *("--settings", json.dumps(settings), "--no-session-persistence", "--strict-mcp-config"),
    ]
    try:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"{claude}: {error.strerror}"
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
