"""Random faults for the processes of a fleet: the same seed makes the same choices."""

import os
import signal
import time
from collections import Counter
from random import Random
from typing import NamedTuple

from tests.chaos.fleet_world import LEASE_SECONDS, FleetWorld, FoundProcess

VICTIMS = ("scheduler", "daemon", "guardian", "driver", "driver", "agent", "agent")
"""What is hit, each with the same chance."""
_STOPPED = (LEASE_SECONDS * 1.2, LEASE_SECONDS * 2.0)
"""Seconds for which a process is stopped: longer than its lease."""
_KIND_SECONDS = 5.0
"""Seconds to wait for a process of the planned kind."""
_TICK = 0.05


class Fault(NamedTuple):
    """One fault as it was planned."""

    pause: float
    """Seconds since the fault before."""
    kind: str
    stop: float
    """Seconds for which the process is stopped; 0: it is killed."""
    choice: float
    """Which one of several, from 0 to 1."""


class _StoppedProcess(NamedTuple):
    pidfd: int
    until: float


def plan_faults(seed: int, count: int, mean_pause: float) -> list[Fault]:
    """Return the faults of a seed."""
    random = Random(seed)
    return [
        Fault(
            pause=random.uniform(0.0, 2.0 * mean_pause),
            kind=random.choice(VICTIMS),
            stop=random.choice((0.0, 0.0, random.uniform(*_STOPPED))),
            choice=random.random(),
        )
        for _ in range(count)
    ]


class FaultInjector:
    """Carries out planned faults while a supervisor keeps a scheduler running."""

    def __init__(self, world: FleetWorld) -> None:
        self._world = world
        self._stopped: list[_StoppedProcess] = []
        self.done: list[str] = []
        """One line for each fault, for a person."""
        self.counts: Counter[str] = Counter()

    def inject(self, faults: list[Fault], patience: float) -> bool:
        """Carry out the faults; return False if the tasks were over before."""
        for number, fault in enumerate(faults, 1):
            if not self.wait(fault.pause):
                return False
            began = time.monotonic()
            while not self._hit(fault, any_kind=time.monotonic() - began > _KIND_SECONDS):
                assert time.monotonic() - began < patience, f"there is no {fault.kind} to hit"
                if not self.wait(_TICK):
                    return False
            self._world.count_fault(number)
        return True

    def wait(self, seconds: float) -> bool:
        """Let time pass; return False once the tasks are over."""
        until = time.monotonic() + seconds
        while True:
            self._continue_due()
            if not self._world.keep_scheduler():
                return False
            if time.monotonic() >= until:
                return True
            time.sleep(_TICK)

    def continue_all(self) -> None:
        """Let every stopped process go on."""
        self._stopped = [each._replace(until=0.0) for each in self._stopped]
        self._continue_due()

    def _hit(self, fault: Fault, *, any_kind: bool) -> bool:
        """Hit a process of the wanted kind, or of the next kind that has one."""
        order = VICTIMS[VICTIMS.index(fault.kind) :] + VICTIMS if any_kind else (fault.kind,)
        with self._world.processes() as found:
            for kind in order:
                if those := sorted(each for each in found if each.kind == kind):
                    self._send(fault, those[int(fault.choice * len(those))])
                    return True
        return False

    def _send(self, fault: Fault, victim: FoundProcess) -> None:
        how = f"stopped for {fault.stop:.1f} s" if fault.stop else "killed"
        self.done.append(f"{time.time():.2f} {victim.kind} {victim.pid} {how}")
        self.counts[f"{victim.kind} {how.split(maxsplit=1)[0]}"] += 1
        if not fault.stop:
            victim.signal(signal.SIGKILL)
            return
        victim.signal(signal.SIGSTOP)
        kept = os.dup(victim.pidfd)
        self._stopped.append(_StoppedProcess(kept, time.monotonic() + fault.stop))

    def _continue_due(self) -> None:
        now = time.monotonic()
        for each in [each for each in self._stopped if each.until <= now]:
            self._stopped.remove(each)
            try:
                signal.pidfd_send_signal(each.pidfd, signal.SIGCONT)
            except ProcessLookupError:
                pass
            finally:
                os.close(each.pidfd)
