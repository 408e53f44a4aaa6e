"""Command lines that are meant to hurt whoever reads them, for tests and benchmarks.

None of them is ever run. They are built on demand, because some are ten megabytes long.
`COMMANDS` are expensive or odd; `HIDDEN` all delete /etc, behind the limits that keep reading
them cheap: what is cut off, skipped or given up on must not be taken for harmless.
"""

import base64
import shlex
from collections.abc import Callable, Mapping

BIG = 100_000
"""How often a pattern repeats where repeating it is the attack."""


def _base64_chain(levels: int) -> str:
    """`echo … | base64 -d | sh`, whose script is again such a line, and so on."""
    text = "rm -rf /etc"
    for _ in range(levels):
        text = f"echo {base64.b64encode(text.encode()).decode()} | base64 -d | sh"
    return text


def _quoted_chain(wrap: str, levels: int) -> str:
    """`bash -c "bash -c …"`; quotes double with each level, so the text grows as well."""
    text = "rm -rf /etc"
    for _ in range(levels):
        text = f"{wrap} {shlex.quote(text)}"
        if len(text) > 2_000_000:
            break
    return text


def _plain_chain(wrap: str, levels: int) -> str:
    return f"{wrap} " * levels + "rm -rf /etc"


def _functions(count: int) -> str:
    """Each function calls the next one twice, so that following every call doubles the work."""
    lines = [f"f{n}() {{ f{n + 1}; f{n + 1}; }}" for n in range(count)]
    return "\n".join([*lines, f"f{count}() {{ rm -rf /etc; }}", "f0"])


def _aliases(count: int) -> str:
    lines = [f"alias a{n}='a{n + 1}; a{n + 1}'" for n in range(count)]
    return "\n".join([*lines, f"alias a{count}='rm -rf /etc'", "a0"])


def _doubling(times: int) -> str:
    """A variable that doubles with every step: 64 steps would need the whole universe."""
    return "a=xx; " + "a=$a$a; " * times + "echo $a"


def _joined_doubling(times: int) -> str:
    lines = ["a=x", "b=y", *["if t; then a=$a$b; else b=$b$a; fi"] * times, "rm $a $b"]
    return "\n".join(lines)


def _nested_loops(depth: int, values: int) -> str:
    words = " ".join(map(str, range(values)))
    head = "".join(f"for v{n} in {words}; do " for n in range(depth))
    return f"{head}rm -rf /etc/$v0; {'done; ' * depth}"


def _heredocs(count: int) -> str:
    return (
        "cat "
        + " ".join(f"<<E{n}" for n in range(count))
        + "\n"
        + "".join(f"x\nE{n}\n" for n in range(count))
    )


def _nested_heredocs(depth: int) -> str:
    text = "rm -rf /etc\n"
    for n in range(depth):
        text = f"sh <<'E{n}'\n{text}E{n}\n"
    return text


def _growing_file(times: int) -> str:
    """A file that is fed to itself: its known text doubles with every line."""
    return "echo xx > f; " + "cat f f < f >> g; cat < g >> f; " * times + "sh f"


