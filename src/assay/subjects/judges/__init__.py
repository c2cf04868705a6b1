"""Judges: how far people, crowds or models agree on the labels of the same items."""
