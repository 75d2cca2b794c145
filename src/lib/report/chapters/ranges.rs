//! `ranges`: which Hamming similarities go with which cosines, and how random hyperplanes split a collection.

use super::super::markdown::{Grid, estimate, maybe};
use super::super::source::Source;
use super::super::statistics::Estimate;
use super::super::table::Rows;
use super::super::verdict::{Case, Claim, Verdict};
use super::{Body, cases, scatter};
use crate::experiment::Measure;
use crate::plot::Axis;
use crate::plot::histogram::{Class, Histogram, Panel};

const NAME: &str = "ranges";
/// Per cent of pairs that may lie below 45 % to be hardly any.
const HARDLY_ANY: f64 = 1.0;
/// How far the mean distance from the curve may exceed what sampling gives at most, as a factor.
const BY_SAMPLING: f64 = 1.1;
/// Classes of shares, five per cent each.
const CLASSES: usize = 20;

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let pairs = source.rows(NAME, Measure::Density);
    let planes = source.rows(NAME, Measure::Planes);
    body.text(
        "Figure 2.5 of the thesis: all pairs of a sample document and a document of the collection, the pairs of all seeds together. \
         The thesis saw that Hamming similarities hardly fall below 45 % and took the uneven distribution of documents for the reason. \
         The curve is where the probability of a bit to agree, 1 − θ/π, puts a pair whose angle is θ = arccos c: at a cosine of 0 it is 50 %.",
    );
    scatter::pictures(source, NAME, &Rows::default(), body);
    body.table(pairs_table(&pairs));
    body.text(
        "Figure 2.6 of the thesis: the share of documents on the positive side of each random hyperplane. The more all documents have in common, as the most frequent words with tf, \
         the more hyperplanes have nearly all of them on one side; documents that are nearly orthogonal to each other, as with tf_idf, are about halved by every hyperplane.",
    );
    for collection in planes.distinct("collection") {
        let rows = planes.with("collection", collection);
        let title = format!(
            "{collection}: how many hyperplanes have so many documents on their positive side"
        );
        let panels = rows.distinct("weighting").into_iter();
        let panels = panels.map(|weighting| panel(weighting, &rows.with("weighting", weighting)));
        let drawn = Histogram { title: title.clone(), panels: panels.collect() }.draw();
        body.picture(format!("planes-{collection}"), &title, drawn);
    }
    body.table(planes_table(&planes));
    body.claim(floor(&pairs));
    body.claim(curve(&pairs));
}

fn pairs_table(rows: &Rows<'_>) -> Grid {
    let columns = [
        ("pairs a seed", "pairs"),
        ("mean c (%)", "cosine_mean"),
        ("mean h (%)", "hamming_mean"),
        ("least h (%)", "hamming_least"),
        ("pairs with h < 45 % (%)", "share_below_45"),
        ("mean distance from the curve (points)", "mean_distance_from_curve"),
        ("correlation of c and h", "correlation"),
    ];
    let mut head = vec!["collection".to_string()];
    head.extend(columns.map(|(name, _)| name.to_string()));
    let line = |(name, rows): (String, Rows<'_>)| {
        let mut cells = vec![name];
        cells.extend(columns.map(|(_, column)| maybe(rows.estimate(column))));
        cells
    };
    let caption = "Figure 2.5 in numbers".into();
    Grid { caption, head, rows: cases(rows).into_iter().map(line).collect(), words: 1 }
}

fn planes_table(rows: &Rows<'_>) -> Grid {
    let columns = ["share_least", "share_mean", "share_greatest", "share_deviation"];
    let head = [
        "collection",
        "least share (%)",
        "mean share (%)",
        "greatest share (%)",
        "standard deviation (points)",
    ];
    let line = |(name, rows): (String, Rows<'_>)| {
        let mut cells = vec![name];
        cells.extend(columns.map(|column| maybe(rows.estimate(column))));
        cells
    };
    let caption =
        "Figure 2.6 in numbers: the share of documents on the positive side of a hyperplane".into();
    let lines = cases(rows).into_iter().map(line).collect();
    Grid { caption, head: head.map(String::from).into(), rows: lines, words: 1 }
}

