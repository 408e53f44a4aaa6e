"""Amounts as people read them."""


def count(number: int, noun: str) -> str:
    """Count things: `1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def short_count(number: int) -> str:
    """Format a number in few columns: `950`, `42k`, `1.2M`."""
    for unit, length in (("M", 1_000_000), ("k", 1000)):
        if number >= length:
            many = number / length
            return f"{many:.1f}{unit}" if many < 10 and unit == "M" else f"{many:.0f}{unit}"
    return str(number)


def size(number: float) -> str:
    """Format a size: `310 B`, `4.1 KB`, `12 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"


def money(usd: float) -> str:
    """Format an amount of dollars: `$0.42`, or `$0.0042` below a cent."""
    return f"${usd:,.2f}" if usd >= 0.005 or not usd else f"${usd:.4f}"
