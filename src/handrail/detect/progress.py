"""Whether an agent gets on: it changed something, or learned something that it did not know."""

import msgspec

from handrail.detect.deed import Deed

_MAX_KNOWN = 96


class Trail(msgspec.Struct):
    """What an agent has tried and seen lately."""

    known: dict[str, None] = {}
    """Calls, what they gave, and errors; the oldest first."""

    def mark(self, deed: Deed) -> Deed:
        """The deed, with whether it was progress."""
        call, result = deed.intent.call, deed.result
        pair = f"{call}{result}"
        if deed.ending == "ok":
            # What it says that it writes counts once; what it really changed counts each time.
            progress = pair not in self.known or bool(deed.changed)
        elif deed.ending == "failed":
            # Another way to the same error tells nothing new; "exit code 1" alone is no error.
            again = call in self.known or not deed.error
            progress = pair not in self.known if again else deed.error not in self.known
            if deed.error:
                self._know(deed.error)
        else:
            progress = deed.ending == "dropped" and call not in self.known
        self._know(call)
        self._know(pair)
        return (
            deed if progress == deed.progress else msgspec.structs.replace(deed, progress=progress)
        )

    def _know(self, what: str) -> None:
        known = self.known
        known.pop(what, None)
        known[what] = None
        if len(known) > _MAX_KNOWN:
            del known[next(iter(known))]
