//! `vocabulary_reduction`: what leaving out rare terms does to cosines, and to how well signatures approximate them.

use super::super::markdown::{Grid, NOTHING, estimate, maybe, number, with_places};
use super::super::source::Source;
use super::super::statistics::Estimate;
use super::super::table::{Row, Rows};
use super::super::verdict::{Case, Claim, Verdict};
use super::{Body, compared};
use crate::experiment::Measure;

const NAME: &str = "vocabulary_reduction";
/// Points by which a near-duplicate's cosine may change to be hardly moved.
const HARDLY_MOVED: f64 = 1.0;
/// Per cent by which a measure may change to be hardly changed.
const HARDLY_CHANGED: f64 = 10.0;
/// Our measures for L1, L2, S and what the thesis prints under R.
const MEASURES: [&str; 4] = ["L1", "L2", "S", "P"];

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let cosines = source.rows(NAME, Measure::Vocabulary);
    let rows = source.rows(NAME, Measure::Approximation);
    body.text(
        "Table 2.10 compares the cosines of the same pairs with the whole vocabulary and with a reduced one. Nothing in it is random once the sample is drawn, \
         so it has no intervals. The thesis does not say which weighting it used. Tables 2.13 to 2.16 compare Hamming similarities with cosines, both with the same vocabulary.",
    );
    body.table(distortion(source, &cosines));
    body.table(near(&cosines));
    for table in ["2.13", "2.14", "2.15", "2.16"] {
        body.table(compared::approximation(table, &source.published(table), &rows));
    }
    body.table(changes(&rows));
    body.claim(near_duplicates(&cosines));
    body.claim(approximation(&rows));
}

/// The cases without vocabulary: `debian, tf`.
fn parts<'a>(rows: &Rows<'a>) -> Vec<(String, Rows<'a>)> {
    let parts = rows.by("collection", "weighting").into_iter();
    parts.map(|(one, two, rows)| (format!("{one}, {two}"), rows)).collect()
}

fn distortion(source: &Source, cosines: &Rows<'_>) -> Grid {
    let parts = parts(cosines);
    let mut head = vec!["vocabulary".to_string(), "measure".into(), "thesis".into()];
    head.extend(parts.iter().map(|(name, _)| name.clone()));
    let line = |published: &Row<'_>| {
        let vocabulary = published.text("vocabulary").rsplit('_').next().unwrap_or_default();
        let min_df = compared::min_df(vocabulary);
        let (column, shown) = match published.text("measure") {
            "max_diff" => ("largest_difference", "largest difference"),
            other => (other, other),
        };
        let mut cells = vec![format!("DC ≥ {min_df}"), shown.to_string()];
        cells.push(published.text("value").to_string());
        cells.extend(
            parts.iter().map(|(_, rows)| maybe(rows.with("min_df", min_df).estimate(column))),
        );
        cells
    };
    let lines = source.published("2.10").0.iter().map(line).collect();
    let caption = "Table 2.10: cosines with a reduced vocabulary against those with the whole one, all pairs (points)".into();
    Grid { caption, head, rows: lines, words: 2 }
}

fn near(cosines: &Rows<'_>) -> Grid {
    let head =
        ["collection", "vocabulary", "terms left (%)", "pairs", "L1", "L2", "S"].map(String::from);
    let mut lines = Vec::new();
    for (name, rows) in parts(cosines) {
        for row in &rows.0 {
            let cell = |column: &str| row.number(column).map_or_else(|| NOTHING.into(), number);
            let left = row.number("terms").zip(row.number("terms_whole"));
            let left = left.map_or_else(
                || NOTHING.into(),
                |(terms, whole)| with_places(100.0 * terms / whole, 1),
            );
            let mut cells = vec![name.clone(), format!("DC ≥ {}", row.text("min_df")), left];
            cells.extend(["near_pairs", "near_L1", "near_L2", "near_S"].map(cell));
            lines.push(cells);
        }
    }
    let caption = "The same for near-duplicates: pairs whose cosine with the whole vocabulary is at or above threshold_sim".into();
    Grid { caption, head: head.into(), rows: lines, words: 2 }
}

fn near_duplicates(cosines: &Rows<'_>) -> Claim {
    let mut judged = Vec::new();
    for (name, rows) in parts(cosines) {
        for row in &rows.0 {
            let Some(moved) = row.number("near_L1") else { continue };
            let value = Estimate { mean: moved, half: None, count: 1 };
            judged.push(Case {
                name: format!("{name}, DC ≥ {}", row.text("min_df")),
                verdict: Verdict::at_most(&value, HARDLY_MOVED),
                evidence: format!(
                    "{} points on average ({} pairs)",
                    number(moved),
                    row.text("near_pairs")
                ),
            });
        }
    }
    Claim {
        text: "Reducing the vocabulary to DC ≥ 2 or DC ≥ 5 hardly moves near-duplicates.".into(),
        source: "2.10".into(),
        rule: format!("Holds when the cosines of pairs at or above threshold_sim change by {HARDLY_MOVED} point at most, on average."),
        cases: judged,
        reason: "A term that is left out changes a cosine the more, the fewer terms the documents have and the more weight their rare terms carry. \
                 The thesis' documents were newspaper articles, half of its terms stood in one document only; short texts have fewer terms to lose, and tf_idf gives most weight to exactly those that a reduction removes."
            .into(),
    }
}

