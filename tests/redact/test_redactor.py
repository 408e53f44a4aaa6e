"""Nothing secret is left in what is written, and what is no secret can still be read."""

import re
import string
from collections.abc import Callable, Iterator
from importlib import import_module

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from handrail.redact import (
    Redactor,
    dotenv,
    env_values,
    finders,
    named_values,
    patterns,
    redact_env,
    redactor,
    secret_names,
    spans,
    suspects,
)

pytestmark = pytest.mark.slow

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"

# How a token starts, what it is made of, and its length. The starts are put together here, so
# that no scanner takes this file for a leak.
FAMILIES: dict[str, tuple[str, str, int, int]] = {
    "GitHub": ("ghp" + "_", ALNUM, 36, 36),
    "GitHub app": ("ghs" + "_", ALNUM, 36, 36),
    "GitHub OAuth": ("gho" + "_", ALNUM, 36, 36),
    "GitHub fine-grained": ("github" + "_pat_", ALNUM + "_", 82, 82),
    "GitLab": ("glp" + "at-", URLSAFE, 20, 20),
    "Slack": ("xo" + "xb-", string.digits + "-", 40, 60),
    "Slack user": ("xo" + "xp-", HEX + "-", 40, 60),
    "AWS id": ("AK" + "IA", string.ascii_uppercase + "234567", 16, 16),
    "AWS temporary id": ("AS" + "IA", string.ascii_uppercase + "234567", 16, 16),
    "Google": ("AI" + "za", URLSAFE, 35, 35),
    "Stripe": ("sk" + "_live_", ALNUM, 24, 99),
    "Stripe restricted": ("rk" + "_live_", ALNUM, 24, 99),
    "OpenAI": ("sk" + "-", ALNUM, 48, 48),
    "OpenAI project": ("sk" + "-proj-", URLSAFE, 60, 160),
    "Anthropic": ("sk" + "-ant-api03-", URLSAFE, 93, 95),
    "npm": ("np" + "m_", ALNUM, 36, 36),
    "PyPI": ("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 60, 160),
    "Hugging Face": ("hf" + "_", ALNUM, 34, 34),
    "Docker": ("dckr" + "_pat_", URLSAFE, 27, 27),
    "DigitalOcean": ("dop" + "_v1_", HEX, 64, 64),
    "Twilio": ("S" + "K", HEX, 32, 32),
}


def _some(alphabet: str, low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high)


def _family(name: str) -> st.SearchStrategy[str]:
    start, alphabet, low, high = FAMILIES[name]
    last = st.sampled_from([char for char in alphabet if char.isalnum() and not char.islower()])
    return st.builds("{}{}{}".format, st.just(start), _some(alphabet, low - 1, high - 1), last)


_JWT = st.tuples(_some(URLSAFE, 17, 60), _some(URLSAFE, 17, 90), _some(URLSAFE, 20, 86)).map(
    lambda parts: f"ey{'J'}{parts[0]}.ey{'J'}{parts[1]}.{parts[2]}"
)
_SENDGRID = st.tuples(_some(URLSAFE, 22, 22), _some(URLSAFE, 43, 43)).map(
    lambda parts: f"S{'G'}.{parts[0]}.{parts[1]}"
)
_TELEGRAM = st.tuples(_some("123456789", 8, 10), _some(URLSAFE, 34, 34)).map(":A".join)
TOKENS = st.one_of([*map(_family, FAMILIES), _JWT, _SENDGRID])

# What may stand on both sides: quotes, escapes of JSON, URLs and terminals, shell and code.
BEFORE = st.sampled_from(
    ' |\n|"|\'|\\"|\\n|\\t|=|: |%20|%3D|?key=|(|`|{|https://x/|https://|\x1b[31m|\\u0022|\x00|'
    "Bearer |,|+|–|$(a ".split("|")
)
AFTER = st.sampled_from(
    ' ~\n~"~\'~\\"~\\n~&a=b~;~)~`~@host/path~%22~,~}~…~\x1b[0m~\ud800~\x00~ # x~|cat'.split("~")
)
TEXTS = st.text(st.characters() | st.sampled_from("\"'\\=: \n-_/@.{}[]token"), max_size=60)
S = "S3CR3T"


@pytest.fixture
def clean() -> Callable[[str], str]:
    return Redactor().text


# --- tokens ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_a_token_is_known_by_its_shape(name: str, clean: Callable[[str], str]) -> None:
    start, alphabet, _, high = FAMILIES[name]
    body = (alphabet * 9)[:high]
    assert body not in clean(f"first\\n{start}{body}\\nlast")
    assert clean(f"see {start}{body}, done").startswith("see [redacted: ")
    assert clean(f"see {start}{body}, done").endswith("], done")


@given(TEXTS, BEFORE, TOKENS, AFTER, TEXTS)
def test_no_token_survives_whatever_stands_around_it(
    left: str, before: str, token: str, after: str, right: str
) -> None:
    assert token not in Redactor().text(left + before + token + after + right)


@given(TEXTS, st.sampled_from([" ", '"', "/bot", "=", "\n"]), _TELEGRAM, AFTER)
def test_no_telegram_token_survives(left: str, before: str, token: str, after: str) -> None:
    assert token not in Redactor().text(left + before + token + after)


def test_half_a_token_in_a_shortened_output_is_still_hidden(clean: Callable[[str], str]) -> None:
    assert "a1B2" not in clean("GH: ghp" + "_" + "a1B2" * 5)


# --- secrets beside a name ---------------------------------------------------------------------

BESIDE_A_NAME = rf"""
curl -H "Authorization: Bearer {S}abc" https://x
curl -H 'Authorization: token {S}abc' https://x
Authorization: Basic {S}VjcmV0
"Authorization": "Bearer {S}abc",
Proxy-Authorization: Digest {S}
curl -u bob:{S} https://x
curl -sSu 'bob:{S}' https://x -u "eve:{S}"
curl -b 'sid={S}; a=b' https://x
curl --user "bob:{S}" https://x
mysql -h db -uroot -p{S} shop
mysqldump --password={S} shop
mysql --password {S} shop
PGPASSWORD={S} psql -h db
PGPASSWORD='{S}' psql -h db
export FOO_TOKEN={S}
export FOO_TOKEN="{S}"; ls
FOO_SECRET: {S}
  password: "{S}"
{{"user": "a", "password": "{S}"}}
{{\"user\": \"a\", \"password\": \"{S}\"}}
sshpass -p {S} ssh host
sshpass -p'{S}' ssh host
docker login -u bob -p {S} registry.example
az login --service-principal -u app -p {S}
Cookie: session={S}; theme=dark
Set-Cookie: sid={S}; Path=/; HttpOnly
curl -H "Cookie: a={S}; b=c" https://x
password = '{S}'
password = 'x {S}'
self.password = "{S}"
const apiKey = "{S}";
let token: string = "{S}";
token: str = "{S}x"
password := "{S}"
'password' => '{S}',
os.environ["API_TOKEN"] = "{S}"
define('DB_PASSWORD', '{S}');
#define PASSWORD "{S}"
user.set_password("{S}")
requests.get(url, auth=("bob", "{S}"))
if password == "{S}":
passwords = ["{S}1", "{S}2"]
postgres://bob:{S}@db.example:5432/shop
DATABASE_URL=postgres://bob:{S}@db/shop
redis://:{S}@cache:6379
https://x-access-token:{S}@github.com/a/b.git
mongodb+srv://bob:p%40{S}@cluster.example/db
amqp://bob:a/{S}@mq
postgres://bob:a@{S}@db/shop
AccountName=x;AccountKey={S}abcdefghijklmnop==;EndpointSuffix=core.windows.net
Server=x;Database=y;User Id=z;Password={S};
Server=x;Uid=y;Pwd={S};
aws_secret_access_key = {S}abcdefghijklmnopqrstuvwxyz12345678
AWS_SECRET_ACCESS_KEY={S}/bcdefghijklmnopqrstuvwxyz12345678
aws configure set aws_secret_access_key {S}abcdefghijklmnopqrstuvwxyz12345678
https://x.blob.example/c?sv=1&sig={S}abcdefghijklmnopqrstuvwxyz12345678%3D
machine git.example login bob password {S}
//registry.example/:_authToken={S}
<password>{S}</password>
<add key="ApiKey" value="{S}abc"/>
kubectl create secret generic db --from-literal=password={S}
vault kv put secret/x password={S}
https://x.example/?access_token={S}&page=1
CREATE USER bob WITH PASSWORD '{S}';
CREATE USER bob IDENTIFIED BY '{S}';
db.password={S}
echo {S} | docker login --password-stdin
echo '{S}' | sudo -S ls
echo 'bob:{S}' | chpasswd
redis-cli -h x -a {S} ping
openssl rsa -passin pass:{S} -in key
gpg --passphrase {S} -d file
gh secret set NAME --body {S}
X-Api-Key: {S}
client --api-key {S} --token={S}
STRIPE_KEY={S}a8b7c6d5e4f3
DB_PASSWORD={S}(abc;d&e
my password is {S}99x
declare -x TOKEN="{S}"
ENV API_TOKEN {S}
echo "FOO={S}" >> .env
""".strip().splitlines()


@pytest.mark.parametrize("text", BESIDE_A_NAME)
def test_what_stands_beside_a_secret_name_is_hidden(text: str, clean: Callable[[str], str]) -> None:
    assert S not in clean(text)


@pytest.mark.parametrize(
    "text",
    [
        f"env:\n  - name: DB_PASSWORD\n    value: {S}\n",
        f"secret: |\n  {S}\n  {S}2\nother: x",
        f"HOME=/home/dev\nDB_PASSWORD={S} with {S} blanks\nLANG=C\n",
        f"cat > .env <<EOF\nFOO={S}\nBAR='{S}'\nEOF",
        f"curl -X POST \\\n  -u bob:{S} \\\n  https://x",
        f"*** Begin Patch\n*** Add File: app/.env\n+FOO={S}\n*** End Patch",
    ],
    ids=["kubernetes", "yaml block", "printenv", "here-document", "long command", "patch"],
)
def test_secrets_that_only_several_lines_show(text: str, clean: Callable[[str], str]) -> None:
    assert S not in clean(text)


def test_a_plain_word_is_a_password_in_an_ini_file_but_a_variable_in_code(
    clean: Callable[[str], str],
) -> None:
    assert "horse" not in clean("[client]\nuser = root\npassword = correcthorse\n")
    assert "horse" in clean("def f():\n    password = correcthorse\n")


def test_the_rest_of_a_command_stays(clean: Callable[[str], str]) -> None:
    assert clean(f"PGPASSWORD={S} psql -h db; rm -rf x") == (
        "PGPASSWORD=[redacted: password] psql -h db; rm -rf x"
    )
    assert clean(f"git clone https://bob:{S}@git.example/a.git -b main") == (
        "git clone https://bob:[redacted: password]@git.example/a.git -b main"
    )
    assert clean(f"curl -u bob:{S} -H 'Accept: x' https://x") == (
        "curl -u bob:[redacted: password] -H 'Accept: x' https://x"
    )
    assert clean(f"curl -H 'Authorization: Bearer {S}abc' https://x") == (
        "curl -H 'Authorization: Bearer [redacted: authorization]' https://x"
    )


@pytest.mark.parametrize("form", ["PASSWORD='{}'", "password={}", "Cookie: a={}", "secret: '{}'"])
def test_a_long_secret_is_hidden_to_its_end(form: str, clean: Callable[[str], str]) -> None:
    text = clean(form.format("a1B2" * 5000 + "ZZtheEndZZ"))
    assert "theEnd" not in text


# --- private keys ------------------------------------------------------------------------------

BODY = (
    "MIIEowIBAAKCAQEA7bqsh0Zk3f8GZb2vQ1yT5uWmXcNdLrPeKjHgFsAiOzVxBnM0",
    "Yk3f8GZb2vQ1yT5uWmXcNdLrPeKjHgFsAiOzVxBnM0MIIEowIBAAKCAQEA7bqsh0",
    "Zk3f8GZb2vQ==",
)


def _pem(newline: str, prefix: str = "") -> str:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"]
    return newline.join(prefix + line for line in lines)


@pytest.mark.parametrize(
    "key",
    [
        _pem("\n"),
        _pem("\r\n"),
        _pem("\\n"),
        _pem("\\\\n"),
        _pem("\n", "+"),
        _pem("\n", "> "),
        _pem("\n", "   12\t"),
        _pem("\n", "    12→"),
        _pem("\n", "id_rsa:3:"),
        _pem("\n").replace("Yk3f8GZb2v", "… 900 characters left out …\n"),
        _pem("\n").split("\n-----END")[0],
        _pem("\n").split("8GZb2vQ==")[0],
        _pem("\\n").split("-----END")[0],
        _pem("\n").split("PRIVATE KEY-----\n", 1)[1],
        _pem("\n", "+").split("PRIVATE KEY-----\n", 1)[1],
    ],
)
def test_a_private_key_is_hidden_also_when_cut_or_escaped(
    key: str, clean: Callable[[str], str]
) -> None:
    text = clean(f"before it: \n{key}\nafter: it")
    assert text.startswith("before it: \n")
    assert text.endswith("after: it")
    assert not any(line[:4] in text for line in BODY)


def test_a_service_account_keeps_what_is_not_its_key(clean: Callable[[str], str]) -> None:
    key = _pem("\\n")
    text = clean(f'{{"type": "service", "private_key": "{key}\\n", "client_email": "a@b.example"}}')
    assert BODY[0] not in text
    assert '"client_email": "a@b.example"' in text


# --- what must stay readable -------------------------------------------------------------------

READABLE = r"""
password = get_password()
password = getpass.getpass("Password: ")
os.environ["TOKEN"]
token = os.environ["TOKEN"]
token = os.environ.get("TOKEN", "")
token: str
token: str | None = None
def login(token: str, password: Optional[str] = None) -> None:
curl -H "Authorization: Bearer $TOKEN" https://x
curl -H "Authorization: Bearer ${TOKEN}" https://x
curl -u "$USER:$PASS" https://x
mysql -u root -p$MYSQL_PW shop
mysql -u root -p shop
mkdir -p a/b/c
docker run -p 8080:80 -u 1000:1000 nginx
ssh -p 2222 host
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
id-token: write
password: <your-password>
API_KEY=xxxx
PASSWORD=changeme
api_key = "your-api-key-here"
commit 3f786850e387550fdab836ed7e6dc881de23001b
"integrity": "sha512-ZUQqfqGVQOlNdqKkVhVFBYDsTxQFzjMo2HLSZ0MXvpgPkYQp9d4bWGJFzXnUOxE8EWL3Pb0==",
toolu_01A09q90qw90lq917835lq9
session_id: 26f8b5a4-fb4e-4059-8009-1dd76b9d5b55
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9
max_tokens=4096
"max_tokens": 1024, "input_tokens": 3
token = next(tokens)
if token == "(":
token.type = "NAME"
eos_token = "</s>"
self._password = password
login(user=user, password=pw)
return {"token": token, "password": password}
const token = req.headers.authorization;
interface X { token: string; password?: string }
token->type = 3;
key=lambda x: x[1]
primary_key=True
cache_key = "user-profile"
"cookie": "^0.4.1",
"js-tokens": "^4.0.0",
cookies = {}
secretName: my-app
<input type="password" name="password" placeholder="Password">
the password is wrong
password: "Enter your password"
--token TOKEN   the token to use
use --password to set it
PWD=/home/dev/project
SSH_AUTH_SOCK=/tmp/ssh-x/agent.1
author = "John Smith"
grep -rn "password" src/
rg "token=" src
token_url = "https://x/oauth/token"
http://localhost:3000/a@b
git@github.com:org/repo.git
ssh://git@github.com:22/org/repo
npm install @scope/pkg@1.2.3
class PasswordResetTokenGenerator:
secret = settings.SECRET_KEY
SECRET_KEY = os.getenv("SECRET_KEY")
"password": null, "token": false
PASSWORD_HASHERS = ['django.contrib.auth.hashers.MD5PasswordHasher']
-----BEGIN PUBLIC KEY-----
if "-----BEGIN PRIVATE KEY-----" in text:
if x: pass
passed: 12, failed: 3
task-abcdefghijklmnopqrstuvwxyz
risk-0123456789012345678901234
/home/dev/.claude/projects/-home-dev-project/26f8b5a4-fb4e-4059-8009-1dd76b9d5b55.jsonl
SyntaxError: Unexpected token < in JSON
bash: syntax error near unexpected token `;&'
credentials: 'include'
GOOGLE_APPLICATION_CREDENTIALS=/path/key.json
TOKEN=$(cat token.txt)
TOKEN="$(gh auth token)"
kubectl get secret db -o jsonpath='{.data.password}'
f"token={token}"
`token=${token}`
headers["Authorization"] = "Bearer " + token
Authorization: Bearer <token>
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7
source .env
SELECT "auth_user"."password", "auth_user"."last_login"
function a(t,e){var token=t;return e.token=token,{key:e}}
""".strip().splitlines()


@pytest.mark.parametrize("text", READABLE)
def test_text_about_secrets_that_holds_none_stays(text: str, clean: Callable[[str], str]) -> None:
    assert clean(text) == text


# --- structures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    "password PASSWD Pass-Word db_password apiKey api-key API_KEY accessToken token client_secret "
    "authorization private_key secretAccessKey credentials cookie Set-Cookie".split(),
)
def test_a_value_under_a_secret_key_is_hidden_whatever_it_is(key: str) -> None:
    assert "plain" not in str(Redactor().value({"a": [{key: "plain"}]}))


