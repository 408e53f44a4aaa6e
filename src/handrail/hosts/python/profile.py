"""The profile of the library: no program and no settings that could be changed behind its back."""

from handrail.model.host import HostProfile

PROFILE = HostProfile(name="python", title="a Python program")
