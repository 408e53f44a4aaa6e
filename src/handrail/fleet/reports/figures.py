"""Amounts in reports and displays of a fleet."""


def money(usd: float) -> str:
    """Format an amount of dollars: `$0.42`."""
    return f"${usd:,.2f}"


def count(number: int, noun: str) -> str:
    """Count things: `1 attempt`, `1,200 attempts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Format a time: `40 s`, `12 min`, `3 h 5 min`."""
    whole = int(max(seconds, 0.0))
    hours, rest = divmod(whole // 60, 60)
    if hours:
        return f"{hours:,} h {rest} min"
    return f"{rest} min" if rest else f"{whole} s"
