"""The patterns that Handrail looks for by itself: one file each, called after the kind it finds.

A file has a `Detector`, or a `Combination` of two others. `registry` finds it by its place here.
"""
