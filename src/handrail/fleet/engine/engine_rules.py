"""The numbers that an engine goes by, as a project sets them."""

import msgspec

from handrail.config.fleet import Fleet


class EngineRules(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers that an engine goes by."""

    lease_seconds: float = 60.0
    max_expiries: int = 3
    """Attempts whose process was not heard of any more; then the task waits for a person. 0: no
    limit."""
    max_tries: int = 3
    """Failed attempts; then the task has failed. 0: no limit."""

    @classmethod
    def of(cls, settings: Fleet) -> "EngineRules":
        """Return the rules of a project's settings."""
        attempts = settings.max_retries + 1
        return cls(lease_seconds=settings.lease_seconds, max_expiries=attempts, max_tries=attempts)


DEFAULT_RULES = EngineRules()
