//! `pleb_parameters`: what share of the pairs PLEB finds, by beam, shift_count and iter_count.

use super::super::markdown::{Grid, NOTHING, estimate, maybe, with_places};
use super::super::source::Source;
use super::super::statistics::{Estimate, exponent};
use super::super::table::Rows;
use super::super::verdict::{Case, Claim, Verdict};
use super::{Body, cases};
use crate::experiment::Measure;
use crate::plot::curves::{Curves, Panel, Point, Series};
use crate::plot::{Axis, Look};

const FOUND: &str = "found_pairs_pct";
/// From here on there is nothing left to find.
const ALL: f64 = 99.95;

/// Settings that miss pairs, without which an exponent means little.
const LEAST_POINTS: usize = 3;

/// One table of the thesis: a parameter that grows, and two that stay.
struct Sweep {
    table: &'static str,
    over: &'static str,
    fixed: [(&'static str, &'static str); 2],
}

const SWEEPS: [Sweep; 4] = [
    Sweep { table: "2.1", over: "beam", fixed: [("shift_count", "50"), ("iter_count", "100")] },
    Sweep { table: "2.2", over: "shift_count", fixed: [("beam", "10"), ("iter_count", "500")] },
    Sweep { table: "2.3", over: "shift_count", fixed: [("beam", "20"), ("iter_count", "500")] },
    Sweep { table: "2.4", over: "iter_count", fixed: [("beam", "50"), ("shift_count", "40")] },
];

impl Sweep {
    fn rows<'a>(&self, rows: &Rows<'a>) -> Rows<'a> {
        let [(one, at_one), (two, at_two)] = self.fixed;
        let rows = rows.with(one, at_one).with(two, at_two);
        rows.filter(|row| row.number(self.over).is_some())
    }

    /// `beam 10, iter_count 500`.
    fn settings(&self) -> String {
        self.fixed.map(|(key, value)| format!("{key} {value}")).join(", ")
    }

    fn points(&self, rows: &Rows<'_>, column: &str) -> Vec<(f64, f64)> {
        let rows = self.rows(rows);
        let at = |value: f64| rows.filter(|row| row.number(self.over) == Some(value));
        let values = rows.ascending(self.over).into_iter();
        values.filter_map(|value| Some((value, at(value).estimate(column)?.mean))).collect()
    }

    /// How many points more are found with the largest value than with the smallest.
    fn gain(&self, rows: &Rows<'_>, column: &str) -> Option<f64> {
        let points = self.points(rows, column);
        let (first, last) = (points.first()?, points.last()?);
        (points.len() > 1).then_some(last.1 - first.1)
    }

    /// e in: the share of missed pairs is a·xᵉ.
    fn exponent(&self, rows: &Rows<'_>, column: &str) -> Option<f64> {
        let points = self.points(rows, column).into_iter();
        let missed =
            points.map(|(x, found)| (x, 100.0 - found)).filter(|(_, missed)| *missed > 0.0);
        let missed: Vec<(f64, f64)> = missed.collect();
        exponent(&missed).filter(|_| missed.len() >= LEAST_POINTS).map(|fit| fit.slope)
    }
}

/// Writes the chapter.
pub fn write(source: &Source, body: &mut Body) {
    let rows = source.rows("pleb_parameters", Measure::Pleb);
    body.text(
        "The share of the pairs of `hamming_full` at or above the threshold that `hamming` finds. Ours with 95 % intervals over seeds; \
         a seed changes the random vectors and the permutations.",
    );
    for over in ["beam", "shift_count", "iter_count"] {
        if !rows.is_empty() {
            picture(source, &rows, over, body);
        }
        body.claim(growth(&rows, over));
    }
    for sweep in &SWEEPS {
        body.table(table(source, &rows, sweep));
    }
    body.table(effects(source, &rows));
    body.claim(matters_most(source, &rows, &BY_GAIN));
    body.claim(matters_most(source, &rows, &BY_EXPONENT));
}

