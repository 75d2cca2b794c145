//! `theory`: S as measured against its closed form.

use super::super::markdown::{Grid, estimate, maybe};
use super::super::source::Source;
use super::super::statistics::Estimate;
use super::super::table::Rows;
use super::super::verdict::{Case, Claim, Verdict};
use super::{Body, cases, length};
use crate::experiment::Measure;

const NAME: &str = "theory";
/// How far S may be from its closed form, as a share of it.
const AGREES: f64 = 0.1;

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let rows = source.rows(NAME, Measure::Approximation);
    body.text(
        "A Hamming similarity of K bits is binomial, so that the variance of a bin at a cosine c is 10⁴·p(1 − p)/K with p = 1 − arccos(c)/π. \
         The closed form is the mean of this over the bins that hold pairs; the part of S that comes from the width of the bins is added to it in the second column.",
    );
    if !rows.is_empty() {
        let published = ["2.17", "2.20"].map(|table| source.published(table).with("measure", "S"));
        let title = "S as measured, as the closed form has it, and as the thesis found it";
        body.picture("theory-S".into(), title, length::picture(title, &rows, &published));
    }
    body.table(table(&rows));
    body.claim(agrees(&rows));
}

/// The rows by case and length.
fn by_length<'a>(rows: &Rows<'a>) -> Vec<(String, f64, Rows<'a>)> {
    let mut parts = Vec::new();
    for (name, rows) in cases(rows) {
        for bits in rows.ascending("sig_len") {
            let of_length = rows.filter(|row| row.number("sig_len") == Some(bits));
            parts.push((name.clone(), bits, of_length));
        }
    }
    parts
}

fn ratio(rows: &Rows<'_>) -> Option<Estimate> {
    let ratios: Vec<f64> = rows
        .0
        .iter()
        .filter_map(|row| {
            let theory = row.number("S_theory_with_bin_width").filter(|theory| *theory > 0.0)?;
            Some(row.number("S")? / theory)
        })
        .collect();
    Estimate::of(&ratios)
}

fn table(rows: &Rows<'_>) -> Grid {
    let head = [
        "collection",
        "bits",
        "S",
        "closed form",
        "with the width of bins",
        "S / closed form with width",
    ];
    let line = |(name, bits, rows): (String, f64, Rows<'_>)| {
        let mut cells = vec![name, bits.to_string()];
        cells.extend(
            ["S", "S_theory", "S_theory_with_bin_width"].map(|column| maybe(rows.estimate(column))),
        );
        cells.push(maybe(ratio(&rows)));
        cells
    };
    let lines = by_length(rows).into_iter().map(line).collect();
    let caption = "S and its closed form".into();
    Grid { caption, head: head.map(String::from).into(), rows: lines, words: 1 }
}

fn agrees(rows: &Rows<'_>) -> Claim {
    let case = |(name, bits, rows): (String, f64, Rows<'_>)| {
        let ratio = ratio(&rows)?;
        let verdict = Verdict::within(&ratio, 1.0 - AGREES, 1.0 + AGREES);
        let evidence = format!("{} of the closed form", estimate(&ratio));
        Some(Case { name: format!("{name}, {bits} bits"), verdict, evidence })
    };
    Claim {
        text: "S agrees with the closed form 10⁴·p(1 − p)/K.".into(),
        source: String::new(),
        rule: format!(
            "For every collection, weighting and length, holds when the interval of S / closed form (with the width of the bins) lies within 1 ± {AGREES} and fails when it lies beyond."
        ),
        cases: by_length(rows).into_iter().filter_map(case).collect(),
        reason: "The pairs of a bin share documents and all of them share the random vectors: the part of the sampling error that they have in common moves the whole bin and does not show as variance within it. \
                 Bins of few pairs lose most by this, so that S lies below the closed form."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(s: f64) -> Claim {
        let row = |seed: u32, s: f64| {
            format!(
                "debian,tf,2,200,{seed},1024,80,calibrated,9,79.5,200,9,30,900,1,{s},100,2,2,4,4,1,1,1,0.5,1,1,1,1,1,1,1,1,1,1,1,50,3,9,0.5\n"
            )
        };
        let content = row(1, s) + &row(2, s + 0.01) + &row(3, s - 0.01);
        let source = Source::of(NAME, Measure::Approximation, &content);
        agrees(&source.rows(NAME, Measure::Approximation))
    }

    #[test]
    fn near_the_closed_form_agrees_and_far_from_it_does_not() {
        let near = judged(1.9);
        assert_eq!(near.verdict(), Verdict::Holds, "{near:?}");
        assert_eq!(near.cases[0].evidence, "0.950 ± 0.012 of the closed form");
        assert_eq!(judged(1.5).verdict(), Verdict::DoesNotHold);
        assert_eq!(judged(1.8).verdict(), Verdict::CannotBeJudged);
    }
}
