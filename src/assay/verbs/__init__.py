"""The verbs, on results of any subject: compare, gate, report, explain, doctor, plan, correlate."""
