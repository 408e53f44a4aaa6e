"""Slows down guessing: after a few wrong tokens or codes, an address has to wait."""

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

_FREE = 5
"""Wrong attempts in a row that cost nothing: people mistype."""
_FIRST, _LONGEST = 1.0, 60.0
"""Seconds to wait after the next wrong one, doubled each time. Programs of an agent share the
address of this machine with its owner, so nobody may be locked out for long."""
_FORGET = 3600.0
_MOST = 1000
"""Addresses to remember."""


class _Failures(NamedTuple):
    times: int
    until: float
    last: float


class AttemptLimit:
    """Counts wrong attempts by address. Used in the event loop."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failed: OrderedDict[str, _Failures] = OrderedDict()

    def wait(self, address: str) -> int:
        """Return how many seconds an address has to wait before its next attempt."""
        found = self._failed.get(_network(address))
        return 0 if found is None else max(math.ceil(found.until - self._clock()), 0)

    def failed(self, address: str) -> None:
        """Count a wrong attempt."""
        network, now = _network(address), self._clock()
        known = self._failed.pop(network, None)
        count = 1 if known is None or now - known.last > _FORGET else known.times + 1
        over = count - _FREE
        pause = min(_FIRST * 2 ** min(over, 10), _LONGEST) if over >= 0 else 0.0
        self._failed[network] = _Failures(count, now + pause, now)
        if len(self._failed) > _MOST:
            self._failed.popitem(last=False)

    def succeeded(self, address: str) -> None:
        """Forget the wrong attempts of an address."""
        self._failed.pop(_network(address), None)


def _network(address: str) -> str:
    """Return an IPv4 address as it is; somebody with IPv6 has a whole network of addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False))
