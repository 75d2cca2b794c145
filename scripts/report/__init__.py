"""Reports of the experiments: CSV tables in; a Markdown page, plots, verdicts and checks out.

The crate computes and writes CSV; this package describes. `exp/NAME/claims.py` holds the claims, tables and plots of one experiment.
"""
