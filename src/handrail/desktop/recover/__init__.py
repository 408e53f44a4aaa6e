"""The words of a recovery, and the hands that carry it out."""
