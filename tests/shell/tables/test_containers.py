"""Containers: what opens the host, what loses data, and what is daily work."""

from collections.abc import Callable

import pytest

from handrail.model.effect import PATH_KINDS, Effect
from handrail.model.ordinal import Severity

Effects = Callable[[str], tuple[Effect, ...]]

DANGEROUS = [
    ("docker run --privileged -it ubuntu bash", "escape high"),
    ("docker run -itv /:/host alpine sh", "escape high"),
    ("docker run --mount type=bind,source=/,target=/host alpine", "escape high"),
    ("docker run -v /var/run/docker.sock:/var/run/docker.sock:ro x", "escape high"),
    ("docker run -v /etc:/etc alpine", "escape high"),
    ("docker run -v $HOME:/h alpine ls", "escape high"),
    ("docker run --pid host alpine sh", "escape high"),
    ("docker run --cap-add sys_admin x", "escape high"),
    ("docker run --security-opt seccomp=unconfined x", "escape high"),
    ("docker run --device /dev/sda x", "escape high"),
    ("docker run --privileged x --help", "escape high"),
    ("podman create --privileged x", "escape high"),
    ("docker exec --privileged web sh", "escape high"),
    ("ctr run --privileged --mount type=bind,src=/,dst=/h,options=rbind img x sh", "escape high"),
    ("docker run -e AWS_SECRET_ACCESS_KEY some/image", "secret high"),
    ("docker cp web:/root/.ssh/id_rsa ./", "secret high"),
    ("docker system prune -f", "destroy high"),
    ("docker volume rm -f pgdata", "destroy high"),
    ("docker compose -f prod.yml down --volumes", "destroy high"),
    ("docker-compose down -t 5 -v", "destroy high"),
    ("docker compose -p app rm -fsv", "destroy high"),
    ("docker rm -f $(docker ps -aq)", "destroy high"),
    ("docker ps -aq | xargs docker rm -f", "destroy high"),
    ("docker image rm $(docker image ls -q)", "destroy high"),
    ("docker -H tcp://prod:2375 rm -f web", "destroy high"),
    ("docker --context prod stop web", "destroy high"),
    ("DOCKER_HOST=ssh://root@prod docker rm web", "destroy high"),
    ("docker run --rm -v pgdata:/d alpine rm -rf /d", "destroy high"),
    ("docker stack rm production", "destroy high"),
    ("podman rm -af", "destroy high"),
    ("podman system reset --force", "destroy critical"),
    ("lxc delete web --force", "destroy high"),
    ("skopeo delete docker://r/app:1", "destroy high"),
]

EVERYDAY = [
    'docker run --rm -it -v "$PWD":/app -w /app node:20 npm test',
    "docker run --privileged=false x",
    "docker run --rm img grep --privileged x",
    "docker run --rm -v /etc/localtime:/etc/localtime:ro alpine date",
    "docker run -d --network host redis",
    "docker run --rm --device /dev/dri x",
    "docker run --help",
    "docker run -d -e POSTGRES_PASSWORD=dev postgres:16",
    "docker build -f docker/Dockerfile -t app .",
    "docker logs -f web",
    "docker exec web kill -HUP 1",
    "docker exec web apt-get install -y vim",
    "docker rm -f test-db",
    "docker rm $(docker ps -aq -f status=exited)",
    "CID=$(docker run -d redis); docker rm -f $CID",
    "docker compose down --remove-orphans",
    'docker compose exec -T db psql -c "select 1"',
    "docker --context colima rm web",
    "docker network prune -f",
    "docker push ghcr.io/me/app",
    "podman machine list",
    "lxc list",
]


@pytest.mark.parametrize(("command", "expected"), DANGEROUS)
def test_danger_is_seen(effects: Effects, command: str, expected: str) -> None:
    assert expected in {f"{effect.kind} {effect.severity}" for effect in effects(command)}


@pytest.mark.parametrize("command", EVERYDAY)
def test_everyday_work_goes_on(effects: Effects, command: str) -> None:
    worst = [e for e in effects(command) if e.kind not in PATH_KINDS]
    assert all(effect.severity < Severity.HIGH for effect in worst)


def test_a_deletion_in_a_container_is_one_on_the_folder_it_was_given(
    touched: Callable[[str], list[str]],
) -> None:
    command = "docker run --rm -v /w/data:/d alpine sh -c 'rm -rf /d/old; ls'"
    assert "delete /w/data/old*" in touched(command)


def test_options_of_the_inner_command_are_not_those_of_docker(effects: Effects) -> None:
    assert not [e for e in effects("docker run --rm img grep -v /:/x y") if e.kind == "escape"]
