//! The measures by name.

use super::{Approximation, Evaluation, Mean};

/// Value of a measure.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum MeasureValue {
    /// A count.
    Count(u64),
    /// A number; `None` if it is undefined.
    Number(Option<f64>),
}

/// Measures by name, in output order.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures(pub Vec<(&'static str, MeasureValue)>);

impl Measures {
    /// Returns the value of a measure.
    pub fn get(&self, name: &str) -> Option<MeasureValue> {
        self.0.iter().find(|(measure, _)| *measure == name).map(|(_, value)| *value)
    }
}

impl Evaluation {
    /// Returns all measures. Those that need a threshold or the signature length are included if it is set.
    pub fn measures(&self) -> Measures {
        let mut rows = vec![
            ("documents", MeasureValue::Count(self.documents)),
            ("pairs_both", MeasureValue::Count(self.raw.pairs)),
            ("pairs_sim_only", MeasureValue::Count(self.sim_only)),
            ("pairs_ham_only", MeasureValue::Count(self.ham_only)),
        ];
        let differences = ["L1", "L2", "largest_difference", "S"];
        rows.extend(self.raw.differences(differences));
        rows.push(("S_bins", MeasureValue::Count(self.raw.bins.count())));
        if self.settings.bits.is_some() {
            rows.push(("S_theory", MeasureValue::Number(self.raw.bins.sampling())));
            rows.push((
                "S_theory_with_bin_width",
                MeasureValue::Number(self.raw.bins.sampling_and_width()),
            ));
        }
        let calibrated =
            ["L1_calibrated", "L2_calibrated", "largest_difference_calibrated", "S_calibrated"];
        rows.extend(self.calibrated.differences(calibrated));
        if self.settings.bits.is_some() {
            let mean = (self.raw.pairs > 0).then(|| self.sampling / self.raw.pairs as f64);
            rows.push(("L1_calibrated_theory", MeasureValue::Number(mean)));
        }
        if self.settings.threshold_sim.is_some() && self.settings.threshold_ham.is_some() {
            let names = ["P", "R", "F1", "P_pairs", "R_pairs", "F1_pairs"];
            rows.extend(self.raw.retrieval_measures(names));
        }
        if self.settings.threshold_sim.is_some() {
            let names = [
                "P_calibrated",
                "R_calibrated",
                "F1_calibrated",
                "P_pairs_calibrated",
                "R_pairs_calibrated",
                "F1_pairs_calibrated",
            ];
            rows.extend(self.calibrated.retrieval_measures(names));
        }
        Measures(rows)
    }
}

impl Approximation {
    fn differences(
        &self,
        names: [&'static str; 4],
    ) -> impl Iterator<Item = (&'static str, MeasureValue)> {
        let mean = |sum: f64| (self.pairs > 0).then(|| sum / self.pairs as f64);
        let largest = (self.pairs > 0).then_some(self.largest);
        let values = [mean(self.absolute), mean(self.squared), largest, self.bins.scatter()];
        names.into_iter().zip(values.map(MeasureValue::Number))
    }

    fn retrieval_measures(
        &self,
        names: [&'static str; 6],
    ) -> impl Iterator<Item = (&'static str, MeasureValue)> {
        let r = &self.retrieval;
        let (precision, recall) = (r.precision.value(), r.recall.value());
        let pairs = (ratio(r.true_found, r.found), ratio(r.true_found, r.relevant));
        let means = [precision, recall, f1(precision, recall)];
        let pooled = [pairs.0, pairs.1, f1(pairs.0, pairs.1)];
        names.into_iter().zip(means.into_iter().chain(pooled).map(MeasureValue::Number))
    }
}

impl Mean {
    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Returns 2PR/(P + R), or 0 if both are 0.
fn f1(precision: Option<f64>, recall: Option<f64>) -> Option<f64> {
    f_measure(precision, recall, 1.0)
}

/// Returns (β² + 1)PR/(β²P + R), or 0 if both are 0; β below 1 favours precision.
pub fn f_measure(precision: Option<f64>, recall: Option<f64>, beta: f64) -> Option<f64> {
    let (precision, recall, square) = (precision?, recall?, beta * beta);
    let sum = square * precision + recall;
    Some(if sum == 0.0 { 0.0 } else { (square + 1.0) * precision * recall / sum })
}

impl serde::Serialize for Measures {
    /// Serializes a map from measure to value, in order; undefined values are null.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
