"""The live probe: a real host, a scripted model, and a command that must not run."""

import os
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import suppress
from shlex import quote
from time import perf_counter

import msgspec

from handrail.hosts.port import HostAdapter, ProbeSession
from handrail.server.home import Home
from handrail.testing.model_server import ModelServer, Say, Step, ToolCall

PROMPT = "handrail doctor: is a refusal enforced?"
_CALL = "toolu_handrail_probe"
_REFUSED = "Handrail stopped this"


class ProbeResult(msgspec.Struct, frozen=True):
    """What happened to the probe command."""

    enforced: bool
    says: str
    ms: float = 0.0


def probe(
    host: HostAdapter, program: str, folder: str, home: Home, environ: Mapping[str, str]
) -> ProbeResult:
    """Let a host try to write into Handrail's state folder, with the settings of `folder`.

    If the command runs, it does no harm and leaves a file as proof.
    """
    trace = os.path.join(home.path, f"probe-{uuid.uuid4().hex[:12]}")
    script: list[Step] = [
        ToolCall("Bash", {"command": f"touch {quote(trace)}"}, _CALL),
        Say("That is all."),
    ]
    began = perf_counter()
    with ModelServer(script) as model, tempfile.TemporaryDirectory() as scratch:
        problem = host.probe(
            ProbeSession(
                program=program,
                folder=folder,
                model=model.url,
                prompt=PROMPT,
                scratch=scratch,
                state=home.path,
                environ=environ,
            )
        )
        results = model.requests[-1].tool_results if model.requests else {}
    ms = round((perf_counter() - began) * 1000)
    ran = os.path.exists(trace)
    with suppress(FileNotFoundError):
        os.unlink(trace)
    told = results[_CALL].text if _CALL in results else ""
    if ran:
        return ProbeResult(False, "the forbidden command RAN: refusals are not enforced here", ms)
    if _REFUSED in told:
        return ProbeResult(True, "Handrail refused a forbidden command, and it did not run", ms)
    if told:
        first = told.strip().splitlines()[0][:200]
        says = f"the command did not run, but nobody asked Handrail: {first}"
        return ProbeResult(False, says, ms)
    title = host.profile.title
    return ProbeResult(False, f"{title} did not get to the command: {problem}", ms)
