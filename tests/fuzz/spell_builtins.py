"""Ways to spell a piece of a word by what builtins and sums leave in variables."""

from tests.fuzz.spell_pieces import Speller, Spelling, Way


def _getopts(s: Speller, text: str) -> Spelling:
    x, value = s.name(), s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"getopts a: {x} -a {value}", '"$OPTARG"'),
        lambda: Spelling(f"set -- -b -a {value}; getopts a:b {x}; getopts a:b {x}", "$OPTARG"),
        lambda: Spelling(
            f"set -- -a {value}; while getopts a: {x}; do {x}=$OPTARG; done", f'"${x}"'
        ),
        lambda: Spelling(f"set -- -a {value}; getopts a: {x}; shift", '"$1"'),
    )


def _select(s: Speller, text: str) -> Spelling:
    x, value = s.name(), s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"select {x} in {value}; do break; done <<< 1", f'"${x}"'),
        lambda: Spelling(f"select {x} in {s.junk()}; do break; done <<< {value}", '"$REPLY"'),
    )


def _named(s: Speller, text: str) -> Spelling:
    """References, and names that are put together."""
    x, y, z = s.name(), s.name(), s.name()
    value = s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"{x}={value}; declare -n {y}={x} {z}={y}", f'"${z}"'),
        lambda: Spelling(f"declare -n {y}={x}; {x}=no; unset -n {y}; {y}={value}", f'"${y}"'),
        lambda: Spelling(f"{x}=(no {value}); declare -n {y}={x}", f'"${{{y}[1]}}"'),
        lambda: Spelling(f"{x}=(no {value}); declare -n {y}={x}[1]", f'"${y}"'),
        lambda: Spelling(f"{y}={x}; eval ${y}={value}", f'"${x}"'),
        lambda: Spelling(f"{y}={x}; declare ${y}={value}", f'"${x}"'),
        lambda: Spelling(f"{y}={x}; printf -v ${y} %s {value}", f'"${x}"'),
        lambda: Spelling(f"{y}={x}; read -r ${y} <<< {value}", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; {y}={x}", f'"${{!{y}:0}}"'),
        lambda: Spelling(f"{x}={value}; {y}={x}", f"${{!{y}:-no}}"),
        lambda: Spelling(f"declare -n {y}={x}; {y}=({value} no)", f'"${{{x}[0]}}"'),
    )


def _sums(s: Speller, text: str) -> Spelling:
    """What sums change on the side."""
    x, value, j = s.name(), s.quoted(text), s.junk()
    return s.one_of(
        lambda: Spelling(f"{x}=({j} {value}); i=0; ((i++))", f'"${{{x}[i]}}"'),
        lambda: Spelling(f"{x}=({j} {value}); let i=1", f'"${{{x}[i]}}"'),
        lambda: Spelling(f"{x}=({j} {value}); i=0", f'"${{{x}[++i]}}"'),
        lambda: Spelling(f"{x}=({j} {value}); : $((i=1))", f'"${{{x}[$i]}}"'),
        lambda: Spelling(f"{x}={s.quoted(j + text)}; i=0", f'"${{{x}:i+={len(j)}}}"'),
        lambda: Spelling(f"declare -i i=1-1; {x}=({value} {j})", f'"${{{x}[i]}}"'),
        lambda: Spelling(f"i=1; [[ $((i-=1)) = 0 ]]; {x}=({value} {j})", f'"${{{x}[i]}}"'),
        lambda: Spelling(f"i=5; {x}[i-=3]={value}", f'"${{{x}[2]}}"'),
        lambda: Spelling(f"i=2; (( i > 1 )) && {x}={value} || {x}={j}", f'"${x}"'),
        lambda: Spelling(f"i=0; while ((i++ < 2)); do {x}={value}; done", f'"${x}"'),
    )


