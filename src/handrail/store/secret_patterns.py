"""What a secret looks like: tokens by shape, names that announce one, values that hold none."""

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

# Before a token stands no letter or digit, unless they are the end of an escape or a colour code.
_ALONE = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbfv0])|(?<=%[0-9A-Fa-f]{2})|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=\\u[0-9A-Fa-f]{4})|(?<=[\[;]\dm)|(?<=[\[;]\d\dm))"
)
_ENDS = r"(?![A-Za-z0-9_-])"

# kind, how it starts (several, by space), what follows, and whether it must stand alone.
# Minimum lengths are below the real ones: half a token in a shortened output is still a leak.
_SHAPES: tuple[tuple[str, str, str, bool], ...] = (
    ("GitHub token", "ghp_ gho_ ghs_ ghu_ ghr_", r"[A-Za-z0-9]{16,}+", False),
    ("GitHub token", "github_pat_", r"\w{16,}+", False),
    (
        "GitLab token",
        "glpat- gldt- glrt- glptt- glcbt- glft- glimt- glsoat- glagent- gloas- GR1348941",
        r"[\w.-]{14,}+",
        False,
    ),
    ("Slack token", "xox", r"[a-z](?:\.xox[a-z])?-[\w-]{10,}+", False),
    ("Slack token", "xapp-", r"\d-[\w-]{10,}+", False),
    ("AWS key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])", True),
    ("AWS key", "ABSK", r"[A-Za-z0-9+/]{90,}+=*", True),
    ("AWS key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{16,}+", False),
    ("AWS key", "X-Amz-Signature= x-amz-signature=", r"(?P<secret>[0-9a-f]{32,}+)", False),
    ("AWS key", "X-Amz-Security-Token=", r"(?P<secret>[\w%+/=-]{20,}+)", False),
    ("Google key", "AIza", rf"[\w-]{{35}}{_ENDS}", True),
    ("Google token", "ya29.", r"[\w.-]{20,}+", True),
    ("Google token", "GOCSPX-", r"[\w-]{20,}+", False),
    ("Google token", "1//0", r"[\w-]{30,}+", True),
    ("Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[A-Za-z0-9]{10,}+", False),
    ("Stripe key", "whsec_", r"[A-Za-z0-9+/]{20,}+", False),
    ("Anthropic key", "sk-ant-", r"[\w-]{12,}+", False),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{12,}+", False),
    ("OpenAI key", "sk-", r"(?:[a-z]{2,4}-(?:v\d-)?)?[A-Za-z0-9]{20,}+", True),
    ("npm token", "npm_", r"[A-Za-z0-9]{30,}+", True),
    ("PyPI token", "pypi-", r"(?:Ag[\w-]{16,}+|[\w-]{50,}+)", False),
    ("Hugging Face token", "hf_ api_org_", r"[A-Za-z0-9]{30,}+", True),
    ("Docker token", "dckr_pat_ dckr_oat_", r"[\w-]{16,}+", False),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{16,}+", False),
    ("SendGrid key", "SG.", r"[\w-]{16,64}+\.[\w-]{16,}+", True),
    ("Twilio key", "SK", rf"[0-9a-fA-F]{{32}}{_ENDS}", True),
    ("Azure key", "Q~", r"(?<=[\w~.]{3}\dQ~)[\w~.-]{31,34}+", False),
    ("Azure key", "?sig= &sig=", r"(?P<secret>[\w%+/=-]{30,}+)", False),
    ("Shopify token", "shpat_ shpss_ shpca_ shppa_", r"[0-9a-fA-F]{24,}+", False),
    ("Vault token", "hvs. hvb. hvr.", r"[\w-]{24,}+", True),
    ("Databricks token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?{_ENDS}", True),
    ("Pulumi token", "pul-", rf"[0-9a-f]{{40}}{_ENDS}", True),
    ("Atlassian token", "ATATT3 ATCTT3 ATBB", r"[\w=-]{28,}+", True),
    ("Artifactory key", "AKCp", r"[A-Za-z0-9]{60,}+", True),
    ("New Relic key", "NRAK-", r"[A-Z0-9]{20,}+", False),
    ("Square token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{20,}+", False),
    ("Mailgun key", "key-", rf"[0-9a-f]{{32}}{_ENDS}", True),
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{24,}+", True),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{20,}+", False),
    ("Tailscale key", "tskey-", r"[\w-]{16,}+", False),
    ("Supabase key", "sbp_ sb_secret_", r"[\w-]{20,}+", True),
    ("Groq key", "gsk_", r"[A-Za-z0-9]{40,}+", True),
    ("xAI key", "xai-", r"[A-Za-z0-9]{40,}+", True),
    ("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,}+", True),
    ("Replicate token", "r8_", r"[A-Za-z0-9]{30,}+", True),
    ("NVIDIA key", "nvapi-", r"[\w-]{40,}+", True),
    ("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}+", False),
    ("RubyGems key", "rubygems_", r"[0-9a-f]{32,}+", False),
    ("NuGet key", "oy2", rf"[a-z0-9]{{43}}{_ENDS}", True),
    ("Postman key", "PMAK-", r"[0-9a-f]{20,}+-[0-9a-f]{16,}+", False),
    ("Sentry token", "sntrys_ sntryu_", r"[\w+/=-]{30,}+", False),
    ("Grafana token", "glsa_ glc_", r"[\w+/=]{28,}+", True),
    ("Grafana token", "eyJrIjoi", r"[A-Za-z0-9+/]{50,}+=*", True),
    ("Linear key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{24,}+", False),
    ("Figma token", "figd_", r"[\w-]{20,}+", True),
    ("Notion token", "ntn_", r"[A-Za-z0-9]{36,}+", True),
    ("Terraform token", "atlasv1.", r"[\w-]{40,}+", False),
    ("1Password token", "ops_eyJ", r"[\w+/=-]{40,}+", True),
    ("Clojars token", "CLOJARS_", r"[0-9a-z]{40,}+", False),
    ("Alibaba key", "LTAI", rf"[A-Za-z0-9]{{16,26}}{_ENDS}", True),
    ("JWT", "eyJ", r"[\w-]{8,800}+\.eyJ[\w-]{4,}+(?:\.[\w-]*+)?", False),
    ("JWT", "eyJ", r"[\w-]{8,800}+\.[\w-]{8,}+\.[\w-]{8,}+(?:\.[\w-]++)*+", True),
)

