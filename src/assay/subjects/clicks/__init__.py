"""Clicks: what users do on result pages, from a log."""
