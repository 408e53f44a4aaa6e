"""What the example hands in about itself."""

from handrail.model.host import HostProfile

PROFILE = HostProfile(
    name="example",
    title="Example Agent",
    program="exemplar",
    folder=".exemplar",
    folder_variable="EXEMPLAR_HOME",
    settings_files=("hooks.json",),
    settings_glob="hooks*.json",
    credentials=("~/.exemplar/key",),
    off_variables=("EXEMPLAR_NO_HOOKS",),
    agent_variables=("EXEMPLAR",),
    session_variable="EXEMPLAR_SESSION",
    resume="exemplar --again {run}",
)
