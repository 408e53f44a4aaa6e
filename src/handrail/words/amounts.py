"""Numbers of things as people read them."""


def count(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size(number: float) -> str:
    """`310 B`, `4.1 KB`, `12 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 10 else f"{number:.1f} {unit}"


def money(usd: float) -> str:
    """`$0.42`; of less than a cent, as much as is there."""
    return f"${usd:,.2f}" if usd >= 0.005 or not usd else f"${usd:.4f}"
