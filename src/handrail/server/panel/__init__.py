"""The panel's way in: who may come in from a browser, and the pages that everybody gets."""
