"""The library behind the port of hosts."""

from collections.abc import Mapping

from handrail.hosts.port import HookConnection, HostAdapter
from handrail.hosts.python.hooks import PythonHooks
from handrail.hosts.python.profile import PROFILE
from handrail.intervene.capability import Capability
from handrail.supervise.runs.run_registry import RunRegistry

_BEFORE = b'"event": "before"'


class PythonProgram(HostAdapter):
    """The adapter of programs that use Handrail as a library; they need no installation."""

    profile = PROFILE
    capabilities = frozenset(
        {Capability.INJECT, Capability.REWRITE, Capability.DENY, Capability.HOLD, Capability.STOP}
    )
    only_socket = True

    def hooks(
        self, runs: RunRegistry, connection: HookConnection, environ: Mapping[str, str]
    ) -> PythonHooks:
        """Return the object that answers the library."""
        return PythonHooks(runs)

    def is_urgent(self, body: bytes) -> bool:
        """Return whether an agent waits for permission."""
        return _BEFORE in body


HOST = PythonProgram()