# Tokens without a beginning of their own; they are known by what stands around them.
_BARE_SHAPES: tuple[tuple[str, str], ...] = (
    ("Telegram token", r"(?<!\d)\d{6,12}:(?P<secret>A[\w-]{34})(?![\w-])"),
    ("Discord token", r"(?<![\w.-])[MNO][\w-]{23,27}+\.[\w-]{6}\.[\w-]{27,}+"),
    ("webhook", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{20,}+)"),
    ("webhook", r"discord(?:app)?\.com/api/webhooks/\d{10,24}/(?P<secret>[\w-]{20,}+)"),
    ("webhook", r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{20,}+)"),
)


class Shape(NamedTuple):
    """A family of tokens that give themselves away."""

    kind: str
    pattern: re.Pattern[str]
    group: str | int
    """The part that is to be hidden."""


def _new_shape(kind: str, pattern: str) -> Shape:
    compiled = re.compile(pattern, re.ASCII)
    return Shape(kind, compiled, "secret" if compiled.groups else 0)


def _shapes_by_start() -> dict[str, tuple[Shape, ...]]:
    table: dict[str, tuple[Shape, ...]] = {}
    for kind, starts, body, alone in _SHAPES:
        for start in starts.split():
            left = _ALONE if alone else ""
            shape = _new_shape(kind, left + re.escape(start) + body)
            table[start] = (*table.get(start, ()), shape)
    # `sk-ant-…` that is not Anthropic's may still be another `sk-…`.
    return {
        start: tuple(shape for other in table if start.startswith(other) for shape in table[other])
        for start in table
    }


def _one_of(words: Iterable[str]) -> str:
    """A pattern for the longest of these words, letter by letter: far faster than a|b|c."""
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[:1], []).append(word[1:])
    heads = [re.escape(head) + _one_of(tails[head]) for head in sorted(tails) if head]
    if not heads:
        return ""
    return f"(?:{'|'.join(heads)})" + ("?" if "" in tails else "")


SHAPES = _shapes_by_start()
"""Shapes by how they start."""
STARTS = re.compile(_one_of(SHAPES))
BARE_SHAPES = tuple(_new_shape(kind, body) for kind, body in _BARE_SHAPES)
SHORTEST_RUN = 20
"""No shape is without a run of this many letters, digits, - and _."""

