"""Infrastructure: what destroys it or changes it unseen, and what only plans."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("terraform destroy", "destroy high"),
    ("terraform -chdir=infra apply -destroy", "destroy high"),
    ("terraform apply --auto-approve", "change high"),
    ("echo yes | terraform apply", "change high"),
    ("TF_CLI_ARGS_apply=-auto-approve terraform apply", "change high"),
    ("TF_CLI_ARGS='-destroy' terraform apply", "destroy high"),
    ("terraform plan -destroy -out=d.tfplan && terraform apply d.tfplan", "destroy high"),
    ("terraform state rm aws_instance.x", "destroy high"),
    ("terraform workspace delete prod", "destroy high"),
    ("tofu force-unlock 1", "destroy high"),
    ("terragrunt run --all -- destroy", "destroy high"),
    ("terragrunt run-all apply --terragrunt-non-interactive", "change high"),
    ("pulumi up --yes", "change high"),
    ("pulumi config --show-secrets", "secret high"),
    ("cdk deploy --require-approval never", "change high"),
    ("npx aws-cdk@2 destroy --force", "destroy high"),
    ("ansible all -m shell -a 'rm -rf /var/lib/app'", "destroy high"),
    ("ansible web -m ansible.builtin.file -a 'path=/x state=absent'", "destroy high"),
    ("ansible all -m raw -a 'dd if=/dev/zero of=/dev/sda'", "device critical"),
    ("ansible all -m user -a 'name=x'", "privilege high"),
    ("ansible-playbook site.yml -e state=absent", "destroy high"),
    ("ansible-vault view x.yml", "secret high"),
    ("ansible-pull -U https://203.0.113.9/r.git", "unseen high"),
    ("salt '*' cmd.run 'rm -rf /srv'", "destroy high"),
    ("salt '*' system.reboot", "kill high"),
    ("knife ssh 'name:*' 'sudo rm -rf /opt'", "destroy high"),
    ("vault kv get secret/db", "secret high"),
    ("vault audit disable file", "tamper critical"),
    ("vault token create -policy=root", "secret high"),
    ("consul kv delete -recurse app/", "destroy high"),
    ("nomad job stop -purge api", "destroy high"),
    ("virsh undefine vm --remove-all-storage", "destroy high"),
    ("VBoxManage unregistervm prod --delete", "destroy high"),
    ("vagrant destroy -f", "destroy high"),
    ("dokku apps:destroy app --force", "destroy high"),
]

EVERYDAY = [
    "terraform plan -destroy",
    "terraform plan -destroy -out=d.tfplan",
    "terraform destroy -help",
    "terraform apply plan.tfplan",
    "terraform output -json",
    "terraform state list",
    "pulumi preview --diff",
    "pulumi up",
    "cdk diff",
    "ansible all -m ping",
    "ansible all -a uptime",
    "ansible-playbook site.yml --check",
    "ansible-playbook -i inventory site.yml",
    "vault kv list secret/",
    "vault read sys/health",
    "vagrant up",
    "nomad job run web.nomad",
    "virsh list --all",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_goes_on(effects: Effects, command: str) -> None:
    worst = [e for e in effects(command) if e.kind not in PATH_KINDS]
    assert all(effect.severity < Severity.HIGH for effect in worst)
