"""Benchmarks: measurements against baseline libraries, and the page made from their raw numbers."""