NAMED_KINDS = ("password", "token", "secret", "key", "credentials", "authorization", "cookie")
OTHER_KINDS = ("private key", "env value", "known value", "nested too deep", "unreadable")
_KINDS = {
    *NAMED_KINDS,
    *OTHER_KINDS,
    *(row[0] for row in _SHAPES),
    *(row[0] for row in _BARE_SHAPES),
}


def marker(kind: str) -> str:
    """What stands in the place of a secret."""
    return f"[redacted: {kind}]"


MARKER = re.compile(r"\[redacted: (?:" + "|".join(map(re.escape, sorted(_KINDS))) + r")\]")
ALL_MARKERS = "".join(marker(kind) for kind in sorted(_KINDS))


# --- options -----------------------------------------------------------------------------------

# program; then the option up to its value, and what stands between a user and the password.
_OPTIONS: tuple[tuple[str, str, str], ...] = (
    (r"mysql\w*|mariadb[\w-]*|mycli", r"-p(?=\S)", ""),
    (r"sshpass", r"-p ?", ""),
    (r"curl", r"(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)[ =]?", ":"),
    (r"curl", r"(?:-[a-zA-Z]{0,8}b|--cookie)[ =]?", "="),
    (r"https?|xh|wget", r"(?:-a|--auth)[ =]", ":"),
    (r"redis-cli|valkey-cli|keydb-cli", r"(?:-a|--pass) ", ""),
    (r"mongo\w*|twine|lftp|cqlsh|influx|rabbitmqadmin", r"-p[ =]?", ""),
    (r"7z\w?|rar|unrar", r"-p(?=\S)", ""),
    (r"zip|unzip|sqlcmd|bcp", r"-P ?", ""),
    (r"ldap\w+", r"-w ?", ""),
    (r"smbclient|rpcclient|smbget", r"-U ?", "%"),
    (r"ssh-keygen", r"-[NP] ", ""),
    (r"openssl", r"-(?:k|K|pass|passin|passout) (?:pass:)?", ""),
    (r"security", r"-w ", ""),
    (r"htpasswd", r"-\w{0,4}b\w{0,4} \S{1,200} \S{1,100} ", ""),
    (r"gh +(?:secret|variable) +set", r"(?:-b|--body)[ =]", ""),
    (
        r"(?:docker|podman|nerdctl|skopeo|helm|oras|crane|az|oc|argocd|cf)\b[^\n;|&]{0,80}?\blogin",
        r"-p[ =]?",
        "",
    ),
    (r"sudo", r"-S", ""),
)
_PROGRAMS = tuple(dict.fromkeys(row[0] for row in _OPTIONS))
PROGRAM = re.compile(
    r"(?<![\w.-])(?:"
    + "|".join(f"(?P<p{index}>{program})" for index, program in enumerate(_PROGRAMS))
    + r")(?=\s)"
)
OPTIONS = {
    f"p{index}": [(re.compile(rf"\s{row[1]}"), row[2]) for row in _OPTIONS if row[0] == program]
    for index, program in enumerate(_PROGRAMS)
}
"""By the group of PROGRAM: the options of a program that are followed by a password."""


# --- names -------------------------------------------------------------------------------------

NAME_HINTS = tuple(b"pass pwd secret token key cred auth cookie bearer".split())
"""A name that announces a secret holds one of these, in lower case."""

