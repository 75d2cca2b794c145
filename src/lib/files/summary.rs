//! Summaries of `compare_results`: CSV (`measure,value`) or a JSON object, by the extension of the file.

use std::path::Path;

use crate::error::{Error, INFALLIBLE, Result};
use crate::evaluate::{MeasureValue, Measures};
use crate::files::output::{Output, Part, Publisher};
use crate::files::without_compression;

/// Printed in place of a missing value.
const NO_VALUE: &str = "-";

/// Formats a value for people.
pub fn text(value: MeasureValue) -> String {
    match value {
        MeasureValue::Count(count) => count.to_string(),
        MeasureValue::Number(Some(number)) => number.to_string(),
        MeasureValue::Number(None) => NO_VALUE.to_string(),
    }
}

/// A summary being written.
pub struct SummaryFile {
    out: Output,
    format: fn(&Measures) -> Vec<u8>,
}

impl SummaryFile {
    /// Begins the file.
    pub fn create(publisher: &Publisher<'_>, path: &Path) -> Result<Self> {
        let name = path.to_string_lossy();
        let format = match without_compression(&name).rsplit_once('.') {
            Some((_, "csv")) => csv_summary,
            Some((_, "json")) => json_summary,
            _ => {
                return Err(Error::Usage(format!(
                    "summary {name}: the name must end in .csv or .json"
                )));
            }
        };
        Ok(SummaryFile { out: publisher.create(path)?, format })
    }

    /// Writes the measures and completes the file, but leaves it under its temporary name.
    pub fn finish(mut self, summary: &Measures) -> Result<Part> {
        self.out.write(&(self.format)(summary))?;
        self.out.close()
    }
}

fn csv_summary(summary: &Measures) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["measure", "value"]).expect(INFALLIBLE);
    for (measure, value) in &summary.0 {
        let value = match *value {
            MeasureValue::Number(None) => String::new(),
            value => text(value),
        };
        writer.write_record([*measure, &value]).expect(INFALLIBLE);
    }
    writer.into_inner().expect(INFALLIBLE)
}

fn json_summary(summary: &Measures) -> Vec<u8> {
    let mut content = serde_json::to_vec_pretty(summary).expect("numbers and names are JSON");
    content.push(b'\n');
    content
}