@pytest.mark.parametrize(
    "key", "max_tokens token_type tokenizer author keyboard path key id".split()
)
def test_a_value_under_another_key_stays(key: str) -> None:
    assert Redactor().value({key: "plain"}) == {key: "plain"}


def test_everything_below_a_secret_key_is_hidden() -> None:
    value = Redactor().value({"credentials": {"user": ["bob"], "x": {"y": "z1"}, "type": "svc"}})
    hidden = "[redacted: credentials]"
    assert value == {"credentials": {"user": [hidden], "x": {"y": hidden}, "type": "svc"}}


def test_numbers_stay_but_not_as_passwords() -> None:
    value = {"max_tokens": 4096, "token": 7, "password": 1234, "secret": None, "has_password": True}
    assert Redactor().value(value) == value | {"password": "[redacted: password]"}


def test_references_under_a_secret_key_stay() -> None:
    value = {"password": "${DB_PASSWORD}", "Authorization": "Bearer $TOKEN", "token": ""}
    assert Redactor().value(value) == value


def test_a_name_beside_a_value_counts_as_its_key() -> None:
    port = {"name": "PORT", "value": "8"}
    assert Redactor().value([{"name": "DB_PASSWORD", "value": "abc"}, port]) == [
        {"name": "DB_PASSWORD", "value": "[redacted: password]"},
        port,
    ]


