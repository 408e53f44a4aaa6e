"""Tell progress: the agent changed something, or learned something new."""

import msgspec

from handrail.detect.completed_step import CompletedStep
from handrail.detect.text_hashes import SIZE, add_hash, text_hash

_MAX_KNOWN = 96


class ProgressTracker(msgspec.Struct):
    """The recent calls, results and errors of an agent."""

    known: bytes = b""
    """Hashes of calls, results and errors; the oldest first."""
    edited: bool = False
    """A file may have changed since the last failure."""

    def mark(self, done: CompletedStep) -> CompletedStep:
        """Mark a step as progress or not."""
        known, ending = self.known, done.ending
        name = done.intent.call
        call, pair = text_hash(name), text_hash(name + done.result)
        called = call in known
        # A call stands before its last result, so that both are forgotten one after the other.
        seen = pair in known if called else known.startswith(pair)
        if ending == "ok":
            # An announced change counts once; a real change counts each time.
            progress = not seen or bool(done.changed)
            self.edited = self.edited or done.may_have_edited
        elif ending == "failed":
            # Another way to the same error is no news; "exit code 1" alone is no error.
            error, failure = text_hash(done.error), text_hash(name + done.failure)
            progress = not seen if called or not done.error else error not in known
            if failure in known and not self.edited:
                progress = False  # without a change, only the noise has another place
            known = add_hash(known, failure, _MAX_KNOWN)
            if done.error:
                known = add_hash(known, error, _MAX_KNOWN)
            self.edited = False
        else:
            progress, seen, pair = ending == "dropped" and not called, False, b""
        if called:
            known = known.replace(call, b"")
        if seen:
            known = known.replace(pair, b"")
        self.known = (known + call + pair)[-SIZE * _MAX_KNOWN :]
        if progress:
            return done
        return msgspec.structs.replace(done, progress=False)

    def forget(self) -> None:
        """Forget everything: after a compaction it is new to the agent again."""
        self.known = b""
