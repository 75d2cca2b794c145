//! Files of pairs in all forms, and tables of clusters.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use nearsig::Result;
use nearsig::fuzzing::name::name_of_id;
use nearsig::fuzzing::pairs::{
    OriginColumns, PairFile, ResultWriter, TableFile, append_group, for_each_cluster_row,
    write_pairs,
};
use nearsig::search::Pair;

use super::content::{Choices, Storage, twice};
use super::scratch;

/// Names whose extensions matter where the content leaves the form open.
const NAMES: [&str; 5] = ["pairs", "pairs.tsv", "pairs.csv", "pairs.jsonl", "pairs.csv.gz"];

/// A pair: line, ids, and the bits of the similarity in percent.
type Listed = (u64, [String; 2], u64);
/// Documents and their similarity bits, by document.
type Row = (Vec<String>, Vec<(Vec<String>, u64)>);

/// Reads a file of pairs, and the same file as a table of clusters.
///
/// Reading is repeatable and errors name a line of the file; pairs listed by document are the same pairs; tables and result lines that are
/// written again read back equal.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let name = choices.pick(&NAMES);
    let stored = choices.pick(&Storage::ALL).store(choices.rest);
    let path = scratch::write(name, &stored);
    check_clusters(&path);
    let Ok(file) = PairFile::open(&path) else { return };
    let is_table = file.is_table();
    let pairs = twice(&path, || pairs(&path));
    let rows = twice(&path, || rows(&path));
    assert_eq!(pairs.is_some(), rows.is_some(), "one of two readers fails");
    let (Some(pairs), Some(rows)) = (pairs, rows) else { return };
    check_lookup(&path, &rows);
    if is_table {
        check_rows(&pairs, &rows);
        check_tables(&pairs);
    } else {
        check_results(&rows);
    }
}

fn pairs(path: &Path) -> Result<Vec<Listed>> {
    let mut pairs = Vec::new();
    PairFile::open(path)?.for_each_pair(None, |pair| {
        pairs.push((pair.line, pair.ids.map(String::from), pair.similarity.to_bits()));
        Ok(())
    })?;
    Ok(pairs)
}

fn rows(path: &Path) -> Result<Vec<Row>> {
    let mut rows = PairFile::open(path)?.rows(None, path)?;
    let mut all = Vec::new();
    while let Some(row) = rows.next_row()? {
        let matches = row.matches.iter().map(|(group, bits)| (owned(group), bits.to_bits()));
        all.push((owned(&row.head), matches.collect()));
    }
    Ok(all)
}

fn owned(group: &[Cow<str>]) -> Vec<String> {
    group.iter().map(|name| name.to_string()).collect()
}

/// Checks that a table lists every pair under both documents.
fn check_rows(pairs: &[Listed], rows: &[Row]) {
    let mut expected = Vec::new();
    for (_, [one, other], bits) in pairs {
        let [one, other] = [one, other].map(|id| name_of_id(id));
        expected.push((one.clone(), other.clone(), *bits));
        expected.push((other, one, *bits));
    }
    let mut found = Vec::new();
    for (head, matches) in rows {
        for (group, bits) in matches {
            found.push((head[0].clone(), group[0].clone(), *bits));
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

/// Checks that every document is found at its line, unless it has several.
fn check_lookup(path: &Path, rows: &[Row]) {
    let Ok((mut index, mut lookup)) = PairFile::open(path).and_then(|f| f.lookup(None, path))
    else {
        let mut heads: Vec<&String> = rows.iter().flat_map(|(head, _)| head).collect();
        heads.sort();
        assert!(heads.windows(2).any(|two| two[0] == two[1]), "unique documents are not found");
        return;
    };
    for (head, matches) in rows {
        for document in head {
            let line = index.query(document).flatten().expect("every document has a line");
            let row = lookup.row_of(line, document).expect("the row is read again");
            assert_eq!(&owned(&row.head), head);
            let found = row.matches.iter().map(|(group, bits)| (owned(group), bits.to_bits()));
            assert_eq!(&found.collect::<Vec<_>>(), matches);
        }
    }
}

/// Writes pairs in all forms: they read back with the same ids and, from the second time on, the same similarities.
fn check_tables(listed: &[Listed]) {
    let mut ids = Vec::new();
    let mut all = Vec::new();
    for (number, (_, [one, other], bits)) in (0..).step_by(2).zip(listed) {
        ids.extend([one.as_str(), other.as_str()]);
        let similarity = f64::from_bits(*bits);
        all.push(Pair { low: number, high: number + 1, similarity });
    }
    let mut forms = Vec::new();
    for name in ["again.tsv", "again.csv", "again.jsonl"] {
        let path = scratch::path(name);
        let id = |document: u32| ids[document as usize];
        let publisher = scratch::publisher();
        let file = TableFile::create(&publisher, &path);
        let part =
            file.and_then(|file| write_pairs(file, all.iter().copied(), OriginColumns(0), id));
        let published = part.and_then(|part| publisher.publish(vec![vec![part]]));
        published.expect("pairs can be written");
        let again = pairs(&path).expect("a table that was written can be read");
        let of = |listed: &[Listed]| listed.iter().map(|pair| pair.1.clone()).collect::<Vec<_>>();
        assert_eq!(of(&again), of(listed), "{name}");
        for ((_, _, before), (_, _, after)) in listed.iter().zip(&again) {
            let [before, after] = [before, after].map(|bits| f64::from_bits(*bits));
            assert!((before - after).abs() <= 0.51e-6, "{name}: {before} became {after}");
        }
        forms.push(again.into_iter().map(|pair| pair.2).collect::<Vec<_>>());
    }
    assert!(forms.windows(2).all(|two| two[0] == two[1]), "forms differ: {forms:?}");
}

/// Writes result lines again: they read back equal.
fn check_results(rows: &[Row]) {
    let path = scratch::path("again");
    let mut out =
        ResultWriter::create(&scratch::publisher(), &path).expect("result lines can be written");
    let append = |line: &mut String, group: &[String]| {
        append_group(line, &group[0], group[1..].iter().map(|name| &**name));
    };
    for (head, matches) in rows {
        let mut first = String::new();
        append(&mut first, head);
        let line = out.line(&first, matches, |line, (group, bits)| {
            append(line, group);
            write!(line, ":{}", f64::from_bits(*bits)).expect("memory can be written");
        });
        line.expect("result lines can be written");
    }
    out.finish().expect("result lines can be written");
    let file = PairFile::open(&path).expect("result lines can be read");
    // A first name may look like the header of a table, or begin with a byte order mark.
    let begins_with_mark = rows.first().is_some_and(|(head, _)| head[0].starts_with('\u{feff}'));
    if !file.is_table() && !begins_with_mark {
        assert_eq!(self::rows(&path).expect("result lines can be read"), rows);
    }
}

fn check_clusters(path: &Path) {
    let read = || {
        let mut rows = Vec::new();
        for_each_cluster_row(path, |row| {
            assert!((0.0..=1.0).contains(&row.smallest) && (0.0..=1.0).contains(&row.mean));
            rows.push(format!("{row:?}"));
            Ok(())
        })?;
        Ok(rows)
    };
    twice(path, read);
}