def test_keys_are_cleaned_and_none_is_lost() -> None:
    first, second = "ghp" + "_" + "a" * 36, "ghp" + "_" + "b" * 36
    value = Redactor().value({first: 1, second: 2})
    assert isinstance(value, dict)
    assert sorted(value.values()) == [1, 2]
    assert first not in str(value)
    assert second not in str(value)


def test_an_option_and_its_value_may_be_two_words_of_a_list() -> None:
    hidden = "[redacted: password]"
    assert Redactor().value(["mysql", "-p" + S]) == ["mysql", "-p" + hidden]
    assert Redactor().value(("run", "--password", S)) == ("run", "--password", hidden)
    assert Redactor().value(["curl", "-u", f"bob:{S}"]) == ["curl", "-u", "bob:" + hidden]


def test_a_private_key_may_be_a_list_of_lines() -> None:
    value = Redactor().value({"lines": _pem("\n", "+").split("\n")})
    assert not any(line in str(value) for line in BODY)


def test_what_has_no_secret_comes_back_as_it_is() -> None:
    value = {"a": ["b", 1, None, {"c": ("d", 2.5)}], "tool_use_id": "toolu_01A09q90qw90lq917835lq9"}
    assert Redactor().value(value) is value


def test_a_bottomless_value_ends_in_a_marker() -> None:
    value: dict[str, object] = {}
    for _ in range(5000):
        value = {"a": value}
    assert "nested too deep" in str(Redactor().value(value))


