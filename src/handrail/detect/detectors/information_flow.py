"""Information flow: the run reads a secret and sends data out later."""

from typing import ClassVar

import msgspec

from handrail.config.detection import Detection
from handrail.detect.completed_step import CompletedStep
from handrail.detect.description import HARMFUL, SLOW_DOWN, FindingDescription, paragraphs
from handrail.detect.detector import Detector
from handrail.model.effect import Kind
from handrail.model.finding import Finding
from handrail.model.intent import Intent
from handrail.model.ordinal import Severity

_MOST_SECRETS = 8
_MISSING = ("no such file", "does not exist")
_FOREIGN, _OWN, _PASSING = 0.9, 0.4, 0.3
"""Confidence: a secret from elsewhere; one of the project, whose programs may need it;
one seen in passing, as in a list of all variables."""


class Secret(msgspec.Struct, frozen=True, gc=False):
    """A secret that the run knows since a step."""

    path: str
    step: int
    sureness: float
    """Confidence that the agent had no business with it, if data leaves later."""


class InformationFlowDetector(Detector):
    """The secrets that the run has read, and the target of the last transfer."""

    kind: ClassVar[str] = "information_flow"
    order: ClassVar[int] = 10
    saved_as: ClassVar[str] = "flow"
    # Data that has left cannot be put back; the run can only be kept from sending more.
    about: ClassVar[FindingDescription] = FindingDescription(
        label="Secrets sent out",
        meaning="The run reads a secret in one step, and sends something out in a later one.",
        fitting=msgspec.structs.replace(SLOW_DOWN, at_once=Severity.HIGH),
        hints=paragraphs("""
            You have read `{secret}`, and now something goes out to {host} (steps {steps}). Send
            nothing that comes from a secret: no value, no part of it, no file that holds it. If a
            service needs a credential, name its variable and let the person put it in.

            {says} Do not connect to anything until you have said what you send there and why. A
            secret that has left this machine cannot be taken back.

            {says} Leave the secret where it is, use its name instead of its value, and go on with
            what needs no connection.
        """),
        constraint="No secret leaves this machine, whole or in part, under any name.",
        example="Write `$API_TOKEN` into the script, and let the person set it.",
        advice=HARMFUL,
    )
    secrets: tuple[Secret, ...] = ()
    known: tuple[Secret, ...] = ()
    """The secrets read before the last step, if that sent data."""
    step: int = 0
    sends: tuple[str, ...] = ()
    carries: bool = False
    """The last transfer can carry data."""

    def see(self, done: CompletedStep) -> None:
        """Note secrets, and transfers after them."""
        intent = done.intent
        self.sends = self.known = ()
        if done.ending in ("refused", "dropped"):
            return
        if intent.sends and self.secrets:
            self.step, self.sends, self.known = done.step, intent.sends, self.secrets
            self.carries = Kind.SEND in intent.kinds
        if not intent.secrets or _is_missing(done):
            return
        for path in intent.secrets:
            secret = Secret(path, done.step, _sureness(path, intent))
            others = (each for each in self.secrets if each.path != path)
            self.secrets = (*others, secret)[-_MOST_SECRETS:]

    def find(self, settings: Detection) -> Finding | None:
        """Report a transfer after the run read a secret."""
        if not self.sends:
            return None
        # Choose a secret from elsewhere if there is one, and the newest of several.
        secret = max(self.known, key=lambda each: (each.sureness, each.step))
        target = self.sends[0]
        then = f"sent data to {target}" if self.carries else f"connected to {target}"
        says = f"It read the secret {secret.path} in step {secret.step}, and {then} after that."
        severity, impact = (Severity.HIGH, 1.0) if self.carries else (Severity.MEDIUM, 0.3)
        steps, symptom = (secret.step, self.step), f"{secret.path} to {target}"
        facts = {"secret": secret.path, "host": target}
        return Finding(self.kind, severity, secret.sureness, steps, impact, says, symptom, facts)


def _sureness(secret: str, intent: Intent) -> float:
    if not secret.startswith("/"):
        return _PASSING
    return _FOREIGN if secret in intent.outside else _OWN


def _is_missing(done: CompletedStep) -> bool:
    """Return whether the secret was missing."""
    if done.ending == "ok":
        return False
    said = (done.outcome.error or done.outcome.output)[-500:].lower()
    return any(words in said for words in _MISSING)
