"""The session that `handrail desktop demo` replays: three files of a small shop."""

from handrail.desktop.verify.recorder import edit_operations
from handrail.desktop.verify.session import EditedFile, EditSession

BLOCKED_FILE = "cart.py"
"""In this file somebody presses the wrong keys."""
_PRICES = """\
PRICES = {
    "boot": 89,
    "clog": 35,
    "sandal": 29,
}
"""
_NEW_PRICES = """\
# Prices in euros, tax included.
PRICES = {
    "boot": 95,
    "clog": 35,
    "loafer": 59,
    "sandal": 29,
}
"""
_CART = """\
from prices import PRICES


def total(cart):
    sum = 0
    for name in cart:
        sum = sum + PRICES[name]
    return sum


def show(cart):
    print(total(cart))
"""
_NEW_CART = """\
\"\"\"What the shoes in a cart cost.\"\"\"

from prices import PRICES


def total(cart):
    return sum(PRICES[name] for name in cart)


def show(cart):
    for name in cart:
        print(f"{name:10}{PRICES[name]:>6} €")
    print(f"{'total':10}{total(cart):>6} €")


if __name__ == "__main__":
    show(["boot", "clog"])
"""
_NOTES = """\
# Shoe shop

- [x] A total that adds up
- [x] Loafers: 59 €, from 1 March
"""


def _file(path: str, old: str | None, new: str) -> EditedFile:
    return EditedFile(path, edit_operations(old or "", new), old)


SESSION = EditSession(
    (
        _file("prices.py", _PRICES, _NEW_PRICES),
        _file(BLOCKED_FILE, _CART, _NEW_CART),
        _file("notes.md", None, _NOTES),
    )
)
