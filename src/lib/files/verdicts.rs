//! Results of randomness tests: CSV, one test per line.
//!
//! ```text
//! test,statistic,expected,z,p_value,verdict
//! ```
//!
//! Missing values are empty. The verdict is `ok`, `suspicious`, or empty if the test has none.

use crate::error::{INFALLIBLE, Result};
use crate::evaluate::randomness::RandomnessTest;
use crate::files::output::Output;

/// Writes the table.
pub fn write(mut out: Output, tests: &[RandomnessTest]) -> Result<()> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let head = ["test", "statistic", "expected", "z", "p_value", "verdict"];
    table.write_record(head).expect(INFALLIBLE);
    for test in tests {
        let number = |value: Option<f64>| value.map(|v| format!("{v:.6}")).unwrap_or_default();
        let verdict = match test.is_suspicious {
            Some(true) => "suspicious",
            Some(false) => "ok",
            None => "",
        };
        let (statistic, expected) = (test.statistic.to_string(), test.expected.to_string());
        let (z, p) = (number(test.z), number(test.p));
        let row = [test.name, &statistic, &expected, &z, &p, verdict];
        table.write_record(row).expect(INFALLIBLE);
    }
    out.write(&table.into_inner().expect(INFALLIBLE))?;
    out.finish()
}