# --- .env --------------------------------------------------------------------------------------


def test_every_value_of_an_env_file_is_hidden_and_its_keys_and_comments_stay() -> None:
    text = f"# keys\nAPI={S}\nexport B='{S} x' # why\n\nPORT=3000\nKEY=\"{S}\n{S}\"\nC={S}#x\nD=\n"
    assert redact_env(text) == (
        "# keys\nAPI=[redacted: env value]\nexport B='[redacted: env value]' # why\n\n"
        'PORT=[redacted: env value]\nKEY="[redacted: env value]"\nC=[redacted: env value]\nD=\n'
    )


def test_an_entry_that_is_commented_out_is_still_a_secret() -> None:
    assert S not in redact_env(f"#TOKEN={S}\n# OLD_TOKEN={S}")


def test_a_piece_of_an_env_file_is_hidden_whole() -> None:
    assert redact_env(S) == "[redacted: env value]"


ENV_PATHS = ["/p/.env", ".env.local", "prod.env", "C:\\app\\.env", ".env.production"]
OTHER_PATHS = [".env.example", "/p/.env.sample", ".env.template", "env.py", "a.txt"]


@pytest.mark.parametrize("path", ENV_PATHS)
def test_text_of_an_env_file_is_known_by_its_path(path: str) -> None:
    payload = {
        "tool_input": {
            "file_path": path,
            "content": f"A={S}",
            "old_string": S,
            "new_string": "A=b",
        },
        "tool_response": {
            "file": {"filePath": path, "content": f"     1→A={S}\n"},
            "structuredPatch": [{"oldStart": 1, "lines": [f"-A={S}", f"+A={S}2"]}],
            "originalFile": f"A={S}",
        },
    }
    value = Redactor().value(payload)
    assert S not in str(value)
    assert path in str(value).replace("\\\\", "\\")
    assert "'-A=[redacted: env value]'" in str(value)