_SAYS = {
    "password": "password passwords passwd passphrase passcode pwd storepass keypass userpass",
    "token": "token jwt bearer",
    "secret": "secret secrets",
    "key": "apikey apikeys secretkey accesskey privatekey authkey accountkey",
    "credentials": "credential credentials creds",
    "authorization": "authorization",
    "cookie": "cookie cookies",
}
_WORDS = {word: kind for kind, words in _SAYS.items() for word in words.split()}
_ENDINGS = tuple("password passwd passphrase token secret apikey secretkey accesskey".split())
_KEY_OWNERS = frozenset(
    "api access private secret auth encryption signing master account shared service deploy "
    "session storage admin client root hmac aes crypt cipher subscription webhook license "
    "integration management ingest write sas".split()
)
_HARMLESS_KEYS = frozenset(
    "public primary foreign cache sort partition hash group dict object lookup index row cell "
    "unique composite natural join registry idempotency routing translation i18n react map json "
    "dedupe dedup ssh host hot short issue event query column table field s3 search".split()
)
_PASS_OWNERS = frozenset(
    "db database user smtp mysql postgres pg root admin mail email ftp ssh login auth redis "
    "rabbitmq basic proxy http https imap ldap sudo vpn wifi mongo my key store".split()
)
_HARMLESS_BEFORE_TOKEN = frozenset(
    "page next continuation eos bos pad unk sep cls mask stop special cancellation cancel prev "
    "previous last current first lookahead peek design max min num per total prompt completion "
    "input output context".split()
)
_HARMLESS_ENDS = frozenset(
    "type types name names url uri urls count counts len length size limit field fields label id "
    "ids path paths file files filename dir folder validator validators validation hint help "
    "prompt error errors message required expires expiry expiration ttl timeout age policy "
    "regex pattern header headers index idx pos position start end min max usage budget class "
    "format provider manager store service endpoint reset form view views hasher hashers input "
    "placeholder version created updated at on arn ref refs stdin env var vars algorithm alg "
    "bits scope scopes status state kind user username login host port email parser py js ts tsx "
    "jsx json yaml yml md txt go rs java rb php html css toml lock cfg ini sh test tests spec "
    "enabled disabled visible strength complexity mode option options param params function fn "
    "callback handler factory generator util utils helper config settings model table column "
    "list set map dict stream bucket cost price rate domain secure httponly samesite changed "
    "verified valid confirmed exists present map prefix suffix source sources".split()
)
_ALONE_WEAK = {"auth": "credentials", "tokens": "token"}
_NEUTRAL = frozenset(
    "value text plain raw prod production live staging dev old new base b64 base64 encoded string "
    "current default main confirm confirmation repeat again hash digest".split()
)
_NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = re.compile(r"[\w.$:@-]{1,80}(?: \w{1,20}){0,2}")


class Name(NamedTuple):
    """What a name announces. A weak name needs a value that looks random as well."""

    kind: str
    weak: bool


@lru_cache(maxsize=8192)
def announces(name: str) -> Name | None:
    """The secret that a variable, key, option or header of this name holds, if any."""
    if not _NAME.fullmatch(name):
        return None
    words = [word.lower() for word in _NAME_WORDS.findall(_last_part(name))]
    while words and words[-1].isdigit():
        words.pop()
    if not words or words[-1] in _HARMLESS_ENDS or "public" in words:
        return None
    if whole := _WORDS.get("".join(words)):
        return Name(whole, weak=False)
    upper = name.isupper()
    for index in range(len(words) - 1, -1, -1):
        found = _word(words, index, upper)
        if found:
            after = words[index + 1 :]
            return found._replace(weak=found.weak or not (upper or _NEUTRAL.issuperset(after)))
    return None


def _last_part(name: str) -> str:
    """Of `db.password` and `user.token.value`, the part that says what it is."""
    parts = [part for part in re.split(r"[.:]", name) if part]
    while len(parts) > 1 and parts[-1].lower() in _NEUTRAL:
        parts.pop()
    return parts[-1] if parts else ""


def _word(words: list[str], index: int, upper: bool) -> Name | None:
    word, before = words[index], words[index - 1] if index else ""
    if word == "key":
        return _key(before)
    if word == "pass" and index == len(words) - 1:
        return Name("password", weak=not (upper or before in _PASS_OWNERS or len(words) == 1))
    kind = _WORDS.get(word) or next((_WORDS[end] for end in _ENDINGS if word.endswith(end)), None)
    if kind == "token" and before in _HARMLESS_BEFORE_TOKEN:
        return None
    if kind:
        return Name(kind, weak=False)
    return Name(_ALONE_WEAK[word], weak=True) if word in _ALONE_WEAK else None


def _key(before: str) -> Name | None:
    if not before or before in _HARMLESS_KEYS:
        return None
    return Name("key", weak=before not in _KEY_OWNERS)


# --- values ------------------------------------------------------------------------------------

