"""Reads Python code."""

import re
import unicodedata
from collections.abc import Callable
from importlib import import_module
from typing import cast

from handrail.shell.inline.code import Code
from handrail.shell.inline.loaded_files import load_first
from handrail.shell.inline.python_imports import imported_words, module_files
from handrail.shell.word import OPAQUE

_WORDS = frozenset(
    """
    os posix nt posixpath ntpath io _io shutil pathlib pathlib2 Path PosixPath tempfile glob
    tarfile zipfile aiofiles distutils send2trash linecache gzip bz2 lzma open execfile fs py
    subprocess _posixsubprocess commands popen2 pty sh pexpect asyncio anyio trio invoke fabric
    platform pip system popen fork kill
    exec eval compile code runpy imp importlib __import__ getattr globals locals vars modules
    builtins __builtins__ __builtin__ __dict__ __globals__ __subclasses__ __loader__ load_module
    pickle cPickle dill cloudpickle marshal jsonpickle unsafe_load ctypes _ctypes cffi libc
    base64 binascii codecs zlib
    requests httpx aiohttp urllib urllib2 urllib3 http httplib wget socket _socket smtplib ftplib
    telnetlib websocket websockets xmlrpc paramiko openai anthropic stripe
    sqlite3 execute executescript executemany exec_driver_sql raw_sql flushall flushdb
    drop_database handrail
    """.split()
)
"""Names through which code reaches anything that this reader knows."""
_WORD = re.compile(r"\w+")
_OS = re.compile(r"\bos\b")
_PLAIN = re.compile(
    r"^[ \t]*(?:import[ \t]+\w+(?:[ \t]*,[ \t]*\w+)*|import os\.path)[ \t]*(?:;|$|#)"
    r"|\bos\.(?:path\b|environ\.setdefault\(|environ\[['\"]\w+['\"]\][ \t]*=[^=]|getcwd\(\)|getpid)"
    r"|#[^\n'\"#]*$",
    re.MULTILINE,
)
"""Ways to mention `os` without doing anything with it."""


def matters(code: str) -> bool:
    """Whether the code names anything that this reader knows; False is always right."""
    if not code.isascii():
        # Python takes letters in other shapes (ｏｓ) for the plain ones.
        code = unicodedata.normalize("NFKC", code)
    if OPAQUE in code:
        return True
    known = _WORDS.intersection(_WORD.findall(code))
    if known == {"os"}:
        return _OS.search(_PLAIN.sub("", code)) is not None
    return bool(known)


def _loads_known_files(code: str) -> bool:
    if "sys.path" in code:
        return True
    files = [file for word in imported_words(code) for file in module_files(word)]
    return load_first(files) is not None


def read(code: str) -> Code:
    """Return what Python code does."""
    if not matters(code) and not _loads_known_files(code):
        return Code()
    # Imported on demand: most Python in a command line names nothing that matters.
    reader = import_module("handrail.shell.inline.python_reader").read
    return cast("Callable[[str], Code]", reader)(code)
