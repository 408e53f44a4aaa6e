"""Whether an agent gets on: it changed something, or learned something that it did not know."""

import msgspec

from handrail.detect.completed_step import CompletedStep
from handrail.detect.text_hashes import SIZE, keep, text_hash

_MAX_KNOWN = 96


class ProgressTracker(msgspec.Struct):
    """What an agent has tried and seen lately."""

    known: bytes = b""
    """Marks of calls, what they gave, and errors; the oldest first."""

    def mark(self, deed: CompletedStep) -> CompletedStep:
        """The deed, with whether it was progress."""
        known, ending = self.known, deed.ending
        name = deed.intent.call
        call, pair = text_hash(name), text_hash(name + deed.result)
        called = call in known
        # A call stands before what it gave last, so that both are forgotten one after the other.
        seen = pair in known if called else known.startswith(pair)
        if ending == "ok":
            # What it says that it writes counts once; what it really changed counts each time.
            progress = not seen or bool(deed.changed)
        elif ending == "failed":
            # Another way to the same error tells nothing new; "exit code 1" alone is no error.
            error = text_hash(deed.error)
            progress = not seen if called or not deed.error else error not in known
            if deed.error:
                known = keep(known, error, _MAX_KNOWN)
        else:
            progress, seen, pair = ending == "dropped" and not called, False, b""
        if called:
            known = known.replace(call, b"")
        if seen:
            known = known.replace(pair, b"")
        self.known = (known + call + pair)[-SIZE * _MAX_KNOWN :]
        if progress:
            return deed
        return msgspec.structs.replace(deed, progress=False)

    def forget(self) -> None:
        """What the agent does not know any more is new to it."""
        self.known = b""
