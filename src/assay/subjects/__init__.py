"""What can be evaluated: one folder per subject, none of which imports another; each is loaded when it is used."""