_REFERENCE = re.compile(
    r"\$\{\{[^}]{0,200}\}\}|\$\{[^}]{0,200}\}|\$\([^)]{0,400}\)"
    r"|(?<![\w$])\$(?:[A-Z_][A-Z0-9_]{0,80}|[A-Za-z_]{1,80}|\d)(?![\w$])"
    r"|\{\{[^}]{0,200}\}\}|#\{[^}]{0,200}\}|%\(\w{1,80}\)[sdr]|%[A-Z_]{2,80}%|(?<!\w)%[sdrv]\b"
    r"|\{[\w.\[\]()!:'\"]{0,120}\}|<[^<>]{0,120}>|`[^`]{0,200}`|@[A-Z_]{1,80}@"
)
SCHEME = re.compile(
    r"(?i)(?:bearer|basic|token|digest|apikey|api-key|negotiate|oauth|aws4-hmac-sha256|key)[ \t]+"
)
_PLACEHOLDER = re.compile(
    r"(?i)[*.•#_?\- ]*|[x*.•#_?\- ]{3,}"
    r"|[\w-]{0,12}(?:\.{3}|…)"
    r"|(?:your|insert|enter|replace|example|sample|dummy|fake|placeholder|redacted|hidden|masked)"
    r"(?:[-_ ][a-z_\- ]{0,60})?"
    r"|change[-_ ]?(?:me|this|it)!?|to[-_ ]?do|tbd|fixme|foo|bar|baz|test|testing|n/a"
    r"|\[(?:redacted|hidden|masked|filtered|secret|removed|secure)\]"
    r"|none|null|nil|undefined|nan|true|false|yes|no|on|off|void|self|this|super"
    r"|required|optional|enabled|disabled|default|empty|missing|invalid|expired|unset|unknown"
    r"|str|string|strings|text|int|integer|number|float|bool|boolean|bytes|any|object|never|char"
    r"|varchar|uuid|secretstr|type|read|write|env|file|stdin|prompt|latest|next|workspace:.{0,40}"
    r"|include|omit|same-origin|#[0-9a-f]{3,8}(?: [a-z]{1,12})*"
)
_TEMPLATE_REST = re.compile(r"[A-Za-z_.:/ -]{0,40}")
_VERSION = re.compile(
    r"[\^~]\d{1,4}(?:\.(?:\d{1,5}|x|\*)){0,3}(?:[-+][\w.]{1,40})?"
    r"|v?\d{1,4}(?:\.(?:\d{1,5}|x|\*)){2,3}(?:[-+][\w.]{1,40})?"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s@]*", re.ASCII)
_PATH = re.compile(
    r"(?:\.{1,2}|~|[A-Za-z]:|@)?[/\\][\w./\\ ~@+=${}-]*"
    r"|@?[\w./-]{1,200}\.(?:json|txt|pem|key|crt|ya?ml|env|pub|toml|py|[jt]sx?|conf|cfg|ini"
    r"|db|p12|pfx|jks|md|html|sh|go|rb|php|log|xml)"
)
_ROOT = re.compile(r"[a-z0-9_.-]*\Z|Users|Library|Applications|Volumes|System|Program")
_AWS_SECRET = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9/+]{36,44}")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOKEN = re.compile(r"[^\s()\[\]{}\\^<>\"'`]+")
_LONGEST_PLAIN = 1000


def is_placeholder(value: str) -> bool:
    """Whether a value is empty, stands for another one, or only says where to get it."""
    value = value.strip()
    if value.startswith("[redacted"):
        return True
    if len(value) > _LONGEST_PLAIN:
        return False
    rest = value
    if any(sign in value for sign in "$%{<@`#"):
        rest = _REFERENCE.sub("", value)
        if rest != value and _TEMPLATE_REST.fullmatch(rest):
            return True
    scheme = SCHEME.match(rest)
    rest = rest[scheme.end() if scheme else 0 :].strip(" \t'\"=:;,/")
    return bool(_PLACEHOLDER.fullmatch(value) or _PLACEHOLDER.fullmatch(rest))


def holds_nothing(value: str) -> bool:
    """Whether a value beside a secret's name is none: a placeholder, a version, a place."""
    value = value.strip()
    if is_placeholder(value):
        return True
    if len(value) > _LONGEST_PLAIN:
        return False
    return bool(_VERSION.fullmatch(value) or _URL.fullmatch(value)) or is_path(value)


def is_path(value: str) -> bool:
    """Whether this names a file rather than being a secret with slashes in it."""
    if not _PATH.fullmatch(value) or _AWS_SECRET.fullmatch(value):
        return False
    parts = re.split(r"[/\\]", value)
    if not all(map(_is_wordy, parts)):
        return False
    return value[0] in ".~@" or "." in parts[-1] or (len(parts) > 2 and bool(_ROOT.match(parts[1])))


