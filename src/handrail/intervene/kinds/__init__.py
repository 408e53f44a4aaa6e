"""The built-in interventions: one file each, with the name of the intervention.

A file has its `InterventionKind` under the name KIND; `registry` finds it here.
"""
