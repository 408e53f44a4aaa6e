"""Who may press which button of a dialog.

A dialog's text and a model's advice may both come from an attacker, and the same button saves in
one program and deletes in another. So a model presses only buttons that do no harm anywhere; a rule
of local sensing may decide about unsaved work; and a person does the rest.
"""

import re
from collections.abc import Collection, Sequence
from enum import IntEnum

import msgspec

_MNEMONIC = re.compile(r"[_&](?=\w)")
_SHORTCUT = re.compile(r"\s*\([^()]*\)$")


class PressedBy(IntEnum):
    """Who may press a button; everybody with a higher number may too."""

    MODEL = 1
    LOCAL_SENSING = 2
    PERSON = 3


class ButtonRule(msgspec.Struct, frozen=True):
    """Some buttons, and who may press them."""

    pressed_by: PressedBy
    why: str
    names: Collection[str] = ()
    """Whole names, as `plain_name` returns them."""
    alone: Collection[str] = ()
    """Whole names that count only for the single button of a dialog."""
    words: Collection[str] = ()
    """Words anywhere in the name."""

    def fits(self, name: str, *, alone: bool) -> bool:
        """Return whether a plain name is one of these buttons."""
        return (
            name in self.names
            or (alone and name in self.alone)
            or any(re.search(rf"\b{re.escape(word)}\b", name) for word in self.words)
        )


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in text.split(","))


HARMLESS = ButtonRule(
    PressedBy.MODEL,
    "it leaves everything as it is",
    names=_names(
        "cancel, dismiss, not now, later, maybe later, remind me later, skip, stay, "
        "stay on page, stay on this page, keep editing, continue editing, keep waiting, wait, "
        "go back, retry, try again, reconnect, reconnect now, reload window, compare, "
        "abbrechen, annuler, cancelar, annulla, annuleren"
    ),
    alone=_names("ok, okay, close, got it, understood, continue"),
)
ERASES = ButtonRule(
    PressedBy.PERSON,
    "it erases, sends, installs or permits something",
    words=_names(
        "delete, remove, erase, wipe, format, shred, destroy, empty, clear, reset, uninstall, "
        "install, update, upgrade, send, submit, publish, share, upload, post, pay, buy, purchase, "
        "order, allow, grant, permit, trust, authorize, authenticate, unlock, sign in, sign out, "
        "log in, log out, login, logout, restart, reboot, shut down, shutdown, power off"
    ),
)
DECIDES = ButtonRule(
    PressedBy.LOCAL_SENSING,
    "it decides about unsaved work, or agrees to whatever the dialog says",
    words=_names(
        "save, don't, do not, without saving, discard, overwrite, replace, leave, quit, exit, "
        "revert, reload, restore, force, kill, abort, ignore, merge, accept, yes, no, ok, "
        "continue, proceed, apply, confirm, close, open, run"
    ),
)
UNKNOWN = ButtonRule(PressedBy.LOCAL_SENSING, "no rule says that it is harmless")

BUTTON_RULES: tuple[ButtonRule, ...] = (HARMLESS, ERASES, DECIDES)
"""The first rule that fits counts; no rule: `UNKNOWN`."""


def plain_name(name: str) -> str:
    """Return a name without mnemonics, shortcut, dots and case: `_Don’t Save…` is `don't save`."""
    text = _SHORTCUT.sub("", _MNEMONIC.sub("", name.replace("’", "'")))
    return " ".join(text.replace("…", " ").rstrip(". ").casefold().split())


def rule_for_button(name: str, buttons: Sequence[str]) -> ButtonRule:
    """Return the rule for a button of a dialog with these buttons."""
    plain = plain_name(name)
    alone = len(buttons) == 1
    return next((rule for rule in BUTTON_RULES if rule.fits(plain, alone=alone)), UNKNOWN)
