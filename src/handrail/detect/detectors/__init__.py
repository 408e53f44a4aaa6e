"""The built-in detectors: one file each, with the name of the kind that it finds.

A file has a `Detector`, or a `Combination` of two others; `registry` finds it here.
"""