/// By how many per cent a measure changes from the whole vocabulary, seed by seed.
fn change(rows: &Rows<'_>, min_df: &str, column: &str) -> Option<Estimate> {
    let changes = rows.each_seed(|rows| {
        let whole = rows.with("min_df", "1").only(column)?;
        let reduced = rows.with("min_df", min_df).only(column)?;
        (whole != 0.0).then(|| 100.0 * (reduced / whole - 1.0))
    });
    Estimate::of(&changes)
}

fn reduced<'a>(rows: &Rows<'a>) -> Vec<&'a str> {
    rows.distinct("min_df").into_iter().filter(|min_df| *min_df != "1").collect()
}

fn changes(rows: &Rows<'_>) -> Grid {
    let mut head = vec!["collection".to_string(), "vocabulary".into()];
    head.extend(MEASURES.map(|name| format!("{name} (%)")));
    let mut lines = Vec::new();
    for (name, rows) in parts(rows) {
        for min_df in reduced(&rows) {
            let mut cells = vec![name.clone(), format!("DC ≥ {min_df}")];
            cells.extend(MEASURES.map(|column| maybe(change(&rows, min_df, column))));
            lines.push(cells);
        }
    }
    let caption = "Change of the measures against the whole vocabulary, seed by seed".into();
    Grid { caption, head, rows: lines, words: 2 }
}

fn approximation(rows: &Rows<'_>) -> Claim {
    let mut judged = Vec::new();
    for (name, rows) in parts(rows) {
        for min_df in reduced(&rows) {
            for column in MEASURES {
                let Some(change) = change(&rows, min_df, column) else { continue };
                judged.push(Case {
                    name: format!("{name}, DC ≥ {min_df}, {column}"),
                    verdict: Verdict::within(&change, -HARDLY_CHANGED, HARDLY_CHANGED),
                    evidence: format!("changes by {} %", estimate(&change)),
                });
            }
        }
    }
    Claim {
        text: "Reducing the vocabulary changes neither L1, L2, S nor R.".into(),
        source: "2.13–2.16".into(),
        rule: format!(
            "L1, L2 and S over all pairs, and the P that the thesis prints under R, hold when the interval of their change against the whole vocabulary lies within ±{HARDLY_CHANGED} % \
             (the thesis' own numbers move by up to 9 %) and fail when it lies beyond."
        ),
        cases: judged,
        reason: "P depends on threshold_ham, which is the least h of any similar pair: one pair decides it, and it changes with the random vectors from vocabulary to vocabulary. \
                 L1 and L2 follow the cosines, which are higher when rare terms are left out."
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(min_df: u32, seed: u32, l1: f64) -> String {
        format!(
            "debian,tf,{min_df},200,{seed},768,80,lowest,9,75.5,200,9,{l1},900,1,2,100,2,2,4,4,1,1,1,0.5,1,1,1,1,1,1,1,1,1,1,1,50,3,9,0.5\n"
        )
    }

    fn judged(reduced: [f64; 3]) -> Claim {
        let mut content = String::new();
        for (seed, value) in reduced.iter().enumerate() {
            content += &(row(1, seed as u32, 30.0) + &row(2, seed as u32, *value));
        }
        let source = Source::of(NAME, Measure::Approximation, &content);
        approximation(&source.rows(NAME, Measure::Approximation))
    }

    #[test]
    fn small_changes_hold_and_large_ones_do_not() {
        let small = judged([30.3, 30.6, 30.0]);
        assert_eq!(small.verdict(), Verdict::Holds, "{small:?}");
        assert_eq!(small.cases[0].evidence, "changes by 1.0 ± 2.5 %");
        assert_eq!(judged([36.0, 36.6, 36.3]).verdict(), Verdict::DoesNotHold);
        let open = judged([30.0, 36.0, 30.0]);
        assert_eq!(open.cases[0].verdict, Verdict::CannotBeJudged);
    }

    #[test]
    fn near_duplicates_that_move_contradict() {
        let judged = |moved: &str| {
            let content = format!("debian,tf,2,200,80,10,5,200,9,1,1,2,3,40,{moved},6,7\n");
            let source = Source::of(NAME, Measure::Vocabulary, &content);
            near_duplicates(&source.rows(NAME, Measure::Vocabulary)).verdict()
        };
        assert_eq!(judged("0.458"), Verdict::Holds);
        assert_eq!(judged("1.427"), Verdict::DoesNotHold);
        assert_eq!(judged(""), Verdict::CannotBeJudged);
    }
}