fn table(source: &Source, rows: &Rows<'_>, sweep: &Sweep) -> Grid {
    let cases = cases(rows);
    let mut head = vec![sweep.over.to_string(), "thesis (%)".into()];
    head.extend(cases.iter().map(|(name, _)| format!("{name} (%)")));
    let line = |published: &super::super::table::Row<'_>| {
        let value = published.text(sweep.over);
        let mut cells = vec![value.to_string(), published.text("value").to_string()];
        cells.extend(
            cases
                .iter()
                .map(|(_, rows)| maybe(sweep.rows(rows).with(sweep.over, value).estimate(FOUND))),
        );
        cells
    };
    let lines = source.published(sweep.table).0.iter().map(line).collect();
    let caption =
        format!("Table {}: pairs found by {} ({})", sweep.table, sweep.over, sweep.settings());
    Grid { caption, head, rows: lines, words: 1 }
}

fn picture(source: &Source, rows: &Rows<'_>, over: &str, body: &mut Body) {
    let (mut series, mut ours) = (Vec::new(), 0);
    for (number, sweep) in SWEEPS.iter().filter(|sweep| sweep.over == over).enumerate() {
        for (name, rows) in cases(rows) {
            let points = points(&sweep.rows(&rows), over);
            let look = Look::measured(ours);
            ours += 1;
            series.push(Series { name: format!("{name}, {}", sweep.settings()), look, points });
        }
        let published = source.published(sweep.table);
        let points = published.0.iter().filter_map(|row| {
            Some(Point { x: row.number(over)?, y: row.number("value")?, half: None })
        });
        let name = format!("thesis, {}", sweep.settings());
        series.push(Series { name, look: Look::published(number), points: points.collect() });
    }
    let all: Vec<Point> = series.iter().flat_map(|one| one.points.clone()).collect();
    let values: Vec<f64> = all.iter().map(|point| point.y).collect();
    let places: Vec<f64> = all.iter().map(|point| point.x).collect();
    let panel = Panel {
        heading: String::new(),
        x: Axis::around(format!("{over}{}", unit(over)), &places, (0.0, f64::INFINITY)),
        y: Axis::around("pairs found (% of those of hamming_full)", &values, (0.0, 100.0)),
        series,
        marks: vec![],
    };
    let title = format!("Pairs that PLEB finds, by {over}");
    let drawn = Curves { title: title.clone(), panels: vec![panel] }.draw();
    body.picture(format!("pleb-{over}"), &title, drawn);
}

fn unit(over: &str) -> &'static str {
    match over {
        "beam" => " (signatures compared with each)",
        "shift_count" => " (transpositions an iteration)",
        _ => " (iterations)",
    }
}

fn points(rows: &Rows<'_>, over: &str) -> Vec<Point> {
    let at = |x: f64| {
        let found = rows.filter(|row| row.number(over) == Some(x)).estimate(FOUND)?;
        Some(Point { x, y: found.mean, half: found.half })
    };
    rows.ascending(over).into_iter().filter_map(at).collect()
}

fn growth(rows: &Rows<'_>, over: &str) -> Claim {
    let mut judged = Vec::new();
    for sweep in SWEEPS.iter().filter(|sweep| sweep.over == over) {
        for (name, rows) in cases(rows) {
            judged.extend(growth_in(sweep, &name, &sweep.rows(&rows)));
        }
    }
    let tables: Vec<&str> =
        SWEEPS.iter().filter(|sweep| sweep.over == over).map(|sweep| sweep.table).collect();
    Claim {
        text: format!("Found pairs grow with {over}."),
        source: tables.join(", "),
        rule: format!(
            "Holds when more pairs are found with the largest {over} than with the smallest (interval of the gain, seed by seed, above 0) and no step between \
             neighbours loses pairs (interval below 0). Cannot be judged where {ALL} % are found from the start."
        ),
        cases: judged,
        reason: "The other parameters already find nearly all pairs, so that this one has nothing to add.".into(),
    }
}

