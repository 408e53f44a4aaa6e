"""Render the configuration reference, `docs/configuration.md`, from the schema."""

import sys
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import msgspec

from handrail.config.describe import expected_value
from handrail.config.field_docs import field_descriptions
from handrail.config.schema import Config
from handrail.config.validation import unwrap_type

_INTRODUCTION = """\
# Configuration

<!-- Do not edit: python -m handrail.config.reference > docs/configuration.md -->

Handrail works without any configuration. It reads settings from these places. A later one wins
over an earlier one, key by key (a list replaces the whole list):

1. the defaults below;
2. your own file, `$XDG_CONFIG_HOME/handrail/handrail.yaml` or `~/.config/handrail/handrail.yaml`;
3. the project's `handrail.yaml`: the nearest one from the current folder up to the root of
   its git work tree, or to your home folder;
4. `safety:` in a pipeline file;
5. environment variables: `HANDRAIL_STEP_REVIEWER__RISK__HIGH_THRESHOLD=0.7`, with `__`
   between the levels.

For a mistake, Handrail names the file, line, key and allowed values. It never runs on a guess.

## What a project's file may loosen

An agent can bring in a `handrail.yaml` with a patch or a branch, and so can a repository you clone.
What a project's file forbids counts at once. What it loosens, compared with the defaults, your own
file and the environment, counts after you have confirmed it:

```console
$ handrail config trust
```

The command shows each setting that becomes laxer, and asks. `--yes` confirms without a question,
for CI and containers; inside an agent's session it is refused. Handrail remembers the content of
the file, and of the rules and prompts files it names, for the repository: all branches and work
trees share the answer, and so does a new clone in the same place. Changed content is confirmed
again.

Until then the stricter value of each setting is in force: the lower limit, the shorter list of
trusted hosts, the longer list of protected files, the places that lie in both scopes. If nobody
can say which value is stricter (`programs`, `prices`, `notify.urls`, `judge`, a strategy), yours
counts; programs are judged by both accounts, and the worse verdict counts. The start of a session,
`handrail status`, `doctor` and `config show` say what is not in force. A file that only forbids
needs no confirmation.

## Globs

`*`, `?` and `[a-z]` stay within one name. `**` stands for any number of folders. `\\` takes the
next character literally. If a glob matches a folder, it covers everything in it. `~/` is your home.
A glob with a slash is relative to the folder of its file. A name without one (`*.pem`) may be
anywhere, except in `scope`: there it is a folder or file beside the settings file.
"""


def render_reference() -> str:
    """Render the whole reference as Markdown."""
    return "\n".join([_INTRODUCTION, *_section("", Config)])


def _section(path: str, struct: type[msgspec.Struct]) -> Iterator[str]:
    """Render a table of the plain keys, then a section for each key with keys of its own."""
    yield f"## `{path}`\n" if path else "## At the top\n"
    yield f"{_sentence(struct)}\n"
    descriptions = field_descriptions(struct)
    inner: list[tuple[str, type[msgspec.Struct]]] = []
    rows: list[str] = []
    for field in msgspec.structs.fields(struct):
        key = field.encode_name
        nested = _nested(field.type)
        if nested and nested[1] is struct:  # a program's subcommands are programs again
            nested = None
        if nested:
            suffix, section = nested
            inner.append((f"{path}.{key}{suffix}".removeprefix("."), section))
        if not nested or nested[0]:
            cells = (
                f"`{key}`",
                expected_value(field.type),
                _default(field),
                descriptions.get(key, ""),
            )
            rows.append(f"| {' | '.join(map(_cell, cells))} |")
    if rows:
        yield "\n".join(["| key | value | default | |", "|---|---|---|---|", *rows]) + "\n"
    for inner_path, section in inner:
        yield from _section(inner_path, section)


def _nested(kind: Any) -> tuple[str, type[msgspec.Struct]] | None:
    """Return the struct inside a type, and the way to its keys: `.NAME`, `[]` or direct."""
    bare, _ = unwrap_type(kind)
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        return "", bare
    holds = {dict: (".NAME", 1), tuple: ("[]", 0)}.get(get_origin(bare))
    if holds is None:
        return None
    suffix, argument = holds
    below = _nested(get_args(bare)[argument])
    return (suffix + below[0], below[1]) if below else None


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _default(field: Any) -> str:
    if field.required:
        return "required"
    if field.default_factory is not msgspec.NODEFAULT:
        return "empty"
    if field.default in ("", (), None):
        return "empty"
    written = msgspec.json.encode(field.default).decode().strip('"')
    return f"`{written}`"


def _sentence(struct: type[msgspec.Struct]) -> str:
    return "\n".join(line.strip() for line in (struct.__doc__ or "").splitlines()).strip()


if __name__ == "__main__":
    sys.stdout.write(render_reference())
