"""Presenters of results: functions from a result to a `Document`, named in `core/registry`.

To add a section to a report, write one function that makes a `Section` of the result, and name it in the list of the
report's sections. To add a chart, describe it as a `Figure`. Whatever form is asked for, it is written there.
"""
