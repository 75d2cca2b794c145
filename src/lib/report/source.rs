//! Everything that is reported: the tables of all experiments, the bins beside them, and what the thesis published.

use std::path::{Path, PathBuf};

use super::table::{Row, Rows, Table, bins_beside, read_bins, read_rows};
use super::{EXPERIMENTS, Request};
use crate::error::{Error, Result, excerpt};
use crate::experiment::{Experiment, Measure};
use crate::plot::density::Bin;

/// The columns of the thesis' numbers.
const PUBLISHED: [&str; 14] = [
    "table",
    "collection",
    "docs",
    "weighting",
    "vocabulary",
    "voc_size",
    "threshold_sim",
    "threshold_ham",
    "sig_len",
    "iter_count",
    "beam",
    "shift_count",
    "measure",
    "value",
];

/// A table of an experiment and where it is.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What is measured.
    pub measure: Measure,
    /// Its file.
    pub path: PathBuf,
    /// What it holds; nothing where there is no such file.
    pub table: Option<Table>,
    /// The bins of densities, in the order of the rows, where there are some.
    pub bins: Vec<(PathBuf, Option<Vec<Bin>>)>,
    /// How many rows it should have.
    pub planned: usize,
}

/// An experiment and its tables; none where it is not among the experiments.
#[derive(Debug, Clone)]
pub struct Chapter {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub experiment: Option<Experiment>,
    /// Its tables.
    pub tables: Vec<Measured>,
}

/// All of it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    thesis: Table,
    /// The experiments, in the order of the page.
    pub chapters: Vec<Chapter>,
}

impl Source {
    /// Reads what is there. What is not there is no error; what cannot be understood is one.
    pub fn read(request: &Request) -> Result<Self> {
        let chapter = |name: &&'static str| Chapter::read(request, name);
        let chapters = EXPERIMENTS.iter().map(chapter).collect::<Result<Vec<_>>>()?;
        Ok(Source { thesis: read_thesis(&request.thesis)?, chapters })
    }

    /// What a table of the thesis published.
    pub fn published(&self, table: &str) -> Rows<'_> {
        self.thesis.rows().with("table", table)
    }

    fn measured(&self, experiment: &str, measure: Measure) -> Option<&Measured> {
        let chapter = self.chapters.iter().find(|chapter| chapter.name == experiment)?;
        chapter.tables.iter().find(|one| one.measure == measure)
    }

    /// The rows of a table; none where there is no such table.
    pub fn rows(&self, experiment: &str, measure: Measure) -> Rows<'_> {
        let measured = self.measured(experiment, measure);
        measured.and_then(|one| one.table.as_ref()).map_or_else(Rows::default, Table::rows)
    }

    /// The bins of those rows of a table of densities that are wanted, added up.
    pub fn bins(&self, experiment: &str, is_wanted: impl Fn(&Row<'_>) -> bool) -> Vec<Bin> {
        let Some(measured) = self.measured(experiment, Measure::Density) else { return vec![] };
        let rows = self.rows(experiment, Measure::Density);
        let mut sum: Vec<Bin> = Vec::new();
        for (row, (_, bins)) in rows.0.iter().zip(&measured.bins) {
            for bin in bins.iter().flatten().filter(|_| is_wanted(row)) {
                match sum.iter_mut().find(|known| (known.x, known.y) == (bin.x, bin.y)) {
                    Some(known) => known.count += bin.count,
                    None => sum.push(*bin),
                }
            }
        }
        sum
    }
}

impl Chapter {
    fn read(request: &Request, name: &'static str) -> Result<Self> {
        let path = request.experiments.join(name).join("experiment.toml");
        if !path.exists() {
            return Ok(Chapter { name, experiment: None, tables: vec![] });
        }
        let experiment = Experiment::read(&path, request.small)?;
        let read = |measure| Measured::read(request, &experiment, measure);
        let tables = experiment.measures().into_iter().map(read).collect::<Result<Vec<_>>>()?;
        Ok(Chapter { name, experiment: Some(experiment), tables })
    }

    /// What is not there, in sentences.
    pub fn notes(&self) -> Vec<String> {
        if self.experiment.is_none() {
            return vec![format!("There is no experiment `{}`.", self.name)];
        }
        self.tables.iter().flat_map(Measured::notes).collect()
    }
}

impl Measured {
    fn read(request: &Request, experiment: &Experiment, measure: Measure) -> Result<Self> {
        let version = if request.small { "-small" } else { "" };
        let name = format!("{}{version}-{}.csv", experiment.name, measure.name());
        let path = request.tables.join(name);
        let planned = experiment.configurations(measure).len();
        let mut measured = Measured { measure, path, table: None, bins: vec![], planned };
        if measured.path.exists() {
            let table = Table::read(&measured.path, measure)?;
            if measure == Measure::Density {
                let bins = |row: &Row<'_>| read_bins_of(&measured.path, row);
                measured.bins = table.rows().0.iter().map(bins).collect::<Result<Vec<_>>>()?;
            }
            measured.table = Some(table);
        }
        Ok(measured)
    }

    fn notes(&self) -> Vec<String> {
        let name = file_name(&self.path);
        let Some(table) = &self.table else {
            return vec![format!("The table `{name}` is not there: nothing of it is below.")];
        };
        let mut notes = Vec::new();
        let missing = self.planned.saturating_sub(table.rows().0.len());
        if missing > 0 {
            notes.push(format!("{missing} of {} rows of `{name}` are not there.", self.planned));
        }
        let without = self.bins.iter().filter(|(_, bins)| bins.is_none()).count();
        if without > 0 {
            notes.push(format!("{without} files of bins beside `{name}` are not there."));
        }
        notes
    }
}

/// The last part of a path, for people.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn read_bins_of(table: &Path, row: &Row<'_>) -> Result<(PathBuf, Option<Vec<Bin>>)> {
    let path = bins_beside(table, row);
    let bins = path.exists().then(|| read_bins(&path)).transpose()?;
    Ok((path, bins))
}

fn read_thesis(path: &Path) -> Result<Table> {
    let names = PUBLISHED.map(String::from).to_vec();
    let rows = read_rows(path, &names)?;
    for (number, row) in rows.iter().enumerate() {
        let value = &row[PUBLISHED.len() - 1];
        if !value.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(Error::Parse {
                path: path.to_path_buf(),
                line: number as u64 + 2,
                expected: "a number for value".into(),
                found: excerpt(value),
            });
        }
    }
    Ok(Table::new(names, rows))
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    impl Source {
        /// With one table of one experiment, and the thesis' numbers as they are in the repository.
        pub fn of(name: &'static str, measure: Measure, content: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("t.csv");
            let keys = measure.keys().iter().map(|key| key.name());
            let names: Vec<&str> = keys.chain(measure.columns().iter().copied()).collect();
            std::fs::write(&path, format!("{}\n{content}", names.join(","))).unwrap();
            let table = Some(Table::read(&path, measure).unwrap());
            let measured = Measured { measure, path, table, bins: vec![], planned: 0 };
            let thesis = Path::new(env!("CARGO_MANIFEST_DIR")).join("exp/thesis.csv");
            let chapter = Chapter { name, experiment: None, tables: vec![measured] };
            Source { thesis: read_thesis(&thesis).unwrap(), chapters: vec![chapter] }
        }
    }
}
