"""An agent in thirty lines, with every command reviewed before it runs.

    python examples/agent_loop.py

The model here plays a script, so no key is needed. For a real one, put its address and your key
into `ask`.
"""

import json
import subprocess
import tempfile
import urllib.request
from typing import Any

import handrail
from handrail.testing.model_server import ModelServer, Say, Step, ToolCall

SCRIPT: list[Step] = [
    ToolCall("Bash", {"command": "echo 'total = 0' > cart.py && ls"}),
    ToolCall("Bash", {"command": "rm -rf /"}),
    Say("I listed the files, and left the rest of the machine alone."),
]
TOOLS = [{"name": "Bash", "input_schema": {"properties": {"command": {"type": "string"}}}}]


def ask(url: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the model answers: a list of text and tool calls."""
    body = {"model": "scripted", "max_tokens": 1000, "tools": TOOLS, "messages": messages}
    headers = {"content-type": "application/json", "x-api-key": "your key"}
    request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        content: list[dict[str, Any]] = json.load(answer)["content"]
    return content


def call(supervisor: handrail.Supervisor, tool: str, tool_input: dict[str, Any]) -> str:
    """What the model is told about one of its calls."""
    try:
        with supervisor.action(tool, tool_input) as action:
            ran = subprocess.run(
                ["bash", "-c", str(action.input["command"])],
                cwd=supervisor.folder,
                capture_output=True,
                text=True,
                check=False,
            )
            action.done(ran.stdout + ran.stderr, exit_code=ran.returncode)
    except handrail.ActionBlockedError as refusal:
        return str(refusal)
    return "\n".join(filter(None, (ran.stdout + ran.stderr, action.guidance)))


def work(url: str, goal: str, folder: str) -> None:
    """Let the model work until it calls no more tools."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": goal}]
    with handrail.Supervisor(goal=goal, folder=folder) as supervisor:
        supervisor.prompt(goal)
        while True:
            content = ask(url, messages)
            messages.append({"role": "assistant", "content": content})
            calls = [part for part in content if part["type"] == "tool_use"]
            if not calls:
                print(content[0]["text"])
                return
            results = []
            for part in calls:
                said = call(supervisor, part["name"], part["input"])
                print(f"$ {part['input']['command']}\n{said}")
                results.append({"type": "tool_result", "tool_use_id": part["id"], "content": said})
            messages.append({"role": "user", "content": results})


if __name__ == "__main__":
    with ModelServer(SCRIPT) as model, tempfile.TemporaryDirectory() as project:
        work(model.url, "fix the total of the cart", project)
