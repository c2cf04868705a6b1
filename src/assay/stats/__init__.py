"""Numbers of units -> findings: tests, intervals, corrections, effects, power, correlation, the verdict's rules."""
