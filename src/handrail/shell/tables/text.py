"""Tools that show, compare and search text: what they read is what they may give away.

Tools that only list names, count or hash (`ls`, `wc`, `stat`, `md5sum`) are not here: they
give nothing away.
"""

from handrail.shell.tables.shorthand import (
    READ,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_HELP = "--help|--version"


def _reads(values: str = "", on: str = "each") -> Program:
    return program(Fact(READ, on=on), values=values, harmless=_HELP)


def _converts(values: str = "") -> Program:
    """Reads its operands, writes to `-o`."""
    facts = (Fact(READ, on="each"), Fact(WRITE, on="-o|--output"))
    return program(*facts, values=f"{values} -o --output", harmless=_HELP)


def _grep(values: str, quiet: str) -> Program:
    """The first operand is the pattern, unless it is given by an option."""
    return program(
        Fact(READ, f"!-e|--regexp|-f|--file !{quiet}", on="2+", recursive=True),
        Fact(READ, f"-e|--regexp|-f|--file !{quiet}", on="each", recursive=True),
        Fact(READ, on="-f|--file"),
        values=values, wraps=(Wrapper(form="shell", options="--pre|--pager"),),
        harmless=f"{_HELP}|--files|--type-list",
    )  # fmt: skip


_IN_OUT = (Fact(READ, on="1"), Fact(WRITE, on="2"))
_CONTEXT = "-A -B -C -m --after-context --before-context --context --max-count"
_GREP = (
    f"{_CONTEXT} -e --regexp -f --file --include --exclude --exclude-dir --exclude-from -d "
    "--directories -D --devices --label --binary-files"
)
_RG = (
    f"{_CONTEXT} -e --regexp -f --file -g --glob --iglob -t --type -T --type-not --type-add -r "
    "--replace -d --max-depth -M --max-columns -j --threads -E --encoding --sort --sortr --color "
    "--colors --pre --pre-glob --ignore-file --max-filesize --path-separator --engine "
    "--context-separator"
)
_DIFF = (
    "-U -C -I -x -X -W -F -L -S -D --label --exclude --exclude-from --width --from-file --to-file "
    "--ignore-matching-lines --show-function-line --starting-file"
)
_SORT = (
    "-k -t -T -S --key --field-separator --temporary-directory --buffer-size --parallel "
    "--batch-size --compress-program --files0-from --random-source -o --output"
)
_BAT = (
    "-l --language -H --highlight-line --style --theme -r --line-range -m --map-syntax --color "
    "--wrap --tabs --terminal-width --paging --pager --file-name --decorations"
)
_LESS = "-b -h -j -k -o -O -p -P -t -T -x -y -z --pattern --prompt --tag --log-file --buffers"

PROGRAMS: dict[str, Program] = {
    "cat": program(Fact(READ, on="each"), reader="endless", harmless=_HELP),
    "yes": program(reader="endless", harmless=_HELP),
    **dict.fromkeys(
        ("tac", "nl", "rev", "expand", "unexpand", "tsort", "look"),
        _reads("-b -d -f -h -i -l -n -s -v -w -t --tabs --separator"),
    ),
    **dict.fromkeys(
        ("zcat", "gzcat", "bzcat", "xzcat", "lzcat", "zstdcat", "lz4cat", "zless", "zmore"),
        _reads("-S --suffix"),
    ),
    "head": _reads("-n -c --lines --bytes"),
    "tail": _reads("-n -c -s --lines --bytes --pid --sleep-interval --max-unchanged-stats"),
    "more": program(Fact(READ, on="each"), reader="pager", values="-n", harmless=_HELP),
    "man": program(
        values="-P --pager -H --html -M --manpath -S -s -L -m -e -C -E -p -r -R",
        wraps=(Wrapper(form="shell", options="-P|--pager|-H|--html"),),
    ),
    "most": _reads(),
    "less": program(
        Fact(READ, "!@+*", on="each"),
        Fact(READ, "+*", on="each"),
        Fact(WRITE, on="-o|-O|--log-file"),
        reader="pager", values=_LESS, harmless=_HELP,
    ),
    "bat": _reads(_BAT),
    "batcat": program(same_as="bat"),
    "glow": _reads("-s -w --style --width"),
    "cut": _reads("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter"),
    "paste": _reads("-d --delimiters"),
    "join": _reads("-1 -2 -a -e -j -o -t -v"),
    "comm": _reads("--output-delimiter"),
    "shuf": program(
        Fact(READ, "!-e|--echo", on="each"),
        Fact(WRITE, on="-o|--output"),
        values="-i -n -o --input-range --head-count --output --random-source",
    ),
    "sort": program(
        Fact(READ, on="each"),
        Fact(READ, on="--files0-from"),
        Fact(WRITE, on="-o|--output"),
        values=_SORT, wraps=(Wrapper(form="shell", options="--compress-program"),), harmless=_HELP,
    ),
    # A list of names is printed, too, where there is no file of such a name.
    **dict.fromkeys(("wc", "du"), program(
        Fact(READ, on="--files0-from"), values="--files0-from", harmless=_HELP,
    )),
    "file": program(
        Fact(READ, on="-f|--files-from"),
        values="-f --files-from -m --magic-file -F --separator -e --exclude -P --parameter",
        harmless=_HELP,
    ),
    "uniq": program(*_IN_OUT, values="-f -s -w --skip-fields --skip-chars --check-chars"),
    "fold": _reads("-w --width"),
    "fmt": _reads("-w -p -g --width --prefix --goal"),
    "pr": _reads("-h -l -w -W -o -D -N --header --length --width --indent --date-format"),
    "ptx": _reads("-w -g -A -F -M -O -S -T -W -b -i -o --width"),
    "od": _reads("-A -j -N -S -t -w --address-radix --skip-bytes --read-bytes --format"),
    "hexdump": _reads("-e -f -n -s --format --format-file --length --skip"),
    "hd": program(same_as="hexdump"),
    "hexyl": _reads("-n -s -c -o --length --skip --bytes"),
    "strings": _reads("-n -t -e -T --bytes --radix --encoding --target"),
    "xxd": program(*_IN_OUT, values="-c -g -l -n -o -s -R --cols"),
    "base64": program(
        Fact(READ, on="each"),
        Fact(READ, on="-i|--input"),
        Fact(WRITE, on="-o|--output"),
        values="-w --wrap -i -o --input --output -b --break", harmless=_HELP,
    ),
    **aliases("base64", "base32", "basenc"),
    "uuencode": _reads(on="1"),
    "uudecode": _converts(),
    "diff": _reads(_DIFF),
    "colordiff": _reads(_DIFF),
    "diff3": _reads("-L --label"),
    "sdiff": _converts("-w --width -W -I"),
    "difft": _reads("--color --display --width --context"),
    "iconv": _converts("-f -t --from-code --to-code"),
    "column": _reads("-c -s -t -o -N -R -H -O -T --separator --output-separator --table-columns"),
    "csvcut": _reads("-c -d -q"),
    "csvgrep": _reads("-c -m -r -f -d"),
    "csvlook": _reads("-d -q"),
    "xmllint": _converts("--xpath --schema --encode"),
    "pv": _reads("-L -s -i -N -B -F -w -H -D --rate-limit --size --interval --name"),
    "grep": _grep(_GREP, "-q|--quiet|--silent|-c|--count|-l|--files-with-matches|-L"),
    **dict.fromkeys(
        ("egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "ggrep", "pcregrep", "pcre2grep", "ugrep"),
        program(same_as="grep"),
    ),
    "rg": _grep(_RG, "-q|--quiet|-c|--count|-l|--files-with-matches|--files-without-match"),
    "ag": _grep(f"{_CONTEXT} -G -p --ignore --depth --pager", "-q|-c|--count|-l|-L|-g"),
    "ack": _grep(f"{_CONTEXT} --type --output --pager --match", "-q|-c|--count|-l|-L|-f|-g"),
    "jq": program(reader="jq", values="-f --from-file -L --indent", harmless=f"{_HELP}|-h|-V"),
    **aliases("jq", "jaq", "gojq"),
    "yq": program(
        reader="yq",
        values="-o --output-format -p --input-format -I --indent -s --split-exp --from-file "
        "--expression --arg --argjson",
        harmless=f"{_HELP}|-h|-V",
    ),
    **aliases("yq", "xq", "tomlq"),
    "gron": _reads(),
    "fx": _reads(on="1"),
    "split": program(
        *_IN_OUT,
        values="-a -b -C -l -n -t --suffix-length --bytes --line-bytes --lines --number "
        "--separator --additional-suffix --filter",
        wraps=(Wrapper(form="shell", options="--filter"),), harmless=_HELP,
    ),
    "csplit": program(
        Fact(READ, on="1"),
        Fact(WRITE, on="-f|--prefix"),
        values="-b -f -n --prefix --suffix-format --digits",
    ),
    "patch": program(
        Fact(WRITE, on="1"),
        Fact(WRITE, "!@* !-d|--directory", on="cwd"),
        Fact(WRITE, on="-o|--output|-d|--directory|-r|--reject-file"),
        Fact(READ, on="2"),
        Fact(READ, on="-i|--input"),
        values="-p -i -o -d -r -B -D -F -V -Y -z --strip --input --output --directory "
        "--reject-file --fuzz --get --prefix --suffix",
        reader="patch", harmless=f"{_HELP}|--dry-run|-C|--check",
    ),
    **dict.fromkeys(("dos2unix", "unix2dos", "mac2unix"), program(
        Fact(WRITE, "!-n|--newfile|-i|--info", on="each"),
        Fact(WRITE, "-n|--newfile", on="2"),
        values="-c --convmode",
    )),
}  # fmt: skip