def _assigning(s: Speller, text: str) -> Spelling:
    """Expansions that assign."""
    x, value = s.name(), s.quoted(text)
    return s.one_of(
        lambda: Spelling(f": ${{{x}:={value}}}", f'"${x}"'),
        lambda: Spelling(f"{x}=; : ${{{x}:={value}}}", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; : ${{{x}:=no}}", f'"${x}"'),
        lambda: Spelling(f"echo ${{{x}={value}}} > t0", f'"${x}"'),
        lambda: Spelling(f"[[ ${{{x}:={value}}} ]]", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; {x}+=", f'"${x}"'),
        lambda: Spelling(f"case ${{{x}:={value}}} in *) ;; esac", f'"${x}"'),
        lambda: Spelling(f"v0=$(: ${{{x}:=no}}); {x}=${{{x}:-{value}}}", f'"${x}"'),
    )


def _chosen(s: Speller, text: str) -> Spelling:
    """Which of several branches sets it."""
    x, value, j = s.name(), s.quoted(text), s.junk()
    return s.one_of(
        lambda: Spelling(f"{x}={value}; false && {x}={j} || true", f'"${x}"'),
        lambda: Spelling(f"{x}={j}; [ a = a ] && {x}={value}", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; if [ a = b ]; then {x}={j}; fi", f'"${x}"'),
        lambda: Spelling(f"for {x} in {value}; do break; done", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; for q in; do {x}={j}; done", f'"${x}"'),
        lambda: Spelling(f"f() {{ {x}={value}; return; {x}={j}; }}; f", f'"${x}"'),
        lambda: Spelling(f"case {j} in Q*|Z*|J*) {x}={value};; *) {x}={j};; esac", f'"${x}"'),
        lambda: Spelling(f"case b in b) {x}={j};& c) {x}={value};; esac", f'"${x}"'),
        lambda: Spelling(f"{x}={value}; {{ {x}={j}; }} & wait", f'"${x}"'),
        lambda: Spelling(f"set -- {value}; false && set -- {j}", '"$1"'),
        lambda: Spelling(f"{x}=({value}); false && {x}=({j} {j})", f'"${{{x}[@]}}"'),
        lambda: Spelling(f"f() {{ echo {value}; }}; false && f() {{ echo {j}; }}", '"$(f)"'),
        lambda: Spelling(f"readonly {x}={value}; ( {x}={j} )", f'"${x}"'),
        lambda: Spelling("", f'"$(true || echo {j})$(echo {value})"'),
        lambda: Spelling("", f'"$(false && echo {j}; echo {value})"'),
        lambda: Spelling("", f'"$(echo {value}; exit; echo {j})"'),
        lambda: Spelling(f"echo {value} > t0; false && echo {j} > t0", '"$(< t0)"'),
    )


def _descriptors(s: Speller, text: str) -> Spelling:
    """Text that comes in by other descriptors."""
    x, value = s.name(), s.quoted(text)
    return s.one_of(
        lambda: Spelling(f"exec 7<<< {value}; read -r {x} <&7", f'"${x}"'),
        lambda: Spelling(f"exec 7<<< {value}; read -r -u 7 {x}", f'"${x}"'),
        lambda: Spelling(f"echo {value} > t0; exec 7< t0; read -r {x} <&7", f'"${x}"'),
        lambda: Spelling(f"echo {value} > t0; read -r {x} < t0", f'"${x}"'),
        lambda: Spelling(f"exec {{d0}}<<< {value}; read -r {x} <&$d0", f'"${x}"'),
        lambda: Spelling(f"{{ read -r {x} <&7; }} 7<<< {value}", f'"${x}"'),
        lambda: Spelling(f"{{ echo no; echo {value} >&3; }} 3> t0 > t1", '"$(< t0)"'),
        lambda: Spelling(f"{{ echo {value} >&2; }} 2> t0", '"$(< t0)"'),
        lambda: Spelling("", f'"$(echo {value} 3>&1 >&3)"'),
        lambda: Spelling("", f'"$({{ echo {value} >&3; }} 3>&1)"'),
        lambda: Spelling(f"cat > t0 <<< {value}", '"$(< t0)"'),
        lambda: Spelling(f"echo {value} | tee > t1", '"$(cat < t1)"'),
    )


BUILTIN_PIECES: dict[str, Way] = {
    "getopts": _getopts,
    "select": _select,
    "names": _named,
    "sums": _sums,
    "assigning": _assigning,
    "chosen": _chosen,
    "descriptors": _descriptors,
}
