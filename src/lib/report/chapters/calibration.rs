//! `calibration`: L1 and L2 of the Hamming similarity as it is and of the cosine that it estimates.

use super::super::markdown::{Grid, NOTHING, estimate, maybe, number, with_places};
use super::super::source::Source;
use super::super::statistics::Estimate;
use super::super::table::Rows;
use super::super::verdict::{Case, Claim, Verdict};
use super::{Body, cases, compared, scatter};
use crate::experiment::Measure;
use crate::plot::Axis;
use crate::plot::bars::{Bar, Bars, Group};

const NAME: &str = "calibration";
/// How far calibrated L1 may exceed the sampling limit for the problem to be removed, as a factor.
const REMOVED: f64 = 1.25;
/// Raw L1, calibrated L1, and what sampling alone leaves of the latter.
const KINDS: [(&str, &str); 3] = [
    ("raw: |c − h|", "L1"),
    ("calibrated: |c − cos(π(1 − h))|", "L1_calibrated"),
    ("sampling limit of the calibrated", "L1_calibrated_theory"),
];

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let rows = source.rows(NAME, Measure::Approximation);
    body.text(
        "ĉ = 100·cos(π(1 − h)) is the cosine that a Hamming similarity estimates. Its L1 cannot fall below what K random bits leave: \
         the mean over the pairs of 100·√(2/π)·π·sin θ·√(p(1 − p)/K), the sampling limit.",
    );
    if let Some(sentence) = asked_for(source, &rows) {
        body.text(sentence);
    }
    if !rows.is_empty() {
        let title = "L1 over all pairs: raw, calibrated, and the limit that sampling sets";
        body.picture("calibration-L1".into(), title, bars(title, source, &rows).draw());
    }
    body.table(table(source, &rows));
    scatter::pictures(source, NAME, &source.rows("ranges", Measure::Density), body);
    body.claim(irremovable(&rows));
}

/// The thesis' L1 of a weighting at a length, for collections of all documents.
fn published(source: &Source, rows: &Rows<'_>) -> Option<f64> {
    let row = rows.0.first()?;
    let is_mixed = compared::class(row.text("collection")) == "Coll_Mixed";
    let table = if row.text("weighting") == "tf" { "2.17" } else { "2.20" };
    let like = source.published(table).with("sig_len", row.text("sig_len")).with("measure", "L1");
    like.only("value").filter(|_| is_mixed)
}

/// The number that matters most, in a sentence: tf_idf of all documents.
fn asked_for(source: &Source, rows: &Rows<'_>) -> Option<String> {
    let parts: Vec<String> = cases(&rows.with("weighting", "tf_idf"))
        .into_iter()
        .filter_map(|(name, rows)| {
            let [raw, calibrated, limit] = KINDS.map(|(_, column)| rows.estimate(column));
            let [raw, calibrated, limit] =
                [raw?, calibrated?, limit?].map(|value| estimate(&value));
            Some(format!("{name}: raw {raw}, calibrated **{calibrated}**, limit {limit}"))
        })
        .collect();
    let own = published(source, &rows.with("weighting", "tf_idf"))?;
    let bits = rows.distinct("sig_len").join(", ");
    (!parts.is_empty()).then(|| {
        format!(
            "**L1 of Mixed, tf_idf, {bits} bits.** The thesis: {} raw. Ours: {}.",
            number(own),
            parts.join("; ")
        )
    })
}

fn bars(title: &str, source: &Source, rows: &Rows<'_>) -> Bars {
    let bar = |value: Option<Estimate>| {
        value.map(|value| Bar {
            value: value.mean,
            label: with_places(value.mean, 2),
            half: value.half,
        })
    };
    let group = |(name, rows): (String, Rows<'_>)| {
        let own = published(source, &rows).map(|mean| Estimate { mean, half: None, count: 1 });
        let mut bars: Vec<Option<Bar>> =
            KINDS.iter().map(|(_, column)| bar(rows.estimate(column))).collect();
        bars.push(bar(own));
        Group { name, bars }
    };
    let groups: Vec<Group> = cases(rows).into_iter().map(group).collect();
    let values = groups.iter().flat_map(|group| group.bars.iter().flatten().map(|bar| bar.value));
    let mut values: Vec<f64> = values.collect();
    values.push(0.0);
    let mut kinds: Vec<String> = KINDS.iter().map(|(name, _)| name.to_string()).collect();
    kinds.push("thesis' Coll_Mixed, raw".into());
    let axis = Axis::around("L1 (points)", &values, (0.0, 100.0));
    Bars { title: title.to_string(), axis, kinds, groups }
}