def _is_wordy(part: str) -> bool:
    """Whether a name falls into words, as `camelCase2` does and `tQ9xZ1bV` does not."""
    return len(part) < 8 or len(part) > 2.5 * len(_NAME_WORDS.findall(part))


def looks_random(value: str) -> bool:
    """Whether nobody would write this by hand: long, with cases and digits in disorder."""
    if not 16 <= len(value) <= _LONGEST_PLAIN or UUID.fullmatch(value):
        return False
    if not _TOKEN.fullmatch(value):
        return False
    longest = max(re.split(r"[-_./:]", value), key=len)
    # Words of camelCase are longer than the pieces into which disorder falls.
    piece = 3.5 if any(char.isdigit() for char in longest) else 2.5
    return len(longest) >= 12 and len(longest) <= piece * len(_NAME_WORDS.findall(longest))


# --- a value in its place ----------------------------------------------------------------------

_HEADER_NAME = re.compile(r"(?:[Xx]-[A-Za-z-]+|[A-Z][a-z]++(?:-[A-Z][a-z]++)++)")
_COOKIE = re.compile(r"[\w.-]+=([^\s;=,]+)")
_CODE = re.compile(r"[!&*~]?[A-Za-z_$][\w$]*+(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*+)*+[.?!\\]?")
_PLAIN_WORDS = re.compile(r"[A-Z][A-Z_]*|[-_]?[a-z]++(?:[-_][a-z]++)++")
TOLD = re.compile(r"(?:\b(?:set|ENV|setenv)\s{1,8}\S{0,80}|\blogin\s{1,8}\S{1,80}\s{1,8})\Z")
"""Before a name: what makes the next word its value."""
_SECTION = re.compile(r"^\[[\w ./:\"-]+\]\s*$", re.MULTILINE)
_STOP_WORDS = frozenset(
    "to is are was the a an and or for with from in on as if of by at it that this which flag "
    "option options argument value values parameter via can may must should will when instead not "
    "be but has have does do you your using use used based auth authentication".split()
)


class Place(NamedTuple):
    """A name that announces a secret, and where its value begins."""

    label: str
    name: Name
    start: int
    how: str
    sign: str
    value: int
    closed: bool
    """The name itself stands in quotes or brackets."""
    tight: bool
    """Nothing stands between the name, an equals sign and the value."""


class Value(NamedTuple):
    """Where a value stands in a text, and in which quotes."""

    start: int
    end: int
    quote: str


def is_secret(text: str, place: Place, value: Value) -> bool:
    """Whether the value beside a secret's name is a secret, or code and prose about one."""
    inner = text[value.start : min(value.end, value.start + 300)]
    if holds_nothing(inner) or inner.lower() == place.label.lower():
        return False
    if place.name.weak:
        return looks_random(inner) or (place.name.kind == "credentials" and _is_login(inner))
    if place.name.kind == "cookie":
        return looks_random(inner) or not all(map(is_placeholder, _COOKIE.findall(inner)))
    if place.name.kind == "authorization" and value.start > place.value and not value.quote:
        return announces(inner) is None
    if text.startswith("[", place.value) and place.name.kind != "password":
        return looks_random(inner)
    if place.how in {"same", "call"}:
        return _is_quoted_password(text, place, value, inner) or looks_random(inner)
    if place.how == "gap":
        return _is_spoken_secret(text, place, value, inner)
    if value.quote:
        return _is_quoted_secret(place, value, inner)
    return _is_bare_secret(text, place, value, inner)


def _is_login(value: str) -> bool:
    """Whether this is `user:password` in base64."""
    try:
        login = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return b":" in login and login.isascii() and login.decode().isprintable()


def _is_prose(value: str) -> bool:
    value = value.strip()
    if any(char.isdigit() for char in value):
        return False
    if " " not in value:
        return value.endswith(":") and value[:-1].isalpha()
    return value[0].isupper() or value[-1] in ".:!?…" or any(map(announces, value.split()))


def _is_quoted_password(text: str, place: Place, value: Value, inner: str) -> bool:
    """A literal that is compared with a password or given to a function of that name."""
    if not value.quote or place.name.kind != "password" or _is_prose(inner):
        return False
    if not place.sign.startswith(","):
        return True
    return place.label.isupper() and text[max(0, place.start - 2) : place.start - 1] == "("


