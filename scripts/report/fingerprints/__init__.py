"""Experiments with fingerprint methods: collections, runs, plots, claims and their page."""