def test_the_output_beside_an_input_that_names_an_env_file_is_hidden() -> None:
    payload = {"tool_input": {"path": ".env"}, "tool_response": {"content": [{"text": f"A={S}"}]}}
    assert S not in str(Redactor().value(payload))


@pytest.mark.parametrize("path", OTHER_PATHS)
def test_examples_of_env_files_stay(path: str) -> None:
    payload = {"file_path": path, "content": "API=value\nPORT=3000\n"}
    assert Redactor().value(payload) == payload


def test_values_worth_hiding_are_those_that_nobody_writes_by_chance() -> None:
    text = rf"""
A=true
PORT=3000
HOST=localhost
NAME=my-shop
ROOT=/usr/share
URL=https://example.com
DB_PASSWORD=postgres
TOKEN=changeme
RELEASE=3f786850e387550fdab836ed7e6dc881de23001b
API_KEY="abc123{S}"
DATABASE_URL=postgres://shop:{S}99@db/shop
RANDOM_THING=aZ3kL9mQ2xV7bN4c
export SMTP_PASSWORD={S}1 # comment
MULTI_SECRET="one {S}\ntwo"
"""
    assert env_values(text) == (
        f"abc123{S}",
        f"{S}99",
        "aZ3kL9mQ2xV7bN4c",
        f"{S}1",
        f"one {S}\ntwo",
    )