COMMANDS: Mapping[str, Callable[[], str]] = {
    # sheer size
    "ten megabytes of one word": lambda: "echo " + "a" * 10_000_000,
    "ten megabytes of words": lambda: "echo " + "a b " * 2_500_000,
    "ten megabytes of commands": lambda: "ls;\n" * 2_500_000,
    "the longest word that is read": lambda: "echo " + "a" * 262_000,
    "as many words as are read": lambda: "echo" + " a" * 131_000,
    "as many commands as are read": lambda: "a\n" * 131_000,
    "as many assignments as are read": lambda: "a=b " * 65_000,
    "as many comments as are read": lambda: "#\n" * 131_000,
    "as many newlines as are read": lambda: "\n" * 262_000,
    "as many escaped newlines as are read": lambda: "\\\n" * 131_000,
    "as many stars as are read": lambda: "rm " + "*" * 262_000,
    "as many emoji as are read": lambda: "echo " + "\U0001f4a3" * 65_000,
    # nesting
    "nested substitutions": lambda: "echo " + "$(" * BIG + ")" * BIG,
    "unclosed substitutions": lambda: "echo " + "$(" * BIG,
    "unclosed parens": lambda: "(" * BIG,
    "unclosed braces": lambda: "{ " * BIG,
    "unclosed literal braces": lambda: "echo " + "{" * BIG,
    "closing parens only": lambda: ")" * BIG,
    "closing braces only": lambda: "}" * BIG,
    "backticks": lambda: "`" * BIG,
    "backticks with commands": lambda: "`a " * BIG,
    "escaped backticks": lambda: "`a " + "\\`b " * BIG,
    "double quotes": lambda: 'echo "' + '"' * BIG,
    "single quotes": lambda: "echo '" + "'" * BIG,
    "odd quotes": lambda: "echo " + "'\"" * BIG,
    "quotes inside substitutions": lambda: 'echo "$(' * 20_000,
    "balanced nesting just within the limit": lambda: "echo " + "$(echo " * 55 + ")" * 55,
    "many brackets that are never deep": lambda: "(a);" * 50_000,
    "many empty substitutions": lambda: "echo " + "$(:) " * 40_000,
    "brackets in words": lambda: "echo " + "[" * BIG,
    "double brackets": lambda: "[[ " * 50_000,
    "arithmetic": lambda: "echo $((" + "(" * 50_000 + "1" + ")" * 50_000 + "))",
    "arithmetic without brackets": lambda: "echo $((" + "1+" * 80_000 + "1))",
    "arithmetic with ternaries": lambda: "echo $((" + "1?1:" * 50_000 + "1))",
    "negated tests": lambda: "! " * BIG + "rm -rf /etc",
    "nested ifs": lambda: "if true; then " * 20_000,
    "closed nested ifs": lambda: "if a; then " * 50 + "rm -rf /etc; " + "fi; " * 50,
    "elif chain": lambda: "if a; then b; " + "elif a; then b; " * 10_000 + "fi",
    "nested cases": lambda: "case x in x) " * 10_000,
    "case with many items": lambda: "case x in " + "a) b;; " * 20_000 + "esac",
    "nested whiles": lambda: "while a; do " * 20_000,
    "nested functions": lambda: "f() { " * 20_000,
    "nested defaults": lambda: "echo " + "${x:-" * BIG + "}" * BIG,
    "shallow nested defaults": lambda: "echo " + "${x:-" * 50 + "/etc" + "}" * 50,
    "nested process substitutions": lambda: "cat " + "<(cat " * 20_000,
    "nested arrays": lambda: "a=(" * BIG,
    "nested subscripts": lambda: "a[" * BIG,
    # errors: the parser takes quadratic time to recover from these, or more
    "backticks and redirects": lambda: "` > b " * 20_000,
    "open sets and keywords": lambda: "[esac;" * 20_000,
    "keywords and open sets": lambda: "done;[" * 20_000,
    "loops without bodies": lambda: "for a in ;;" * 20_000,
    "loops and patterns": lambda: "for a in a) " * 20_000,
    "functions without bodies": lambda: "function a " * 20_000,
    "functions and documents": lambda: "function a < " * 20_000,
    "closed patterns": lambda: "a) ! " * 300,
    "dollars and redirects": lambda: "$ > b " * 20_000,
    "cases without items": lambda: "&&case a in " * 20_000,
    "open arrays": lambda: "a=( " * 59,
    # long chains
    "long pipe": lambda: "a|" * 50_000 + "a",
    "pipe of the longest accepted length": lambda: "a|" * 399 + "a",
    "pipe behind quotes": lambda: "'a'|" * 50_000 + "a",
    "semicolons": lambda: "a;" * BIG,
    "bare semicolons": lambda: ";" * BIG,
    "double semicolons": lambda: ";;" * BIG,
    "ands": lambda: "a&&" * 50_000 + "a",
    "ors": lambda: "a||" * 50_000 + "a",
    "ors below the limit": lambda: "cd a||" * 190 + "rm -rf b",
    "ampersands": lambda: "a&" * BIG,
    "redirects": lambda: "a" + " >b" * 50_000,
    "redirects without commands": lambda: ">b;" * 50_000,
    "here strings": lambda: "a" + " <<<b" * 20_000,
    "here-documents": lambda: _heredocs(10_000),
    "unclosed here-documents": lambda: "cat " + "<<E " * 10_000 + "\n",
    "unclosed here-document with a long body": lambda: "cat <<E\n" + "x\n" * BIG,
    "here-documents one after the other": lambda: "cat <<E\nx\nE\n" * 10_000,
    "nested here-documents": lambda: _nested_heredocs(150),
    "here-document tags without end": lambda: "<<a\n" * 20_000,
    # expansion
    "brace bomb": lambda: "echo " + "{a,b}" * 30,
    "brace bomb with wide alternatives": lambda: "echo " + "{a,b,c,d,e,f,g,h,i,j}" * 60,
    "many brace bombs": lambda: "echo" + " {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" * 2_000,
    "nested braces": lambda: "echo " + "{a," * 25 + "b" + "}" * 25,
    "nested braces without commas": lambda: "echo " + "{" * 59 + "a" + "}" * 59,
    "brace range": lambda: "echo {1..999999999}",
    "brace range backwards": lambda: "echo {999999999..1..2}",
    "nested brace ranges": lambda: "echo {{1..999999},{1..999999}}{1..999999}{1..999999}",
    "quoted open braces": lambda: "echo {a" + "\\{" * 20_000,
    "brace ranges of words": lambda: "echo " + "{a..z}" * 59,
    "variable doubling": lambda: _doubling(64),
    "variable doubling in quotes": lambda: _doubling(64).replace("$a$a", '"$a$a"'),
    "variable doubling by appending": lambda: "a=xx; " + "a+=$a; " * 64 + "echo $a",
    "variable doubling by printf": lambda: "a=xx; " + "printf -v a %s%s $a $a; " * 64 + "$a",
    "variable doubling by substitution": lambda: "a=xx; " + "a=$(echo $a $a); " * 64 + "$a",
    "variable doubling by replacement": lambda: "a=xx; " + "a=${a//x/xxxxxxxxxx}; " * 64 + "$a",
    "array doubling": lambda: "a=(x x); " + 'a=("${a[@]}" "${a[@]}"); ' * 64 + 'echo "${a[@]}"',
    "argument doubling": lambda: "set -- x x; " + 'set -- "$@" "$@"; ' * 64 + 'echo "$@"',
    "alternatives of variables": lambda: _joined_doubling(64),
    "alternatives in one word": lambda: (
        "".join(f"a{n}=1; t && a{n}=2; t || a{n}=3; " for n in range(30))
        + "rm "
        + "".join(f"$a{n}" for n in range(30))
    ),
    "file doubling": lambda: _growing_file(64),
    "file that appends to itself": lambda: "echo xx > f; " + "cat < f >> f; " * 64 + "sh f",
    "indirect variables": lambda: "a=a; " + "echo ${!a} " * 5_000,
    "unset variables": lambda: "echo " + "$a" * BIG,
    "huge field splitting": lambda: f"a='{'x ' * 60_000}'; rm $a $a $a $a $a $a $a $a",
    "huge word split by IFS": lambda: f"IFS=x; a={'x' * 200_000}; rm $a",
    "IFS of many characters": lambda: f"IFS='{'abcdefgh' * 10_000}'; a=xayaz; rm $a$a$a",
    "IFS between many words": lambda: "rm" + "$IFS-rf$IFS/etc" * 5_000,
    "substring of a huge value": lambda: f"a={'x' * 200_000}; " + "b=${a:1:999999}; " * 1_000,
    "huge ANSI-C string": lambda: "echo $'" + "\\x41" * 60_000 + "'",
    "tildes": lambda: "echo " + "~/" * BIG,
    "many tilde words": lambda: "echo" + " ~a" * 50_000,
    "positional parameters": lambda: "echo " + "$9" * 50_000 + " ${99999999999999999999999}",
    "a number that is too long": lambda: "echo ${" + "9" * 5_000 + "}",
    "positional of many digits": lambda: "echo $((1" + "0" * 100_000 + "))",
    "unicode digits": lambda: "echo ${²} ${٣} $²",
    # things that call each other
    "functions that call themselves": lambda: "f() { f; f; }; f",
    "functions that call each other": lambda: "f() { g; g; }; g() { f; f; }; f",
    "functions that double": lambda: _functions(40),
    "functions that double in substitutions": lambda: _functions(40).replace("; f", "; echo $(f)"),
    "aliases that double": lambda: _aliases(40),
    "alias of itself": lambda: "alias a='a a a'; a",
    "fork bomb": lambda: ":(){ :|:& };:",
    "nested loops over many values": lambda: _nested_loops(5, 10_000),
    "nested loops over a few values": lambda: _nested_loops(5, 8),
    "deeply nested loops": lambda: _nested_loops(25, 8),
    "loop over a huge range": lambda: "for i in {1..999999}; do rm -rf $i; done",
    "loops one after the other": lambda: "for i in a b c d e f g h i; do rm $i; done; " * 2_000,
    "ever-growing loop": lambda: (
        "a=x; for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5 6 7 8; do "
        "for k in 1 2 3 4 5 6 7 8; do a=$a$a; done; done; done; rm $a"
    ),
    # wrappers
    "bash -c chain": lambda: _quoted_chain("bash -c", 200),
    "eval chain": lambda: _quoted_chain("eval", 200),
    "eval chain without quotes": lambda: _plain_chain("eval", 200),
    "env chain": lambda: _plain_chain("env", 200),
    "sudo chain": lambda: _plain_chain("sudo", 5_000),
    "command chain": lambda: _plain_chain("command", 50_000),
    "wrapper zoo": lambda: _plain_chain("sudo env nice nohup timeout 5 xargs time", 200),
    "xargs of many items": lambda: "printf '%s\\n' " + "a " * BIG + "| xargs rm -rf",
    "xargs with a placeholder": lambda: "echo " + "a " * 50_000 + "| xargs -I{} rm -rf {}{}{}{}",
    "xargs placeholder that grows": lambda: (
        "echo " + "x" * 50_000 + " | xargs -I{} " + "xargs -I{} " * 20 + "rm " + "{}" * 5_000
    ),
    "parallel of many items": lambda: "parallel rm ::: " + "a " * 50_000,
    "find with many actions": lambda: "find . " + "-exec rm {} ; " * 10_000,
    "find with many escaped actions": lambda: "find . " + "-exec rm {} \\; " * 10_000,
    "find in find": lambda: "find . -exec " * 2_000 + "rm {} \\;",
    "make with many recipes": lambda: "printf 'a:\\n\\trm x\\n' > Makefile; " + "make; " * 5_000,
    "traps": lambda: "trap 'rm -rf /etc' EXIT; " * 5_000,
    "git aliases": lambda: "git" + " -c alias.a='!rm -rf /etc'" * 5_000 + " a",
    "python calling python": lambda: _quoted_chain("python3 -c", 20),
    "python bomb": lambda: f"python3 -c 'x = {'(' * 50_000}'",
    "python with deep expressions": lambda: "python3 -c 'x = " + "-" * 50_000 + "1'",
    "python with a long sum": lambda: "python3 -c 'x = " + "1+" * 20_000 + "1'",
    "python that multiplies": lambda: 'python3 -c \'import os; os.system("rm " + "x" * 9**9)\'',
    "python that doubles": lambda: 'python3 -c \'a="xx"\n' + "a=a+a\n" * 64 + "print(a)'",
    "python with a large power": lambda: "python3 -c 'import os; os.remove(str(9**9**9))'",
    "python with a large shift": lambda: "python3 -c 'import os; os.remove(str(1<<9999999999))'",
    "python with a wide format": lambda: "python3 -c 'import os; os.remove(\"%999999999d\" % 1)'",
    "python with a padded word": lambda: "python3 -c 'import os; os.remove(\"a\".ljust(10**10))'",
    "python with a wide f-string": lambda: "python3 -c 'import os; os.remove(f\"{1:999999999}\")'",
    "python with joins": lambda: 'python3 -c \'import os; os.remove("x".join(["y"]*10**9))\'',
    "python with a huge range": lambda: (
        "python3 -c 'import os\nfor i in range(10**9): os.remove(str(i))'"
    ),
    "perl bomb": lambda: "perl -e '" + "{" * 50_000 + "'",
    "perl quotes": lambda: "perl -e '" + "q{" * 50_000 + "'",
    "ruby bomb": lambda: "ruby -e '" + "#{" * 50_000 + "'",
    "node bomb": lambda: "node -e '" + "(" * 50_000 + "'",
    "node templates": lambda: "node -e '" + "`${" * 50_000 + "'",
    "awk bomb": lambda: "awk '" + "{" * 50_000 + "'",
    "sed bomb": lambda: "sed '" + "s/a/b/;" * 30_000 + "' f",
    "sed of braces": lambda: "sed '" + "{" * 50_000 + "' f",
    "psql bomb": lambda: "psql -c '" + "(" * 50_000 + "'",
    "psql comments": lambda: "psql -c '" + "/*" * 50_000 + "'",
    "psql statements": lambda: "psql -c '" + "drop table a;" * 15_000 + "'",
    # decoders and printers
    "base64 chain": lambda: _base64_chain(12),
    "long base64 chain": lambda: _base64_chain(26),
    "huge base64": lambda: "echo " + "QUFB" * 60_000 + " | base64 -d | sh",
    "huge base64 of commands": lambda: (
        "echo " + base64.b64encode(b"rm -rf /etc;" * 10_000).decode() + " | base64 -d | sh"
    ),
    "wide printf": lambda: "printf '%99999999s' x | sh",
    "printf with many directives": lambda: "printf '" + "%s" * 50_000 + "' a b c | sh",
    "printf with many values": lambda: "printf '%s' " + "a " * 50_000 + "| sh",
    "printf with a star": lambda: "printf '%*s' 999999999 x | sh",
    "printf that grows": lambda: "printf '" + "x" * 100_000 + "%s' " + "a " * 60_000 + "| sh",
    "seq": lambda: "seq 1 999999999 | xargs rm",
    "seq in a loop": lambda: "for i in $(seq 1 999999999); do rm $i; done",
    "seq with a long number": lambda: "seq 1 " + "9" * 10_000,
    "seq with a zero step": lambda: "seq 1 0 5 | sh",
    "tr range": lambda: "echo a | tr '\\0-\\377' 'a-z' | sh",
    "tr range over all of unicode": lambda: "echo a | tr '\x01-\U0010ffff' 'a-z' | sh",
    "tr ranges over all of unicode": lambda: (
        "echo a | tr '" + "\x01-\U0010ffff" * 1_000 + "' b | sh"
    ),
    "rev of many lines": lambda: "rev <<E | sh\n" + "x\n" * BIG + "E\n",
    "xxd of odd digits": lambda: "echo " + "f" * 200_001 + " | xxd -r -p | sh",
    "yes": lambda: "yes 'rm -rf /etc' | head -n 999999999 | sh",
    "echo escapes": lambda: "echo -e '" + "\\0101" * 40_000 + "' | sh",
    # patterns
    "stars in a path": lambda: "rm " + "a*" * 1_000,
    "stars in a path, deep": lambda: "rm " + "/a*" * 1_000,
    "double stars": lambda: "rm " + "**/" * 5_000 + "a",
    "stars as a program": lambda: "/bin/" + "*?" * 1_000 + "m -rf /etc",
    "question marks as a program": lambda: "?" * 20_000 + " -rf /etc",
    "sets as a program": lambda: "[a-z]" * 5_000 + " -rf /etc",
    "an open set": lambda: "rm [" + "!" * 50_000,
    "extended globs": lambda: "rm " + "@(a|" * 300 + ")" * 300,
    "dots": lambda: "rm -rf " + "../" * 80_000,
    "slashes": lambda: "rm -rf " + "/" * 260_000,
    "deep path": lambda: "rm -rf " + "a/" * 100_000,
    "many cds": lambda: "cd a; " * 20_000 + "rm -rf .",
    "many cds up": lambda: "cd ..; " * 20_000 + "rm -rf .",
    "replacement patterns": lambda: "a=x; " + "b=${a//*a*a*a*a*/b}; " * 5_000,
    "a pattern of hashes": lambda: "a=aaaa; echo ${a##" + "*a" * 20_000 + "}",
    "links": lambda: "".join(f"ln -s /a{n} l{n}; " for n in range(3_000)) + "rm -rf l1/x",
    "links to links": lambda: "".join(f"ln -s l{n} l{n + 1}; " for n in range(3_000)) + "rm l9/x",
    "copies": lambda: "".join(f"cp /bin/rm r{n}; " for n in range(3_000)) + "./r1 -rf /etc",
    "secret names": lambda: "cat" + " .env" * 20_000,
    "hosts": lambda: "curl" + " http://a.b" * 10_000,
    "one long address": lambda: "curl http://" + "a." * 60_000,
    "options": lambda: "git " + "--a " * 40_000 + "push",
    "short options": lambda: "rm -" + "rf" * BIG + " /etc",
    "long options": lambda: "rm --" + "r" * 200_000 + " /etc",
    # odd characters
    "NUL bytes": lambda: "r\0m\0 -r\0f /e\0tc",
    "only NUL bytes": lambda: "\0" * BIG,
    "lone surrogates": lambda: "rm -rf /e\udc80tc \ud800 '\udfff'",
    "carriage returns": lambda: "rm -rf /etc\r\nls\r\n",
    "a carriage return inside": lambda: "ls\rrm -rf /etc",
    "control characters": lambda: "rm\x07\x08\x1b[2K -rf\x0b/etc\x7f",
    "right-to-left marks": lambda: "rm -rf \u202e/cte \u2066",
    "direction marks in a comment": lambda: "# \u202e",
    "byte order mark": lambda: "\ufeffrm -rf /etc",
    "no-break blanks": lambda: "rm\u00a0-rf\u2003/etc",
    "private characters": lambda: "rm -rf \ue02f\ue07b\ue000 \ue0ff",
    "the mark for unknown": lambda: "rm -rf /\ufffc \ufffd/etc",
    "characters beyond": lambda: "rm -rf \U0010ffff\U000e0001",
    "nothing": lambda: "",
    "blanks": lambda: " \t\n ",
    "unterminated single quote": lambda: "rm -rf '/etc",
    "unterminated double quote": lambda: 'rm -rf "/etc',
    "unterminated substitution": lambda: "echo $(rm -rf /etc",
    "unterminated parameter": lambda: "rm -rf ${a",
    "unterminated here-document": lambda: "sh <<E\nrm -rf /etc",
    "trailing backslash": lambda: "rm -rf /etc \\",
    "only operators": lambda: "| & ; < > ( ) { } && || ;; << >> <<< &> >| |&",
    "stray keywords": lambda: "do done fi then else elif esac in for while if case rm -rf /etc",
}


