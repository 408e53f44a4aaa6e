"""How long it takes until a hook is answered again after each fault."""

import os
import signal
import statistics
import time
from collections.abc import Callable

from benchmarks.measure import Table
from tests.server.daemon_sandbox import DaemonSandbox

from handrail.server.http.socket_client import DaemonError
from handrail.server.lock import guardian_pid

_PATIENCE = 60.0


def heal_table(rounds: int) -> Table:
    """One row for each fault; the daemon is new for every round."""
    return Table(
        "Healing",
        ("fault", "median", "slowest"),
        [_row(name, fault, rounds) for name, fault in _FAULTS.items()],
        "From the fault to the answer to the next hook over the unix socket. Nobody but guardian, "
        "daemon and hook client does anything about it.",
    )


def _row(name: str, fault: Callable[[DaemonSandbox], None], rounds: int) -> tuple[str, str, str]:
    took = [_healing(fault) for _ in range(rounds)]
    return name, f"{statistics.median(took):.2f} s", f"{max(took):.2f} s"


def _healing(fault: Callable[[DaemonSandbox], None]) -> float:
    with DaemonSandbox() as place:
        place.home.client(place.environ)
        place.start()
        place.before("ls")
        time.sleep(1.5)  # the guardian has heard of it by now
        began = time.perf_counter()
        fault(place)
        while not _answers(place):
            if time.perf_counter() - began > _PATIENCE:
                raise TimeoutError("it does not heal")
        return time.perf_counter() - began


def _answers(place: DaemonSandbox) -> bool:
    try:
        return bool(place.before("rm -rf /"))
    except DaemonError:
        return False


def _signal_daemon(number: signal.Signals) -> Callable[[DaemonSandbox], None]:
    return lambda place: os.kill(place.pid, number)


def _kill_guardian(place: DaemonSandbox) -> None:
    before = place.guardian
    os.kill(before, signal.SIGKILL)
    while guardian_pid(place.home) in (None, 0, before):
        time.sleep(0.005)


def _kill_both(place: DaemonSandbox) -> None:
    place.kill()
    place.execute(["/bin/sh", place.home.client_path, "ensure"])


def _delete_socket(place: DaemonSandbox) -> None:
    os.unlink(place.home.socket)


def _remove_state(place: DaemonSandbox) -> None:
    os.rename(place.home.path, place.root / "taken")


_FAULTS: dict[str, Callable[[DaemonSandbox], None]] = {
    "the daemon is killed": _signal_daemon(signal.SIGKILL),
    "the daemon is stopped": _signal_daemon(signal.SIGSTOP),
    "the guardian is killed (until there is another one)": _kill_guardian,
    "both are killed in one blow (with the hook that starts them)": _kill_both,
    "the socket is deleted": _delete_socket,
    "the state folder is removed": _remove_state,
}
