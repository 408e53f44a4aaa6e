"""Cache what commands do; nothing in it depends on the circumstances of a review."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic
from typing import Generic, TypeVar

Value = TypeVar("Value")


class ReadingCache(Generic[Value]):
    """Keeps recent results for a while; evicts the least recently used."""

    def __init__(
        self, max_size: int, ttl_seconds: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._max_size = max_size
        self._ttl = ttl_seconds
        self._clock = clock
        self._entries: OrderedDict[Hashable, tuple[float, Value]] = OrderedDict()
        self.hits = 0
        self.misses = 0

    @property
    def hit_rate(self) -> float:
        """Share of lookups that the cache answered."""
        total = self.hits + self.misses
        return self.hits / total if total else 0.0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Value | None:
        """Return the value, or None if it is missing or too old."""
        entry = self._entries.get(key)
        if entry is not None and self._clock() - entry[0] < self._ttl:
            self._entries.move_to_end(key)
            self.hits += 1
            return entry[1]
        if entry is not None:
            del self._entries[key]
        self.misses += 1
        return None

    def put(self, key: Hashable, value: Value) -> None:
        """Store a value."""
        self._entries[key] = (self._clock(), value)
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_size:
            self._entries.popitem(last=False)
