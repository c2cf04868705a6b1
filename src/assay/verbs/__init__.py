"""What can be done with results of any subject: compare, gate, report, explain, doctor, plan, correlate."""
