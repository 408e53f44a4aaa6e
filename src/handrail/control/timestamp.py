"""Read and write times as the protocol does: ISO 8601, UTC, with a Z."""

from datetime import UTC, datetime


def format_timestamp(at: float) -> str:
    """Format seconds since 1970, to the millisecond; whole seconds without a fraction."""
    moment = datetime.fromtimestamp(round(at, 3), UTC)
    spec = "milliseconds" if moment.microsecond else "seconds"
    return moment.isoformat(timespec=spec).replace("+00:00", "Z")


def parse_timestamp(text: str) -> float:
    """Read a time; raises ValueError. Without a zone it is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
