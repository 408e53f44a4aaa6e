"""The profile of the library: it has no program and no settings to protect."""

from handrail.model.host import HostProfile

PROFILE = HostProfile(name="python", title="a Python program")
