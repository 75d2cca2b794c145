//! Tables of the thesis with our values beside its own.

use super::super::markdown::{Grid, maybe};
use super::super::table::{Row, Rows};

/// The thesis' collection that one of ours stands for: all documents, or the tenth with the fewest or the most distinct words.
pub fn class(collection: &str) -> &'static str {
    if collection.ends_with("-small") {
        "Coll_Small"
    } else if collection.ends_with("-large") {
        "Coll_Large"
    } else {
        "Coll_Mixed"
    }
}

/// The least documents that hold a term of a vocabulary of the thesis.
pub fn min_df(vocabulary: &str) -> &'static str {
    match vocabulary {
        "full" => "1",
        "small" => "5",
        _ => "2",
    }
}

/// Our column for a measure of the thesis; `near` are its tables of near-duplicates.
fn column(measure: &str, near: bool) -> &'static str {
    match (measure, near) {
        ("distinct_signatures", _) => "distinct_signatures",
        ("L1", false) => "L1",
        ("L2", false) => "L2",
        ("S", false) => "S",
        ("L1", true) => "near_L1",
        ("L2", true) => "near_L2",
        ("S", true) => "near_S",
        // What it prints under R is P by its formula.
        _ => "P",
    }
}

fn shown(measure: &str, near: bool) -> &str {
    match (measure, near) {
        ("R", true) => "R in the thesis, P by its formula",
        ("distinct_signatures", _) => "distinct signatures",
        _ => measure,
    }
}

/// A table of the thesis about how well signatures approximate cosines, with the same measures of ours.
pub fn approximation(table: &str, published: &Rows<'_>, ours: &Rows<'_>) -> Grid {
    let Some(first) = published.0.first() else { return nothing() };
    let near = !first.text("threshold_sim").is_empty();
    let ours = ours.with("weighting", first.text("weighting"));
    let ours = ours.filter(|row| class(row.text("collection")) == first.text("collection"));
    let collections = ours.distinct("collection");
    let mut rows = Vec::new();
    for measure in published.distinct("measure") {
        for row in &published.with("measure", measure).0 {
            let like = like(&ours, row);
            let of =
                |name: &&str| maybe(like.with("collection", name).estimate(column(measure, near)));
            let mut cells = labels(shown(measure, near), row);
            cells.push(row.text("value").to_string());
            cells.extend(collections.iter().map(of));
            rows.push(cells);
        }
    }
    if near {
        rows.extend(thresholds(published, &ours, &collections));
    }
    let mut head: Vec<String> =
        ["measure", "bits", "vocabulary", "thesis"].map(String::from).into();
    head.extend(collections.iter().map(|name| name.to_string()));
    let caption = caption(table, first, near);
    Grid { caption, head, rows, words: 3 }
}

fn nothing() -> Grid {
    Grid { caption: String::new(), head: vec![], rows: vec![], words: 0 }
}

fn caption(table: &str, row: &Row<'_>, near: bool) -> String {
    let pairs = if near {
        let threshold = row.text("threshold_sim");
        format!(
            "near-duplicates, threshold_sim {threshold}, threshold_ham the smallest h of any pair with c ≥ {threshold}"
        )
    } else {
        "all pairs".to_string()
    };
    format!("Table {table}: {}, {}, {pairs}", row.text("collection"), row.text("weighting"))
}

fn labels(measure: &str, row: &Row<'_>) -> Vec<String> {
    let vocabulary = format!("DC ≥ {}", min_df(row.text("vocabulary")));
    vec![measure.to_string(), row.text("sig_len").to_string(), vocabulary]
}

/// Our rows with the settings of one of the thesis'.
fn like<'a>(ours: &Rows<'a>, row: &Row<'_>) -> Rows<'a> {
    let rows =
        ours.with("sig_len", row.text("sig_len")).with("min_df", min_df(row.text("vocabulary")));
    match row.text("threshold_sim") {
        "" => rows,
        threshold => rows.with("threshold_sim", threshold),
    }
}

/// Which threshold_ham was found.
fn thresholds(published: &Rows<'_>, ours: &Rows<'_>, collections: &[&str]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for row in &published.with("measure", "R").0 {
        let like = like(ours, row);
        let of = |name: &&str| maybe(like.with("collection", name).estimate("threshold_ham_used"));
        let mut cells = labels("threshold_ham", row);
        cells.push(row.text("threshold_ham").to_string());
        cells.extend(collections.iter().map(of));
        rows.push(cells);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::super::source::Source;
    use super::*;
    use crate::experiment::Measure;

    #[test]
    fn our_p_stands_beside_what_the_thesis_prints_under_r() {
        // collection … threshold_ham, distinct … , then P in its place.
        let row = |seed: u32, p: &str| {
            format!(
                "debian,tf,2,200,{seed},1024,80,lowest,9,75.5,200,9,30,900,1,2,100,2,2,4,4,1,1,1,{p},1,1,1,1,1,1,1,1,1,1,1,50,3,9,0.5\n"
            )
        };
        let content = row(1, "0.2") + &row(2, "0.4");
        let source = Source::of("signature_length", Measure::Approximation, &content);
        let ours = source.rows("signature_length", Measure::Approximation);
        let grid = approximation("2.23", &source.published("2.23"), &ours);
        assert_eq!(grid.head, ["measure", "bits", "vocabulary", "thesis", "debian"]);
        let find = |measure: &str, bits: &str| {
            let is_it = |row: &&Vec<String>| row[0].starts_with(measure) && row[1] == bits;
            grid.rows.iter().find(is_it).unwrap().clone()
        };
        assert_eq!(find("R in the thesis, P", "1024")[3..], ["0.189", "0.3 ± 1.3"]);
        assert_eq!(find("R in the thesis, P", "768")[3..], ["0.143", "—"]);
        assert_eq!(find("L1", "1024")[3..], ["3.431", "3.000"]);
        assert_eq!(find("threshold_ham", "1024")[3..], ["76", "75.50"]);
    }
}