_PAYLOAD = "rm -rf /etc"
_EIGHT = "a b c d e f g h"
"""As many values as are followed one by one."""
_COMMENTS = "#x\n" * 30_000


def _lines(words: str) -> str:
    return "\n".join(words.split())


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _call_chain(count: int, define: str) -> str:
    lines = [define.format(f"f{n}", f"f{n + 1}") for n in range(count)]
    return "\n".join([*lines, define.format(f"f{count}", _PAYLOAD), "f0"])


HIDDEN: Mapping[str, Callable[[], str]] = {
    "behind 50 env": lambda: "env " * 50 + _PAYLOAD,
    "behind 50 nice": lambda: "nice " * 50 + _PAYLOAD,
    "behind 50 command": lambda: "command " * 50 + _PAYLOAD,
    "behind 50 eval": lambda: "eval " * 50 + _PAYLOAD,
    "behind 50 find": lambda: "find . -exec " * 50 + _PAYLOAD + " \\;",
    "behind two negations": lambda: f"! ! {_PAYLOAD}",
    "behind three negations": lambda: f"! ! ! {_PAYLOAD}",
    "behind 50 functions": lambda: _call_chain(50, "{}() {{ {}; }}"),
    "behind 50 aliases": lambda: _call_chain(50, "alias {}='{}'"),
    "ninth item of xargs": lambda: f"printf '%s\\n' {_EIGHT} /etc | xargs rm -rf",
    "ninth line of xargs": lambda: f"xargs rm -rf <<E\n{_lines(_EIGHT)}\n/etc\nE",
    "ninth item of xargs -I": lambda: f"printf '%s\\n' {_EIGHT} /etc | xargs -I@ rm -rf @",
    "ninth command of xargs": lambda: f"printf '%s\\n' {_EIGHT} '{_PAYLOAD}' | xargs -I@ sh -c '@'",
    "ninth item of parallel": lambda: f"parallel rm -rf ::: {_EIGHT} /etc",
    "ninth command of parallel": lambda: f"printf '%s\\n' {_EIGHT} '{_PAYLOAD}' | parallel",
    "ninth line of read": lambda: (
        f"printf '%s\\n' {_EIGHT} /etc | while read x; do rm -rf $x; done"
    ),
    "ninth value of a loop": lambda: f"for i in {_EIGHT} /etc; do rm -rf $i; done",
    "ninth value of a loop, as a command": lambda: f"for i in {_EIGHT} '{_PAYLOAD}'; do $i; done",
    "ninth value of a loop, for eval": lambda: f"for i in {_EIGHT} '{_PAYLOAD}'; do eval $i; done",
    "ninth value of a loop, for sh": lambda: (
        f"for i in {_EIGHT} '{_PAYLOAD}'; do sh -c \"$i\"; done"
    ),
    "ninth alternative": lambda: (
        "".join(f"t && x={name}; " for name in _EIGHT.split()) + "t && x=/etc; rm -rf $x"
    ),
    "ninth recipe": lambda: (
        "printf 'a:\\n" + "\\tls\\n" * 8 + f"\\t{_PAYLOAD}\\n' > Makefile; make"
    ),
    "ninth script of psql": lambda: "psql " + "-c '\\! ls' " * 8 + f"-c '\\! {_PAYLOAD}'",
    "65th word of a brace": lambda: f"rm -rf {{{','.join(f'a{n}' for n in range(64))},/etc}}",
    "65th word of a brace with a range": lambda: "rm -rf {{1..64},/etc}",
    "65th value of printf": lambda: f"printf '%s\\n' {'ls ' * 64}'{_PAYLOAD}' | sh",
    "cut by printf": lambda: "printf '%.2s -rf /etc' rmdir | sh",
    "behind long output": lambda: f"echo '{_COMMENTS}{_PAYLOAD}' | sh",
    "behind long input": lambda: f"sh <<'E'\n{_COMMENTS}{_PAYLOAD}\nE",
    "behind long encoded text": lambda: f"echo {_encoded(_COMMENTS + _PAYLOAD)} | base64 -d | sh",
    "behind long translated text": lambda: f"echo '{_COMMENTS}rm -rf /fud' | tr fud etc | sh",
    "behind a long file": lambda: f"cat > r.sh <<'E'\n{_COMMENTS}{_PAYLOAD}\nE\nsh r.sh",
    "behind long Python": lambda: (
        f"python3 -c '{_COMMENTS}\nimport shutil; shutil.rmtree(\"/etc\")'"
    ),
    "behind deep Python": lambda: (
        f"python3 -c 'x = {'-' * 5_000}1\nimport shutil; shutil.rmtree(\"/etc\")'"
    ),
    "behind long Perl": lambda: f"perl -e '{_COMMENTS}system(\"{_PAYLOAD}\")'",
    "behind deep Perl": lambda: f"perl -e '{'{' * 3_000}system(\"{_PAYLOAD}\"){'}' * 3_000}'",
    "behind long awk": lambda: f"awk '{_COMMENTS}BEGIN {{ system(\"{_PAYLOAD}\") }}'",
    "behind broken text": lambda: ")\n" + "ls;\n" * 250 + f"{_PAYLOAD}\n",
    "before broken text": lambda: "ls\n" * 250 + f"{_PAYLOAD}\necho 'x",
    "behind 70 arguments": lambda: f"set -- {'a ' * 70}/etc; rm -rf ${{71}}",
    "behind many traps": lambda: "trap ls EXIT; " * 100 + f"trap '{_PAYLOAD}' EXIT",
    "behind nested defaults": lambda: "rm -rf ${x:-${y:-/etc}}",
    "behind nested defaults, as a command": lambda: "${x:-${y:-rm}} -rf /etc",
    "behind carriage returns": lambda: f"ls\r\n{_PAYLOAD}\r\n",
    "behind NUL bytes": lambda: "r\0m -rf /e\0tc",
}
