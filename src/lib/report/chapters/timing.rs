//! `timing`: how long each stage takes, and what share of the pairs PLEB finds in its time.

use super::super::markdown::{Grid, NOTHING, duration, with_places};
use super::super::source::Source;
use super::super::table::{Row, Rows};
use super::super::verdict::{Case, Claim, Verdict};
use super::Body;
use crate::experiment::Measure;
use crate::plot::Axis;
use crate::plot::bars::{Bar, Bars, Group};

const NAME: &str = "timing";
const TABLE: &str = "2.59";
/// The documents of the thesis' collection; with fewer, times say little of its claims.
const DOCUMENTS: f64 = 644_566.0;
/// The share of pairs, in per cent, and the shares of time that are claimed for 50 iterations.
const CLAIMED_SHARE: f64 = 99.4;
const CLAIMED_OF_FULL: f64 = 50.0;
const CLAIMED_OF_SIMILARITY: f64 = 2000.0;
const SECONDS: f64 = 60.0;

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let rows = source.rows(NAME, Measure::Timing);
    body.text(
        "Wall time of whole executables, with reading and writing their files, on all cores of this machine. The thesis' were measured on an Opteron 275 of 2005 with 644,566 Czech articles; \
         ours is a collection of as many synthetic documents. One run each, so that there are no intervals.",
    );
    if !rows.is_empty() {
        let title = "Time of each stage: the thesis' and ours";
        body.picture("timing".into(), title, bars(title, source, &rows).draw());
    }
    body.table(table(source, &rows));
    body.claim(finds(&rows));
    body.claim(faster(source, &rows, &OF_FULL));
    body.claim(faster(source, &rows, &OF_SIMILARITY));
}

fn named(row: &Row<'_>) -> String {
    match row.text("iter_count") {
        "" => row.text("method").to_string(),
        count => format!("{} (iter_count {count})", row.text("method")),
    }
}

/// What the thesis published for a method, in seconds.
fn published(source: &Source, row: &Row<'_>) -> Option<f64> {
    let table = source.published(TABLE);
    let minutes = match row.text("method") {
        "hamming" => table.with("measure", "minutes").with("iter_count", row.text("iter_count")),
        "hamming_full" => table.with("measure", "hamming_full_minutes"),
        "similarity" => table.with("measure", "similarity_minutes"),
        _ => return None,
    };
    minutes.only("value").map(|minutes| minutes * SECONDS)
}

fn bars(title: &str, source: &Source, rows: &Rows<'_>) -> Bars {
    let bar = |seconds: f64| Bar { value: seconds, label: duration(seconds), half: None };
    let group = |row: &Row<'_>| Group {
        name: named(row),
        bars: vec![published(source, row).map(bar), row.number("seconds").map(bar)],
    };
    let groups: Vec<Group> = rows.0.iter().map(group).collect();
    let values = groups.iter().flat_map(|group| group.bars.iter().flatten().map(|bar| bar.value));
    let axis = Axis::logarithmic("time (s, logarithmic)", &values.collect::<Vec<_>>());
    let kinds = vec!["thesis (Opteron 275)".into(), "ours".into()];
    Bars { title: title.to_string(), axis, kinds, groups }
}

/// The share of the pairs of `hamming_full` that a run of `hamming` wrote, in per cent.
fn found(rows: &Rows<'_>, row: &Row<'_>) -> Option<f64> {
    let all = rows
        .with("collection", row.text("collection"))
        .with("method", "hamming_full")
        .only("wrote")?;
    (row.text("method") == "hamming" && all > 0.0).then_some(100.0 * row.number("wrote")? / all)
}

fn table(source: &Source, rows: &Rows<'_>) -> Grid {
    let head = [
        "collection",
        "stage",
        "thesis",
        "ours",
        "thesis / ours",
        "thesis' pairs found (%)",
        "our pairs found (%)",
    ];
    let line = |row: &Row<'_>| {
        let (own, ours) = (published(source, row), row.number("seconds"));
        let share = source.published(TABLE).with("measure", "found_pairs_pct");
        let share = share.with("iter_count", row.text("iter_count")).only("value");
        let time = |value: Option<f64>| value.map_or_else(|| NOTHING.into(), duration);
        let places = |value: Option<f64>, places| {
            value.map_or_else(|| NOTHING.into(), |value| with_places(value, places))
        };
        let ratio = own.zip(ours).filter(|(_, ours)| *ours > 0.0).map(|(own, ours)| own / ours);
        let share = share.filter(|_| row.text("method") == "hamming");
        vec![
            row.text("collection").to_string(),
            named(row),
            time(own),
            time(ours),
            places(ratio, 0),
            places(share, 2),
            places(found(rows, row), 2),
        ]
    };
    let caption = "Table 2.59: time of each stage".into();
    let lines = rows.0.iter().map(line).collect();
    Grid { caption, head: head.map(String::from).into(), rows: lines, words: 2 }
}

/// The run of PLEB that the claims are about.
fn fifty<'a>(rows: &Rows<'a>) -> Rows<'a> {
    rows.with("method", "hamming").with("iter_count", "50")
}

