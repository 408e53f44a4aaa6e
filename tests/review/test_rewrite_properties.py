"""Whatever is rewritten, the rewrite itself may run."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.model import Action, Decision
from handrail.review import Reviewer

REVIEWER = Reviewer(environ={"HOME": "/home/test"}, see_disk=False)
NAMES = st.sampled_from(
    ["notes", "./notes/", "'a b'", "src/*.py", "$DIR", '"$DIR/x"', "{a,b}", "${D:-notes}", "*.md",
     "build", "/tmp/x", "/etc", "..", "~/x", '"$(ls)"']
)  # fmt: skip
REMOVALS = st.builds(
    lambda wrapper, flags, names: f"{wrapper}rm {flags} {' '.join(names)}",
    st.sampled_from(["", "sudo ", "time ", "FOO=1 ", "nohup "]),
    st.sampled_from(["", "-r", "-rf", "-f", "--recursive --force", "-rf --"]),
    st.lists(NAMES, min_size=1, max_size=3),
)
GIT = st.builds(
    lambda git, command: f"{git} {command}",
    st.sampled_from(["git", "git -C sub", "sudo git", "GIT_DIR=.git git", "git -c a.b=c"]),
    st.sampled_from(
        ["push -f", "push --force origin main", "push origin +main:main", "reset --hard HEAD~2",
         "checkout -- .", "checkout -f x", "restore a.py 'b c.py'", "clean -fdx", "clean -f src",
         "stash drop", "stash drop stash@{2}", "branch -D a b/c", "switch --discard-changes x"]
    ),
)  # fmt: skip
OTHERS = st.sampled_from(
    ["chmod 777 x", "chmod -R a+rwx src", "sudo chmod 666 'a b'", "yes > f", "cat /dev/zero > f"]
)
PLACES = st.sampled_from(
    ["{}", "cd src && {}", "true || {}", "if true; then {}; fi", "for i in 1 2; do {}; done",
     "({})", "{} > log 2>&1", "ls; {} && ls", "! {}", "f() {{ {}; }}; f"]
)  # fmt: skip


@given(command=st.one_of(REMOVALS, GIT, OTHERS), place=PLACES)
def test_a_rewrite_is_never_refused_itself(command: str, place: str) -> None:
    action = Action("Bash", {"command": place.format(command)}, "/home/test/shop", id="t1")
    review = REVIEWER.review(action)
    if review.decision is not Decision.MODIFY:
        return
    assert review.rewrite is not None
    again = REVIEWER.review(Action("Bash", review.rewrite.input, "/home/test/shop", id="t1"))
    assert again.decision <= Decision.WARN, (review.rewrite.input, again.reasons)
    assert review.rewrite.changes
