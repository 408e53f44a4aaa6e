"""The file in which git remembers a work tree: read without git, written anew."""

import hashlib
import os
import stat
import struct
from itertools import islice
from operator import lt
from struct import Struct
from typing import NamedTuple

MAX_BYTES = 200_000_000
"""A larger one is not read: some two million files."""
_HEAD = 12
_HASH = 20
_FACTS = 40
"""Times, place, mode, owner and size of a file, as they were when git last looked."""
_FLAGS = _FACTS + _HASH
_CHANGED = Struct(">8xII")
_MODE_AND_FLAGS = Struct(">24xI32xH")
_SIZE = Struct(">36xI")
_NAME = _FLAGS + 2
_UNPADDED = 4
"""From this version on, a name says only how it differs from the one before."""
_VERSIONS = range(2, _UNPADDED + 1)
_LONG = 0xFFF
"""A name of this length or more ends where it ends."""
_EXTENDED = 0x4000
_STAGE = 0x3000
_SKIPPED = 0x4000
_ANNOUNCED = 0x2000
_FILES = frozenset((0o100644, 0o100755, 0o120000))
_EMPTY = bytes.fromhex("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
_NOTHING_KNOWN = bytes(24) + (0o100644).to_bytes(4, "big") + bytes(12) + _EMPTY
_TREES = b"TREE"
_SPARSE = b"sdir"
_ODD = (b"//", b"/./", b"/../", b"/.git/")
"""Parts that no path in a tree has; they would lead out of it."""


class UnreadableIndexError(ValueError):
    """The file is no index, is damaged, or refers to another index."""


class GitIndex(NamedTuple):
    """The ordinary files and links of an index; repositories inside are left out.

    In columns: objects for a hundred thousand entries would take too long.
    """

    names: list[bytes]
    records: list[bytes]
    """The entry of each file, in the format of the oldest version."""
    unsure: list[bytes]
    """Files without content, with several contents, or hidden from git."""
    trees: bytes
    """Which folders are unchanged, as git has written it; empty where entries were left out."""
    written_ns: int

    def sizes(self) -> list[int]:
        """Of the files, as far as 32 bits can say it."""
        return [_SIZE.unpack_from(record)[0] for record in self.records]

    def blobs(self) -> list[str]:
        """The blob id of each file."""
        return self.blob_lines().decode().split()

    def blob_lines(self) -> bytes:
        """The blob ids, one per line."""
        joined = b"".join([record[_FACTS:_FLAGS] for record in self.records])
        return joined.hex("\n", _HASH).encode() + b"\n" if joined else b""


def changed_ns(record: bytes) -> int:
    """When a file was last changed."""
    seconds, more = _CHANGED.unpack_from(record)
    return int(seconds) * 10**9 + int(more)


def read(path: str) -> GitIndex:
    """Raises UnreadableIndexError, or OSError."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(opened, "rb") as file:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode) or not _HEAD + _HASH <= found.st_size <= MAX_BYTES:
            raise UnreadableIndexError(path)
        data = file.read(MAX_BYTES)
    version = int.from_bytes(data[4:8], "big")
    if data[:4] != b"DIRC" or version not in _VERSIONS:
        raise UnreadableIndexError(path)
    # All zeros: the user has git save the time.
    if data[-_HASH:] not in (_sum(data[:-_HASH]), bytes(_HASH)):
        raise UnreadableIndexError(path)
    try:
        return _parse(data, version, found.st_mtime_ns)
    except (IndexError, ValueError, struct.error) as error:
        raise UnreadableIndexError(path) from error


def is_whole(path: str) -> bool:
    """Whether an index that git wrote is as git wrote it; git itself does not look."""
    with open(path, "rb") as file:
        data = file.read()
    return _sum(data[:-_HASH]) == data[-_HASH:]


def checksum_of(path: str) -> str:
    """The checksum at the end of an index; empty: there is no index."""
    try:
        with open(path, "rb") as file:
            file.seek(-_HASH, os.SEEK_END)
            return file.read().hex()
    except OSError:
        return ""


def write(path: str, index: GitIndex) -> None:
    """Replace an index; the files that it is unsure of are announced, and not held."""
    records = index.records
    if index.unsure:
        named = dict(zip(index.names, records, strict=True))
        named |= {name: _announced(name) for name in index.unsure}
        records = [record for _, record in sorted(named.items())]
    version = 3 if index.unsure else 2
    head = b"DIRC" + version.to_bytes(4, "big") + len(records).to_bytes(4, "big")
    trees = _TREES + len(index.trees).to_bytes(4, "big") + index.trees if index.trees else b""
    data = b"".join((head, *records, trees))
    fresh = f"{path}.new"
    with open(fresh, "wb") as file:
        file.write(data + _sum(data))
    # Files that changed in the very moment when the index was written are looked at once more.
    os.utime(fresh, ns=(index.written_ns, index.written_ns))
    os.replace(fresh, path)


def _parse(data: bytes, version: int, written_ns: int) -> GitIndex:
    names: list[bytes] = []
    records: list[bytes] = []
    unsure: dict[bytes, None] = {}
    left_out = 0
    at = _HEAD
    name = b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        mode, flags = _MODE_AND_FLAGS.unpack_from(data, at)
        if flags < _LONG and version < _UNPADDED:  # nearly all
            end = at + _NAME + flags
            name = data[at + _NAME : end]
            after = end + 8 - (end - at) % 8
            record = data[at:after]
            is_sure = True
        else:
            name, record, is_sure, after = _odd_entry(data, at, version, name)
        if mode not in _FILES:
            left_out += 1  # another repository, or a folder that is not checked out
        elif is_sure:
            names.append(name)
            records.append(record)
        else:
            unsure[name] = None
        at = after
    trees = _trees(data, at)
    _check(names, unsure)
    return GitIndex(names, records, list(unsure), b"" if left_out or unsure else trees, written_ns)


def _odd_entry(data: bytes, at: int, version: int, before: bytes) -> tuple[bytes, bytes, bool, int]:
    """An entry of any kind: name, record, whether it is the file's, and where the next begins."""
    flags = data[at + _FLAGS] << 8 | data[at + _FLAGS + 1]
    is_sure = not flags & _STAGE
    start = at + _NAME
    if flags & _EXTENDED:
        is_sure = is_sure and not data[start] << 8 & (_SKIPPED | _ANNOUNCED)
        start += 2
    if version < _UNPADDED:
        length = flags & _LONG
        end = start + length if length < _LONG else data.index(0, start)
        name = data[start:end]
        after = end + 8 - (end - at) % 8
    else:
        dropped, start = _number(data, start)
        end = data.index(0, start)
        name = before[: len(before) - dropped] + data[start:end]
        after = end + 1
    record = data[at : at + _FLAGS] + min(len(name), _LONG).to_bytes(2, "big") + name
    return name, record + bytes(8 - len(record) % 8), is_sure, after


def _check(names: list[bytes], unsure: dict[bytes, None]) -> None:
    """Raise ValueError for paths that git itself would not have written."""
    if not all(map(lt, names, islice(names, 1, None))):
        raise ValueError("names are not in order")
    if not unsure.keys().isdisjoint(names):
        raise ValueError("a name is there twice")
    paths = b"/".join((b"", *names, *unsure, b"")).lower()
    if (names or unsure) and any(part in paths for part in _ODD):
        raise ValueError("a name leads out of the tree")


def _trees(data: bytes, at: int) -> bytes:
    """The tree cache behind the entries; raises ValueError for an unknown part."""
    trees = b""
    last = len(data) - _HASH
    while at < last:
        name = data[at : at + 4]
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if name == _TREES:
            trees = data[at + 8 : at + 8 + size]
        elif not b"A" <= name[:1] <= b"Z" and name != _SPARSE:
            raise ValueError("a part that may not be left out")
        at += 8 + size
    if at != last:
        raise ValueError("cut off")
    return trees


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of as many bytes as it needs, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) + (data[at] & 0x7F)
    return value, at + 1


def _announced(name: bytes) -> bytes:
    flags = _EXTENDED | min(len(name), _LONG)
    head = _NOTHING_KNOWN + flags.to_bytes(2, "big") + _ANNOUNCED.to_bytes(2, "big") + name
    return head + bytes(8 - len(head) % 8)


def _sum(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()