fn panel(weighting: &str, rows: &Rows<'_>) -> Panel {
    let classes: Vec<Class> = (0..CLASSES).filter_map(|number| class(rows, number)).collect();
    let highest = classes.iter().map(|class| class.value + class.half.unwrap_or(0.0));
    let mut values: Vec<f64> = highest.collect();
    values.push(0.0);
    Panel {
        heading: weighting.to_string(),
        x: Axis::linear("documents on the positive side (%)", 0.0, 100.0),
        y: Axis::around("hyperplanes (%)", &values, (0.0, 100.0)),
        classes,
    }
}

/// The share of hyperplanes of a class, in per cent of the signature's bits.
fn class(rows: &Rows<'_>, number: usize) -> Option<Class> {
    let from = 100.0 / CLASSES as f64 * number as f64;
    let to = from + 100.0 / CLASSES as f64;
    let share = |row: &super::super::table::Row<'_>| {
        Some(100.0 * row.number(&format!("planes_{from}"))? / row.number("sig_len")?)
    };
    let shares = Estimate::of(&rows.0.iter().filter_map(share).collect::<Vec<_>>())?;
    Some(Class { from, to, value: shares.mean, half: shares.half })
}

fn floor(rows: &Rows<'_>) -> Claim {
    let case = |(name, rows): (String, Rows<'_>)| {
        let share = rows.estimate("share_below_45")?;
        let verdict = Verdict::at_most(&share, HARDLY_ANY);
        let evidence = format!("{} % of the pairs below 45 %", estimate(&share));
        Some(Case { name, verdict, evidence })
    };
    Claim {
        text: "Hamming similarities hardly fall below 45 %.".into(),
        source: "figure 2.5".into(),
        rule: format!(
            "Holds when the interval of the share of pairs with h < 45 % lies below {HARDLY_ANY} % and fails when it lies above."
        ),
        cases: cases(rows).into_iter().filter_map(case).collect(),
        reason: "Signatures are so short that sampling alone takes pairs of cosine 0 below 45 %."
            .into(),
    }
}

fn curve(rows: &Rows<'_>) -> Claim {
    let case = |(name, rows): (String, Rows<'_>)| {
        let bits = rows.0.first()?.number("sig_len")?;
        // The mean of |normal| is √(2/π) deviations, and the deviation is largest at 50 %.
        let most = 100.0 * (2.0 / std::f64::consts::PI).sqrt() * 0.5 / bits.sqrt();
        let distance = rows.estimate("mean_distance_from_curve")?;
        let verdict = Verdict::at_most(&distance, most * BY_SAMPLING);
        let evidence = format!("{} points, sampling at most {most:.3}", estimate(&distance));
        Some(Case { name, verdict, evidence })
    };
    Claim {
        text: "The range of Hamming similarities is that of the curve h = 1 − arccos(c)/π, not a property of the collection.".into(),
        source: String::new(),
        rule: format!(
            "Holds when the mean distance of h from the curve is at most {BY_SAMPLING} times what sampling with so many bits gives at most, 100·√(2/π)·√(0.25/K)."
        ),
        cases: cases(rows).into_iter().filter_map(case).collect(),
        reason: "All pairs of a seed share the random vectors: with tf a few frequent words dominate all documents, so that the error of their hyperplanes is common to nearly all pairs.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_there_or_not() {
        let judged = |below: &str| {
            let content = format!("debian,tf,2,200,1,1024,200,9,10,52,40,{below},0.9,1.2\n");
            let source = Source::of(NAME, Measure::Density, &content);
            let rows = source.rows(NAME, Measure::Density);
            [floor(&rows).verdict(), curve(&rows).verdict()]
        };
        assert_eq!(judged("0.1"), [Verdict::Holds, Verdict::Holds]);
        assert_eq!(judged("5"), [Verdict::DoesNotHold, Verdict::Holds]);
    }

    #[test]
    fn shares_of_hyperplanes_are_of_all_bits() {
        let mut cells = vec!["0"; CLASSES];
        cells[9] = "512";
        cells[10] = "512";
        let content = format!("debian,tf,2,1,1024,200,1,50,99,10,{}\n", cells.join(","));
        let source = Source::of(NAME, Measure::Planes, &content);
        let found = class(&source.rows(NAME, Measure::Planes), 9).unwrap();
        assert_eq!(found, Class { from: 45.0, to: 50.0, value: 50.0, half: None });
    }
}
