"""The subjects of evaluation: one folder each, none of which imports another; each is loaded when it is used."""
