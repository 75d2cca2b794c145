//! run_experiment: a parameter grid of the pipeline, as tables.

nearsig::executable!(nearsig::experiment::RunExperiment);
