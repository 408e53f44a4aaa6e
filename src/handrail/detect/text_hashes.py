"""Short hashes of texts: four bytes to recognise a text, in a bounded list.

Among a few hundred hashes two different texts collide once in ten million times.
"""

from zlib import crc32

SIZE = 4


def text_hash(text: str) -> bytes:
    """Return the hash of a text, the same after a restart."""
    return crc32(text.encode("utf-8", "surrogatepass")).to_bytes(SIZE, "big")


def add_hash(marks: bytes, latest: bytes, most: int) -> bytes:
    """Add a hash as the newest; of more than `most`, forget the oldest."""
    if latest in marks:
        marks = marks.replace(latest, b"")
    return (marks + latest)[-SIZE * most :]


def each_of(marks: bytes) -> list[bytes]:
    """Return the single hashes, the oldest first."""
    return [marks[at : at + SIZE] for at in range(0, len(marks), SIZE)]