fn growth_in(sweep: &Sweep, name: &str, rows: &Rows<'_>) -> Option<Case> {
    let values = rows.ascending(sweep.over);
    let (first, last) = (values.first()?, values.last()?);
    let at = |value: f64| rows.filter(|row| row.number(sweep.over) == Some(value));
    let begin = at(*first).estimate(FOUND)?;
    let end = at(*last).estimate(FOUND)?;
    let gain = Estimate::of(&rows.each_seed(|rows| sweep.gain(rows, FOUND)))?;
    let step = |pair: &[f64]| {
        let both = rows.filter(|row| row.number(sweep.over).is_some_and(|x| pair.contains(&x)));
        let gains = both.each_seed(|rows| sweep.gain(rows, FOUND));
        // A step that loses pairs contradicts; one that shows nothing does not.
        match Estimate::of(&gains) {
            Some(gain) if gain.high() < 0.0 => Verdict::DoesNotHold,
            _ => Verdict::Holds,
        }
    };
    let steps = values.windows(2).map(step);
    let verdict = if begin.mean >= ALL {
        Verdict::CannotBeJudged
    } else {
        Verdict::all(steps.chain([Verdict::above(&gain, 0.0)]))
    };
    let evidence = format!(
        "{} % at {}, {} % at {}: {} points more",
        estimate(&begin),
        first,
        estimate(&end),
        last,
        estimate(&gain)
    );
    Some(Case { name: format!("{name}, {}", sweep.settings()), verdict, evidence })
}

