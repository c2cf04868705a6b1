"""Bare scores: numbers that somebody else computed, one per system, measure and unit."""
