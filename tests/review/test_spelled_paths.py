"""A word reaches a secret or a control if what is known of it narrows it to there."""

import pytest

from handrail.model import Action
from handrail.review import Reviewer

HOME = "/home/test"

STOPPED = """
D=.ssh; echo k >> $HOME/$D/authorized_keys
D=.ssh; echo k >> "$HOME"/"$D"/authorized_keys
D=.ssh; cat $HOME/$D/id_rsa
echo k >> $HOME/.$S/authorized_keys
cat $HOME/.$S/id_rsa
a=(~/.ssh authorized_keys); echo k >> "${a[0]}/${a[1]}"
a=(~/.ssh id_rsa); cat "${a[0]}/${a[1]}"
x=.ssh=b; echo k >> ~/${x%%=*}/authorized_keys
x=.ssh=b; cat ~/${x%%=*}/id_rsa
declare -n r=x; x=~/.ssh; echo k >> $r/authorized_keys
declare -n r=x; x=~/.ssh; cat $r/id_rsa
cd ~/.ssh; cd /tmp; echo k >> ~-/authorized_keys
cd ~/.ssh; cd /tmp; cat ~-/id_rsa
x=.SSH; echo k >> ~/${x@L}/authorized_keys
x=.SSH; cat ~/${x@L}/id_rsa
IFS=: read a b <<< .ssh:authorized_keys; echo k >> ~/$a/$b
IFS=: read a b <<< .ssh:id_rsa; cat ~/$a/$b
cat ~/.local/s*/h*/c*-token
rm ~/.local/s*/h*/c*-token
echo x > ~/.local/s*/h*/c*-token
cp -r ~/.local/state x
xargs -a ~/.ssh/id_rsa echo
echo ~/.ssh/id_rsa > l; xargs -a l cat
file -f ~/.ssh/id_rsa
file -f ~/.local/state/handrail/control-token
[ a = b ] && D=x || D=.ssh; echo k >> ~/$D/authorized_keys
x=~/.ssh/id_rsa; for y in $A; do x=b; done; cat $x
set -- ~/.ssh/id_rsa; [ -n "$A" ] && set -- b; cat "$1"
x=$(echo ~/.ssh/*); cat $x
ls | sort | head↵cat ~/.ssh/id_rsa↵echo x > f
""".strip().splitlines()


@pytest.mark.parametrize("line", STOPPED)
def test_what_is_known_of_a_word_says_where_it_leads(line: str) -> None:
    assert _stops(line)


@pytest.mark.parametrize(
    "line", ['rm "$X"', 'cat "$X"', 'echo x > "$X"', "ls | sort | head↵ls > f"]
)
def test_a_word_with_no_known_piece_stops_nothing(line: str) -> None:
    assert not _stops(line)


def _stops(line: str) -> bool:
    reviewer = Reviewer(environ={"HOME": HOME}, see_disk=False)
    action = Action("Bash", {"command": line.replace("↵", "\n")}, f"{HOME}/project", {"HOME": HOME})
    return reviewer.review(action).decision.stops