fn finds(rows: &Rows<'_>) -> Claim {
    let case = |row: &Row<'_>| {
        let share = found(rows, row)?;
        let verdict = if share >= CLAIMED_SHARE { Verdict::Holds } else { Verdict::DoesNotHold };
        let evidence = format!("{} % of the pairs of hamming_full", with_places(share, 2));
        Some(Case { name: row.text("collection").to_string(), verdict, evidence })
    };
    Claim {
        text: format!("With 50 iterations PLEB finds {CLAIMED_SHARE} % of the pairs."),
        source: TABLE.into(),
        rule: format!("Holds when hamming writes at least {CLAIMED_SHARE} % of the pairs that hamming_full writes (beam 50, shift_count 70, threshold 95)."),
        cases: fifty(rows).0.iter().filter_map(case).collect(),
        reason: "The share depends on how similar the pairs are: those near the threshold are found last.".into(),
    }
}

/// What PLEB's time is compared with.
struct Rival {
    method: &'static str,
    claimed: f64,
    reason: &'static str,
}

const OF_FULL: Rival = Rival {
    method: "hamming_full",
    claimed: CLAIMED_OF_FULL,
    reason: "Our hamming_full does not compare every pair with every other, as the thesis' did: it looks only at signatures that agree in some part, which is exact too at a high threshold.",
};
const OF_SIMILARITY: Rival = Rival {
    method: "similarity",
    claimed: CLAIMED_OF_SIMILARITY,
    reason: "Our similarity does not multiply every pair of vectors, as the thesis' did: it looks only at those that share one of the terms without which the threshold cannot be reached, which is exact too.",
};

fn faster(source: &Source, rows: &Rows<'_>, rival: &Rival) -> Claim {
    let case = |row: &Row<'_>| {
        let collection = rows.with("collection", row.text("collection"));
        let other = collection.with("method", rival.method);
        let (pleb, theirs) = (row.number("seconds")?, other.only("seconds")?);
        let documents = row.number("read")?;
        let verdict = if documents < DOCUMENTS {
            Verdict::CannotBeJudged
        } else if theirs / pleb >= rival.claimed {
            Verdict::Holds
        } else {
            Verdict::DoesNotHold
        };
        let gain = |row: &Row<'_>| Some(published(source, row)? / row.number("seconds")?);
        let gains = gain(row).zip(other.0.first().and_then(gain));
        let gains = gains.map_or_else(String::new, |(own, theirs)| {
            let (own, theirs) = (with_places(own, 0), with_places(theirs, 0));
            format!(
                "; hamming is {own} times as fast as the thesis', {} {theirs} times",
                rival.method
            )
        });
        let (own, other) = (duration(pleb), duration(theirs));
        let ratio = with_places(theirs / pleb, 1);
        let few = if documents < DOCUMENTS {
            format!(", of {} documents only", with_places(documents, 0))
        } else {
            String::new()
        };
        let evidence = format!("hamming {own}, {} {other}: 1/{ratio}{few}{gains}", rival.method);
        Some(Case { name: row.text("collection").to_string(), verdict, evidence })
    };
    Claim {
        text: format!(
            "PLEB with 50 iterations takes 1/{} of the time of {}.",
            rival.claimed, rival.method
        ),
        source: TABLE.into(),
        rule: format!(
            "Holds when {} takes at least {} times as long as hamming (one run each). Cannot be judged with fewer than the thesis' 644,566 documents: the one grows with their number, the other with its square.",
            rival.method, rival.claimed
        ),
        cases: fifty(rows).0.iter().filter_map(case).collect(),
        reason: rival.reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(documents: u32, full: f64) -> Source {
        let row = |method: &str, settings: &str, seconds: f64, wrote: u32| {
            format!(
                "synthetic,tf_idf,2,2007,1024,95,{method},{settings},{seconds},{documents},{wrote},pairs\n"
            )
        };
        let content = row("hamming_full", ",,", full, 1000)
            + &row("hamming", "50,70,50", 10.0, 995)
            + &row("similarity", ",,", 30000.0, 1000);
        Source::of(NAME, Measure::Timing, &content)
    }

    fn verdicts(documents: u32, full: f64) -> [Verdict; 3] {
        let source = source(documents, full);
        let rows = source.rows(NAME, Measure::Timing);
        [finds(&rows), faster(&source, &rows, &OF_FULL), faster(&source, &rows, &OF_SIMILARITY)]
            .map(|claim| claim.verdict())
    }

    #[test]
    fn times_are_judged_by_their_ratio() {
        assert_eq!(verdicts(644_566, 600.0), [Verdict::Holds; 3]);
        assert_eq!(verdicts(644_566, 60.0), [Verdict::Holds, Verdict::DoesNotHold, Verdict::Holds]);
        assert_eq!(
            verdicts(2000, 60.0),
            [Verdict::Holds, Verdict::CannotBeJudged, Verdict::CannotBeJudged]
        );
    }

    #[test]
    fn the_thesis_times_stand_beside_ours() {
        let source = source(644_566, 600.0);
        let rows = source.rows(NAME, Measure::Timing);
        let grid = table(&source, &rows);
        assert_eq!(grid.rows[0][1..5], ["hamming_full", "15.2 h", "10.0 min", "91"]);
        assert_eq!(
            grid.rows[1][1..],
            ["hamming (iter_count 50)", "18.2 min", "10.0 s", "109", "99.40", "99.50"]
        );
        let drawn = bars("Time", &source, &rows).draw();
        assert!(drawn.svg().contains("25.2 d") && drawn.svg().contains("8.3 h"));
    }
}
