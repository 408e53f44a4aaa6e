"""The interventions that Handrail has by itself: one file each, called after its name.

A file has its `InterventionKind` under the name KIND. `registry` finds it by its place here.
"""
