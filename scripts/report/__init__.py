"""Reports of the experiments: CSV tables in; a Markdown page, plots, verdicts and checks out.

The crate computes and writes CSV; this package describes. An experiment is a folder `exp/NAME/`, found by its experiment.toml:

    experiment.toml     grids of settings, see `run_experiment -h`; title and tables of the thesis
    claims.py           ORDER, the place on the page, and write(source, chapter), which adds text, tables, plots and claims
    expected.csv        expected values; `scripts/report/run.sh record NAME` writes them from the tables
    expected-small.csv  those of the small version (--small)

Nothing else names an experiment: to add one, create the folder.
"""
