"""Reads R."""

import re

from handrail.model.effect import Kind
from handrail.shell.inline.decode import decodes
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.function_effects import (
    COPIES,
    LINKS,
    MOVES,
    Call,
    Table,
    both,
    changes_folder,
    mode,
    passes,
    path,
    paths,
    prints,
    reads,
    reads_variable,
    returns,
    runs_shell,
    runs_sql,
    starts_program,
    table,
)
from handrail.shell.inline.language import Language
from handrail.shell.inline.network import connects, web
from handrail.shell.inline.scan import LanguageSyntax, Scanner, TextSyntax
from handrail.shell.inline.script import ScriptLanguage
from handrail.shell.inline.value import DECODED, NOTHING, Value, concatenate, list_of, text

SYNTAX = LanguageSyntax(
    comments=r"\#[^\n]*",
    texts=(
        TextSyntax(r'[rR]"-*\(', ')"'),
        TextSyntax('"', filled=True),
        TextSyntax("'", filled=True),
    ),
    names=r"[A-Za-z.][\w.]*",
    marks=r"<<?-|->>?|:::?|\|>|%\w*%|&&|\|\||[=!<>]=|[^\w\s]",
)
_WORDS = re.compile(
    r"\b(?:system2?|shell|unlink|file|write\w*|readLines|readRDS|read|source|eval|download|url|pipe"
    r"|Sys|httr2?|curl|saveRDS|save|sink|cat|socketConnection|do|dbExecute|dbSendQuery|processx|sys"
    r"|dir|setwd|get|match)\b"
)


def _resolve(name: str) -> str:
    return name.removeprefix("base.").removeprefix("utils.").removeprefix("processx.")


def _paste(_found: EffectCollector, call: Call) -> Value:
    between = "" if call.name in {"paste0", "stringr.str_c"} else " "
    between = "/" if call.name == "file.path" else between
    given = call.named.get("sep")
    return concatenate(call.args, (between if given is None else given.text).join)


def _vector(_found: EffectCollector, call: Call) -> Value:
    return list_of(call.args)


def _sources(found: EffectCollector, call: Call) -> None:
    name = call.args[0] if call.args else NOTHING
    if re.match(r"(?:https?|ftp)://", name.text):
        found.add(Kind.FETCH, name.text)
        found.unseen(f"the code at {name.text}")
    elif name.exact:
        found.add(Kind.RUN, found.place(name.text))


def _evaluates(found: EffectCollector, call: Call) -> None:
    if call.args:
        found.run(call.args[0])


def _parses(_found: EffectCollector, call: Call) -> Value | None:
    return call.named.get("text")


def _calls(found: EffectCollector, call: Call) -> Value | None:
    """`do.call("system", list("…"))`."""
    if not call.args:
        return None
    name = call.args[0].ref or call.args[0].text
    act = CALLS.get(name)
    given = call.args[1].items if len(call.args) > 1 else ()
    return None if act is None else act(found, Call(name, given or ()))


def _letters(_found: EffectCollector, _call: Call) -> Value:
    return Value(flags=DECODED)


_TO_FILE = path(Kind.WRITE, 99, "file")
_SECOND = both(path(Kind.WRITE, 1, "con"), path(Kind.WRITE, 99, "file"))
CALLS: Table = table(
    ("system shell pipe shell.exec", runs_shell()),
    ("system2 run sys.exec_wait", starts_program()),
    ("unlink", path(Kind.DELETE)),
    ("file.remove", paths(Kind.DELETE)),
    ("fs.file_delete fs.dir_delete", path(Kind.DELETE, recursive=True)),
    ("file.rename", MOVES),
    ("file.copy", COPIES),
    ("file.create dir.create sink", path(Kind.WRITE)),
    ("file.symlink file.link", LINKS),
    ("writeLines write write.csv write.table saveRDS writeBin", _SECOND),
    ("cat", both(_TO_FILE, prints)),
    ("save dump", _TO_FILE),
    ("readLines read.csv read.table readRDS readChar readBin scan load", reads()),
    ("Sys.chmod", mode()),
    ("setwd", changes_folder),
    ("source", _sources),
    ("eval evalq", _evaluates),
    ("parse str2lang str2expression", _parses),
    ("do.call", _calls),
    ("download.file", both(path(Kind.WRITE, 1, "destfile"), web())),
    ("url httr.GET httr2.request curl.curl curl.curl_fetch_memory RCurl.getURL", web()),
    ("httr.POST httr.PUT RCurl.postForm", web(kind=Kind.SEND)),
    ("socketConnection", connects(port_at=1)),
    ("Sys.getenv", reads_variable()),
    ("paste paste0 file.path stringr.str_c", _paste),
    ("c list", _vector),
    ("path.expand normalizePath as.character shQuote", passes()),
    ("print", prints),
    ("tempdir", returns(text("/tmp"))),
    ("base64enc.base64decode jsonlite.base64_dec openssl.base64_decode", decodes("base64")),
    ("rawToChar", passes()),
    ("intToUtf8 chartr", _letters),
    ("DBI.dbExecute dbExecute dbSendQuery DBI.dbSendQuery", runs_sql(0)),
)
LANGUAGE = Language(
    Scanner(SYNTAX),
    CALLS,
    constants={
        "TRUE": Value("true", type="bool"),
        "T": Value("true", type="bool"),
        "FALSE": Value("", type="bool"),
        "F": Value("", type="bool"),
        "NULL": Value("", type="None"),
    },
    joins=frozenset(),
    dots=frozenset({"::", ":::", "$"}),
    skipped=frozenset({"return", "function", "else", "repeat"}),
    loops=frozenset({"in"}),
    resolve=_resolve,
)
read = ScriptLanguage(LANGUAGE, _WORDS).read
"""Read what R code does."""
