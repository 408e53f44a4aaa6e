"""Marks: four bytes for a text. Enough to know it again, nothing to read, and little to keep.

Among a few hundred marks two different texts are taken for the same once in ten million times.
"""

from zlib import crc32

SIZE = 4


def text_hash(text: str) -> bytes:
    """The same for the same text, today and after a restart."""
    return crc32(text.encode("utf-8", "surrogatepass")).to_bytes(SIZE, "big")


def keep(marks: bytes, latest: bytes, most: int) -> bytes:
    """The marks with this one as the newest; of more than `most` the oldest is forgotten."""
    if latest in marks:
        marks = marks.replace(latest, b"")
    return (marks + latest)[-SIZE * most :]


def each_of(marks: bytes) -> list[bytes]:
    """The single marks, the oldest first."""
    return [marks[at : at + SIZE] for at in range(0, len(marks), SIZE)]
