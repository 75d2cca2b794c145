//! `recall_estimate`: the share of pairs that PLEB says it knows, and the share that it knows.

use super::super::markdown::{Grid, estimate, maybe};
use super::super::source::Source;
use super::super::statistics::Estimate;
use super::super::table::{Row, Rows};
use super::super::verdict::{Case, Claim, Verdict};
use super::Body;
use crate::experiment::Measure;
use crate::plot::curves::{Curves, Mark, Panel, Point, Series};
use crate::plot::{Axis, Look};

const NAME: &str = "recall_estimate";
const TRUTH: &str = "found_signature_pairs_pct";
const ESTIMATE: &str = "estimate_pct";
/// Points by which the estimate may be off.
const AGREES: f64 = 2.0;

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let rows = source.rows(NAME, Measure::Pleb);
    body.text(
        "After each iteration `hamming` estimates which share of all pairs of signatures it knows, from how often it met pairs that it knew already; it says nothing while it has too little to go by. \
         Here its estimate stands beside the truth, which `hamming_full` gives. One point is one seed and one number of iterations.",
    );
    for collection in rows.distinct("collection") {
        let rows = rows.with("collection", collection);
        let title = format!("{collection}: PLEB's own estimate of its recall against the truth");
        let panels = rows.distinct("threshold").into_iter();
        let panels = panels.map(|threshold| panel(threshold, &rows.with("threshold", threshold)));
        let drawn = Curves { title: title.clone(), panels: panels.collect() }.draw();
        body.picture(format!("recall-{collection}"), &title, drawn);
    }
    body.table(table(&rows));
    let is_full = |row: &Row<'_>| row.text("shift_count") == "full";
    body.claim(agrees("with a fresh permutation each iteration", &rows.filter(is_full)));
    body.claim(agrees(
        "with some transpositions each iteration",
        &rows.filter(|row| !is_full(row)),
    ));
}

fn panel(threshold: &str, rows: &Rows<'_>) -> Panel {
    let series = |(number, shift): (usize, &str)| {
        let point = |row: &Row<'_>| {
            Some(Point { x: row.number(TRUTH)?, y: row.number(ESTIMATE)?, half: None })
        };
        let points = rows.with("shift_count", shift).0.iter().filter_map(point).collect();
        Series { name: format!("shift_count {shift}"), look: Look::scattered(number), points }
    };
    let shifts = rows.distinct("shift_count").into_iter().enumerate();
    let series: Vec<Series> =
        shifts.map(series).filter(|series| !series.points.is_empty()).collect();
    let values = series.iter().flat_map(|one| &one.points).flat_map(|point| [point.x, point.y]);
    let values: Vec<f64> = values.collect();
    Panel {
        heading: format!("threshold {threshold} %"),
        x: Axis::around("pairs known, truth (%)", &values, (0.0, 100.0)),
        y: Axis::around("pairs known, estimate (%)", &values, (0.0, 100.0)),
        series,
        marks: vec![Mark::Diagonal("estimate = truth".into())],
    }
}

/// The rows by what iterations have in common: `("debian, threshold 80, shift_count 70", rows)`.
fn runs<'a>(rows: &Rows<'a>) -> Vec<(String, Rows<'a>)> {
    let mut runs = Vec::new();
    for collection in rows.distinct("collection") {
        let rows = rows.with("collection", collection);
        for (threshold, shift, rows) in rows.by("threshold", "shift_count") {
            runs.push((format!("{collection}, threshold {threshold}, shift_count {shift}"), rows));
        }
    }
    runs
}

/// How far the estimate is off after so many iterations.
fn error(rows: &Rows<'_>) -> Option<Estimate> {
    let errors = rows.0.iter().filter_map(|row| Some(row.number(ESTIMATE)? - row.number(TRUTH)?));
    Estimate::of(&errors.collect::<Vec<_>>())
}

fn after<'a>(rows: &Rows<'a>, iterations: f64) -> Rows<'a> {
    rows.filter(|row| row.number("iter_count") == Some(iterations))
}

fn table(rows: &Rows<'_>) -> Grid {
    let head = [
        "run",
        "iterations",
        "truth (%)",
        "estimate (%)",
        "error (points)",
        "seeds with an estimate",
    ];
    let mut lines = Vec::new();
    for (name, rows) in runs(rows) {
        for iterations in rows.ascending("iter_count") {
            let rows = after(&rows, iterations);
            let guess = rows.estimate(ESTIMATE);
            let seeds = format!("{} of {}", guess.map_or(0, |guess| guess.count), rows.0.len());
            let mut cells = vec![name.clone(), iterations.to_string()];
            cells.extend([maybe(rows.estimate(TRUTH)), maybe(guess), maybe(error(&rows)), seeds]);
            lines.push(cells);
        }
    }
    let caption = "Estimate against truth".into();
    Grid { caption, head: head.map(String::from).into(), rows: lines, words: 1 }
}

fn agrees(when: &str, rows: &Rows<'_>) -> Claim {
    Claim {
        text: format!("PLEB's own estimate of its recall agrees with the truth, {when}."),
        source: String::new(),
        rule: format!(
            "For each collection, threshold and shift_count, holds when after every number of iterations with an estimate the interval of estimate − truth lies within ±{AGREES} points, and fails when one lies beyond."
        ),
        cases: runs(rows).into_iter().map(|(name, rows)| case(name, &rows)).collect(),
        reason: "The estimate is exact in expectation where all pairs are as easy to meet; where they are not, the hard ones are met neither once nor twice and are not missed, so that too much seems to be known. With few pairs, or few transpositions between iterations, it has little to go by.".into(),
    }
}

fn case(name: String, rows: &Rows<'_>) -> Case {
    let errors = rows.ascending("iter_count").into_iter();
    let errors: Vec<(f64, Estimate)> =
        errors.filter_map(|count| Some((count, error(&after(rows, count))?))).collect();
    let worst = errors.iter().max_by(|one, other| one.1.mean.abs().total_cmp(&other.1.mean.abs()));
    let within = |(_, error): &(f64, Estimate)| Verdict::within(error, -AGREES, AGREES);
    let evidence = match worst {
        Some((count, error)) => {
            format!("off most after {count} iterations: by {} points", estimate(error))
        }
        None => "no estimate was made".to_string(),
    };
    Case { name, verdict: Verdict::all(errors.iter().map(within)), evidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(estimates: [&str; 3]) -> Claim {
        let mut content = String::new();
        for (seed, estimate) in estimates.iter().enumerate() {
            content +=
                &format!("debian,tf_idf,2,{seed},1024,80,20,70,5,9,100,90,90,90,{estimate}\n");
        }
        let source = Source::of(NAME, Measure::Pleb, &content);
        agrees("at times", &source.rows(NAME, Measure::Pleb))
    }

    #[test]
    fn estimates_are_judged_by_how_far_they_are_off() {
        let good = judged(["90.5", "91", "90"]);
        assert_eq!(good.verdict(), Verdict::Holds, "{good:?}");
        assert_eq!(good.cases[0].evidence, "off most after 5 iterations: by 0.5 ± 1.2 points");
        assert_eq!(judged(["99", "98.5", "99.5"]).verdict(), Verdict::DoesNotHold);
        assert_eq!(judged(["90", "93", "91"]).verdict(), Verdict::CannotBeJudged);
        let none = judged(["", "", ""]);
        assert_eq!(none.verdict(), Verdict::CannotBeJudged);
        assert_eq!(none.cases[0].evidence, "no estimate was made");
    }
}