def _is_quoted_secret(place: Place, value: Value, inner: str) -> bool:
    if value.quote == "|":
        return True
    if _is_prose(inner) or inner.lower() in ("password", "passwd", "secret", "token"):
        return False
    if place.name.kind == "password" or (place.label.isupper() and place.sign == "="):
        return True
    if len(inner) < 6 or not any(char.isalnum() for char in inner):
        return False
    in_code = not (place.closed or place.how == "typed" or place.label.startswith("-"))
    if place.name.kind == "token" and in_code and not _is_token(inner):
        return False
    if " " in inner and place.name.kind != "secret" and not any(map(str.isdigit, inner)):
        return False
    return announces(inner) is None


def _is_token(inner: str) -> bool:
    """Not a word or a regular expression, as the code of parsers calls them tokens."""
    return not _PLAIN_WORDS.fullmatch(inner) and _TOKEN.fullmatch(inner) is not None


def _is_spoken_secret(text: str, place: Place, value: Value, inner: str) -> bool:
    """A word after a name and a blank: an option's value, or part of a sentence."""
    if value.quote and not place.label.startswith("-"):
        named = place.name.kind == "password" and place.label.lower() != "pass"
        return named and value.quote != "`" and not place.closed and not _is_prose(inner)
    if place.label.startswith("-"):
        if (inner.startswith("-") and not value.quote) or inner.lower() in _STOP_WORDS:
            return False
        return not (announces(inner) and inner.isupper())
    if TOLD.search(text, max(0, place.start - 100), place.start):
        return inner.lower() not in _STOP_WORDS
    if looks_random(inner):
        return True
    return (
        place.name.kind == "password"
        and len(inner) >= 8
        and any(char.isdigit() for char in inner)
        and sum(char.isalpha() for char in inner) >= 3
        and re.fullmatch(r"[A-Za-z]+[-_.]?\d{1,3}[a-z]{0,4}|[\w.-]+\.[a-z]{1,5}\W?", inner) is None
    )


def _is_bare_secret(text: str, place: Place, value: Value, inner: str) -> bool:
    following = text[value.end : value.end + 1]
    if text[place.start - 1 : place.start] == "{" and following == "}":
        return False
    kind, _, default = inner.partition("=")
    if place.sign == ":" and default and _CODE.fullmatch(kind) and is_placeholder(default):
        return False
    if not _CODE.fullmatch(inner):
        if inner.isdigit():
            return len(inner) >= (4 if place.name.kind == "password" else 12)
        if place.name.kind == "token" and not _TOKEN.fullmatch(inner):
            return False
        return len(inner) >= 4 and any(char.isalnum() for char in inner)
    if following and following in "([{<" and _is_code_tail(text, value.end):
        return False
    if place.tight and place.label.isupper():
        return inner.lower() not in {"password", "secret", "token"}
    if announces(inner) or any(sign in inner[:-1] for sign in (".", "::", "->")):
        return False
    if looks_random(inner) or (any(map(str.isdigit, inner)) and len(inner) >= 6):
        return True
    if place.how == "pair":
        return len(inner) >= 4
    if place.sign != ":":
        return _is_assigned_word(text, place, inner, following)
    return _is_yaml_word(text, place, value, inner)


def _is_code_tail(text: str, at: int) -> bool:
    """Whether a bracket here opens a call or an index, not the middle of a password."""
    line = text[at : at + 200].split("\n", 1)[0]
    return not line.strip("([{< \t\r") or any(sign in line for sign in ")]}>")


def _is_assigned_word(text: str, place: Place, inner: str, following: str) -> bool:
    if not place.tight:
        return _SECTION.search(text, max(0, place.start - 4000), place.start) is not None
    if following and following in ",).":
        return False
    line = text.rfind("\n", max(0, place.start - 200), place.start)
    if line > 0 and text[line - 1] in ",(":
        return False
    return len(inner) >= (6 if following == ";" else 4)


def _is_yaml_word(text: str, place: Place, value: Value, inner: str) -> bool:
    """A single plain word after a colon: a secret in a header, or alone on its line."""
    if _HEADER_NAME.fullmatch(place.label):
        return True
    if text[value.end : value.end + 1] not in ("", "\n", "\r"):
        return False
    line = text.rfind("\n", max(0, place.start - 200), place.start) + 1
    if text[line : place.start].strip(" \t-+\"'"):
        return False
    if place.label.isupper() or not _is_wordy(inner):
        return True
    return len(inner) >= 4 and not inner[0].isupper()