# --- exact values ------------------------------------------------------------------------------


@given(TEXTS, st.text(min_size=4, max_size=40), TEXTS)
@example("", "[redacted: ", "")
@example("", "password", "")
@example("ghp" + "_" + "a" * 36, "]abc", "abc")
def test_no_known_value_survives(left: str, value: str, right: str) -> None:
    found = Redactor([value]).text(left + value + right)
    if value not in spans.ALL_MARKERS:
        assert value not in spans.MARKER.sub("", found)


@pytest.mark.parametrize(
    "text",
    ['a\\"b\\nc!{}', "a%22b%0Ac%21%7B%7D", "YSJiCmMhe30", 'a"b\nc!{}'],
    ids=["json", "url", "base64", "plain"],
)
def test_known_values_are_found_in_other_forms(text: str) -> None:
    assert text not in Redactor(['a"b\nc!{}']).text(f"x {text} y")


def test_values_too_short_to_mean_anything_are_not_sought() -> None:
    assert Redactor(["", "a", "abc"]).text("abc a") == "abc a"


# --- for every text ----------------------------------------------------------------------------

NASTY = st.lists(
    st.one_of(
        TEXTS,
        BEFORE,
        AFTER,
        TOKENS,
        st.sampled_from(
            ["password", "TOKEN=", "secret: ", '"api_key": "', "x=hunter2 ", "value: "]
        ),
        st.sampled_from(["[redacted: token]", "[redacted: ", "://a:b@c", "curl -u a:", "mysql -p"]),
        st.sampled_from(
            ["> .env\nA=b\n", "cookie: a=b", "Authorization: ", "MIIEowIBAAKCAQEA7bqsh"]
        ),
        st.sampled_from(["echo a | sudo -S", "|\n  ", "<password>a</", '"""', "\\\\", "\n[a]\n"]),
        st.sampled_from(
            ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "--password "]
        ),
    ),
    max_size=12,
).map("".join)
LEAVES = NASTY | st.integers() | st.none() | st.booleans() | st.floats(allow_nan=False)
KEYS = NASTY | st.sampled_from(["password", "file_path", "content", "name", "value", "tool_input"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(NASTY)
def test_a_second_time_changes_nothing(text: str) -> None:
    once = Redactor(["known-value"]).text(text)
    assert Redactor(["known-value"]).text(once) == once


@given(VALUES)
def test_a_second_time_changes_no_structure_either(value: object) -> None:
    once = Redactor().value(value)
    assert Redactor().value(once) == once


@given(NASTY)
def test_an_env_file_is_hidden_once(text: str) -> None:
    assert redact_env(redact_env(text)) == redact_env(text)
    assert isinstance(env_values(text), tuple)


@given(NASTY, NASTY, NASTY)
def test_a_structure_hides_what_its_texts_hide(one: str, two: str, three: str) -> None:
    redactor = Redactor(["known-value"])
    first, second, third = map(redactor.text, (one, two, three))
    value = {"a": one, "b": [two, 1], "c": {"d": (three, None)}}
    assert redactor.value(value) == {"a": first, "b": [second, 1], "c": {"d": (third, None)}}


@given(st.lists(NASTY, max_size=3), TOKENS)
def test_a_list_of_texts_hides_at_least_that(texts: list[str], token: str) -> None:
    assume(token not in "".join(texts))
    assert token not in str(Redactor().value([*texts, f"{token} x", f"password={token}"]))


@pytest.mark.parametrize(
    "text", ["\ud800" * 50, "\x00" * 50, "é→😀", "\udfffpassword=\ud83dhunter2"]
)
def test_odd_characters_do_no_harm(text: str) -> None:
    assert "hunter2" not in Redactor(["\ud800abcd"]).text(text)


# --- time --------------------------------------------------------------------------------------


def _patterns(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from _patterns(list(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _patterns(item)


MODULES = (dotenv, finders, named_values, secret_names, patterns, redactor, spans, suspects)
ALL_PATTERNS = sorted(
    {*_patterns([list(vars(module).values()) for module in MODULES])},
    key=lambda pattern: str(pattern.pattern),
)


def _nested(node: object, inside: bool) -> Iterator[object]:
    """Endless repeats that stand inside another one, where both can be tried again."""
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) in {"MAX_REPEAT", "MIN_REPEAT"}:
        _, most, body = node[1]
        endless = str(most) == "MAXREPEAT"
        if endless and inside:
            yield node
        yield from _nested(body, inside or endless)
    else:
        items = getattr(node, "data", node)
        for item in items if isinstance(items, tuple | list) else ():
            yield from _nested(item, inside)


@pytest.mark.parametrize("pattern", ALL_PATTERNS, ids=lambda pattern: str(pattern.pattern)[:40])
def test_no_pattern_can_go_back_for_ever(pattern: re.Pattern[str]) -> None:
    parser = import_module("re._parser")  # mypy knows it only where somebody imports it
    assert not list(_nested(parser.parse(pattern.pattern, pattern.flags), inside=False))


@pytest.mark.parametrize(
    "part", ["token=", "eyJ", "://a:", " -p", "-----BEGIN PRIVATE KEY-----", '"']
)
def test_a_long_hostile_text_comes_back(part: str) -> None:
    assert isinstance(Redactor().text(part * 20_000), str)