/// Calibrated L1 in sampling limits, seed by seed.
fn in_limits(rows: &Rows<'_>) -> Option<Estimate> {
    let ratios: Vec<f64> = rows
        .0
        .iter()
        .filter_map(|row| {
            let limit = row.number("L1_calibrated_theory").filter(|limit| *limit > 0.0)?;
            Some(row.number("L1_calibrated")? / limit)
        })
        .collect();
    Estimate::of(&ratios)
}

fn table(source: &Source, rows: &Rows<'_>) -> Grid {
    let head = [
        "collection",
        "bits",
        "thesis' L1, raw",
        "L1, raw",
        "L1, calibrated",
        "sampling limit",
        "calibrated / limit",
        "L2, raw",
        "L2, calibrated",
    ];
    let line = |(name, rows): (String, Rows<'_>)| {
        let own = published(source, &rows).map_or_else(|| NOTHING.into(), number);
        let mut cells = vec![name, rows.distinct("sig_len").join(", "), own];
        cells.extend(KINDS.map(|(_, column)| maybe(rows.estimate(column))));
        cells.push(maybe(in_limits(&rows)));
        cells.extend(["L2", "L2_calibrated"].map(|column| maybe(rows.estimate(column))));
        cells
    };
    let caption = "L1 and L2 over all pairs, raw and calibrated (points, squared points)".into();
    let lines = cases(rows).into_iter().map(line).collect();
    Grid { caption, head: head.map(String::from).into(), rows: lines, words: 1 }
}

fn irremovable(rows: &Rows<'_>) -> Claim {
    let case = |(name, rows): (String, Rows<'_>)| {
        let ratio = in_limits(&rows)?;
        let is_removed = Verdict::at_most(&ratio, REMOVED);
        let evidence = format!(
            "L1 {} raw, {} calibrated: {} of the sampling limit",
            maybe(rows.estimate("L1")),
            maybe(rows.estimate("L1_calibrated")),
            estimate(&ratio)
        );
        Some(Case { name, verdict: is_removed.of_contrary(), evidence })
    };
    Claim {
        text: "The problem of ranges is irremovable: over all pairs L1 and L2 stay large.".into(),
        source: "2.4.2, 2.13–2.20".into(),
        rule: format!(
            "Does not hold when calibration removes it: the interval of calibrated L1 / sampling limit lies below {REMOVED}. Holds when it lies above."
        ),
        cases: cases(rows).into_iter().filter_map(case).collect(),
        reason: "The range is the map h = 1 − arccos(c)/π, which has an inverse. With it the Hamming similarity estimates the cosine itself, and what is left is the error of sampling with so many bits.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(calibrated: [f64; 3]) -> Source {
        let mut content = String::new();
        for (seed, value) in calibrated.iter().enumerate() {
            content += &format!(
                "debian,tf_idf,2,200,{seed},1024,80,calibrated,9,79.5,200,9,48.5,2400,50,2,100,2,2,{value},4,1,1,1,0.5,1,1,1,1,1,1,1,1,1,1,1,50,3,9,0.5\n"
            );
        }
        Source::of(NAME, Measure::Approximation, &content)
    }

    fn verdict(calibrated: [f64; 3]) -> Verdict {
        irremovable(&source(calibrated).rows(NAME, Measure::Approximation)).verdict()
    }

    #[test]
    fn what_calibration_removes_is_not_irremovable() {
        assert_eq!(verdict([4.0, 4.1, 3.9]), Verdict::DoesNotHold);
        assert_eq!(verdict([40.0, 41.0, 39.0]), Verdict::Holds);
        assert_eq!(verdict([4.0, 6.0, 5.0]), Verdict::CannotBeJudged);
    }

    #[test]
    fn raw_calibrated_and_limit_are_said_beside_the_thesis() {
        let source = source([4.0, 4.1, 3.9]);
        let sentence = asked_for(&source, &source.rows(NAME, Measure::Approximation)).unwrap();
        assert_eq!(
            sentence,
            "**L1 of Mixed, tf_idf, 1024 bits.** The thesis: 49.36 raw. Ours: debian, tf_idf: raw 48.50, calibrated **4.00 ± 0.25**, limit 4.000."
        );
    }

    #[test]
    fn the_picture_has_a_bar_for_the_thesis() {
        let source = source([4.0, 4.1, 3.9]);
        let drawn = bars("L1", &source, &source.rows(NAME, Measure::Approximation)).draw();
        for text in ["debian, tf_idf", "48.50", "4.00", "49.36", "L1 (points)"] {
            assert!(drawn.svg().contains(text), "{text}");
        }
    }
}