/// A way to say how much a parameter matters.
struct Way {
    text: &'static str,
    rule: &'static str,
    unit: &'static str,
    reason: &'static str,
    /// Larger means that it matters more.
    of: fn(&Sweep, &Rows<'_>, &str) -> Option<f64>,
}

const BY_GAIN: Way = Way {
    text: "shift_count matters most (by the gain over the ranges of the thesis).",
    rule: "Holds when the points gained from the smallest to the largest shift_count exceed those gained by beam and by iter_count over the ranges of tables 2.1 and 2.4 \
           (intervals of both differences, seed by seed, above 0).",
    unit: "points",
    reason: "The gain depends on the ranges that were tried and on how much is left to find: the thesis tried a beam from 60 to 90 but a shift_count from 10 to 90.",
    of: |sweep, rows, column| sweep.gain(rows, column),
};

const BY_EXPONENT: Way = Way {
    text: "shift_count matters most (by the same growth of each parameter).",
    rule: "With the share of missed pairs as a·xᵉ, fitted over each range seed by seed, holds when −e of shift_count exceeds that of beam and that of iter_count (intervals of both differences above 0). \
           Unlike the gain this does not depend on how wide the ranges are.",
    unit: "(−e)",
    reason: "Doubling the beam or the iterations doubles the pairs that are compared; doubling shift_count only makes iterations less alike, which helps until they are independent. \
             It costs next to nothing, though: that is its merit.",
    of: |sweep, rows, column| sweep.exponent(rows, column).map(|exponent| -exponent),
};

fn matters_most(source: &Source, rows: &Rows<'_>, way: &Way) -> Claim {
    let mut judged = Vec::new();
    for (name, rows) in cases(rows) {
        for sweep in SWEEPS.iter().filter(|sweep| sweep.over == "shift_count") {
            judged.push(most_in(way, &format!("{name}, {}", sweep.settings()), &rows, sweep));
        }
    }
    let own = |sweep: &Sweep| {
        let value = (way.of)(sweep, &source.published(sweep.table), "value");
        let value = value.map_or_else(|| NOTHING.to_string(), |value| with_places(value, 2));
        format!("{} {value} (table {})", sweep.over, sweep.table)
    };
    let own = SWEEPS.iter().map(own).collect::<Vec<_>>().join(", ");
    Claim {
        text: way.text.into(),
        source: "2.1–2.4".into(),
        rule: format!("{} The thesis' own numbers by this measure: {own}.", way.rule),
        cases: judged,
        reason: way.reason.into(),
    }
}

fn most_in(way: &Way, name: &str, rows: &Rows<'_>, shift: &Sweep) -> Case {
    let effect = |sweep: &Sweep| Estimate::of(&rows.each_seed(|rows| (way.of)(sweep, rows, FOUND)));
    let mut verdicts = Vec::new();
    let mut evidence = format!("shift_count {} {}", maybe(effect(shift)), way.unit);
    for other in SWEEPS.iter().filter(|sweep| sweep.over != "shift_count") {
        let more = rows
            .each_seed(|rows| Some((way.of)(shift, rows, FOUND)? - (way.of)(other, rows, FOUND)?));
        // Without a difference, because too few settings miss pairs, nothing can be said.
        let more = Estimate::of(&more).map(|more| Verdict::above(&more, 0.0));
        verdicts.push(more.unwrap_or(Verdict::CannotBeJudged));
        evidence += &format!(", {} {}", other.over, maybe(effect(other)));
    }
    Case { name: name.to_string(), verdict: Verdict::all(verdicts), evidence }
}

fn effects(source: &Source, rows: &Rows<'_>) -> Grid {
    let cases = cases(rows);
    let mut head: Vec<String> =
        ["parameter", "table", "thesis, gain (points)", "thesis, e"].map(String::from).into();
    head.extend(
        cases.iter().flat_map(|(name, _)| [format!("{name}, gain (points)"), format!("{name}, e")]),
    );
    let line = |sweep: &Sweep| {
        let published = source.published(sweep.table);
        let own = [sweep.gain(&published, "value"), sweep.exponent(&published, "value")];
        let mut cells = vec![sweep.over.to_string(), sweep.table.to_string()];
        cells.extend(
            own.map(|value| value.map_or_else(|| NOTHING.into(), |value| with_places(value, 2))),
        );
        for (_, rows) in &cases {
            let of = |of: fn(&Sweep, &Rows<'_>, &str) -> Option<f64>| {
                maybe(Estimate::of(&rows.each_seed(|rows| of(sweep, rows, FOUND))))
            };
            cells.extend([of(Sweep::gain), of(Sweep::exponent)]);
        }
        cells
    };
    let caption = "How much each parameter matters: points gained over its range, and e in missed share = a·xᵉ".into();
    Grid { caption, head, rows: SWEEPS.iter().map(line).collect(), words: 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(found: &[(&str, [f64; 3])]) -> Source {
        let mut content = String::new();
        for (beam, values) in found {
            for (seed, value) in values.iter().enumerate() {
                content += &format!(
                    "debian,tf_idf,2,{seed},1024,80,{beam},50,100,9,100,9,{value},{value},\n"
                );
            }
        }
        Source::of("pleb_parameters", Measure::Pleb, &content)
    }

    fn judged(found: &[(&str, [f64; 3])]) -> Claim {
        growth(&source(found).rows("pleb_parameters", Measure::Pleb), "beam")
    }

    #[test]
    fn growth_that_is_there_holds() {
        let claim = judged(&[("60", [70.0, 71.0, 72.0]), ("90", [75.0, 76.0, 77.5])]);
        assert_eq!(claim.verdict(), Verdict::Holds, "{claim:?}");
        assert!(claim.cases[0].evidence.contains("71.0 ± 2.5 % at 60"), "{claim:?}");
    }

    #[test]
    fn a_loss_contradicts_growth() {
        let claim = judged(&[
            ("60", [70.0, 71.0, 72.0]),
            ("70", [60.0, 61.0, 62.0]),
            ("90", [75.0, 76.0, 77.0]),
        ]);
        assert_eq!(claim.verdict(), Verdict::DoesNotHold, "{claim:?}");
        let claim = judged(&[("60", [70.0, 71.0, 72.0]), ("90", [65.0, 66.0, 67.0])]);
        assert_eq!(claim.verdict(), Verdict::DoesNotHold);
    }

    #[test]
    fn growth_that_is_not_clear_or_not_possible_cannot_be_judged() {
        let unclear = judged(&[("60", [70.0, 71.0, 72.0]), ("90", [72.0, 70.0, 72.0])]);
        assert_eq!(unclear.verdict(), Verdict::CannotBeJudged, "{unclear:?}");
        let full = judged(&[("60", [100.0; 3]), ("90", [100.0; 3])]);
        assert_eq!(full.verdict(), Verdict::CannotBeJudged);
        assert_eq!(judged(&[]).verdict(), Verdict::CannotBeJudged);
    }

    #[test]
    fn the_thesis_own_numbers_are_measured_alike() {
        let source = source(&[]);
        let gain = SWEEPS[0].gain(&source.published("2.1"), "value").unwrap();
        assert!((gain - 8.8).abs() < 1e-9, "78.6 − 69.8");
        // Tables 2.1: ln(30.2), ln(26.7), ln(23.8), ln(21.4) over ln(60), ln(70), ln(80), ln(90).
        let exponent = SWEEPS[0].exponent(&source.published("2.1"), "value").unwrap();
        assert!((exponent + 0.849).abs() < 2e-3, "{exponent}");
    }
}
