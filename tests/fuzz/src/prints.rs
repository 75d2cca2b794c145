//! PRINT files and their lists, and pairs of the prints they hold.

use nearsig::Session;
use nearsig::fuzzing::manifest::DataFile;
use nearsig::fuzzing::paths::PrintPaths;
use nearsig::fuzzing::print::{self, Prints};
use nearsig::prints::matching::{self, MatchLimits};

use super::content::{Choices, Storage, twice};
use super::scratch;

/// When prints agree.
const AGREEMENTS: [&str; 9] = [
    "equal",
    "coordinates 1",
    "coordinates 2",
    "bands 2 0.5",
    "resemblance 0.5 4",
    "containment 0.3",
    "share 0",
    "distance 3",
    "sentences 1.15 1.2 2",
];

/// Reads a PRINT file with an agreement chosen by the first byte, or a list.
///
/// Reading is repeatable and errors name a line of the file; prints that are written again read back equal. Pairs are those of all comparisons of
/// similarities, and the same for the second half of the documents as new ones.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let agreement = choices.pick(&AGREEMENTS);
    let is_list = choices.byte().is_multiple_of(4);
    let stored = choices.pick(&Storage::ALL).store(choices.rest);
    let path = scratch::write("prints", &stored);
    if is_list {
        let agreement =
            |list: PrintPaths| (list.documents, list.method, list.agreement.to_string());
        twice(&path, || PrintPaths::read(&path).map(agreement));
        return;
    }
    let agreement = agreement.parse().expect("the agreement is known");
    let files = vec![DataFile::unverified(path.clone())];
    let read = |files: Vec<DataFile>, documents: u64| {
        let header = PrintPaths {
            documents,
            method: "x".into(),
            agreement,
            files,
            provenance: None,
            shard: None,
        };
        print::read(&path, &header)
    };
    let documents = stored_documents(choices.rest);
    let parts = |prints: Prints| {
        let names: Vec<String> = prints.documents.iter().map(String::from).collect();
        (names, prints.table)
    };
    let Some((names, table)) = twice(&path, || read(files.clone(), documents).map(parts)) else {
        return;
    };
    let mut text = Vec::new();
    for (name, print) in names.iter().zip(table.iter()) {
        text.extend_from_slice(name.as_bytes());
        print::append_print(&mut text, print);
    }
    let again = vec![DataFile::unverified(scratch::write("prints2", &text))];
    let again = parts(read(again, documents).expect("prints that were written can be read"));
    assert_eq!(again, (names, table.clone()));
    let session = Session::silent();
    let all = matching::pairs(&table, agreement, 0, MatchLimits::default(), &session).pairs;
    let first_new = table.len() / 2;
    let new = matching::pairs(&table, agreement, first_new, MatchLimits::default(), &session).pairs;
    let expected = all.iter().filter(|pair| pair.high as usize >= first_new);
    assert!(expected.eq(new.iter()), "pairs of new documents");
    for pair in all.iter() {
        let [one, other] = [pair.low, pair.high].map(|document| table.get(document as usize));
        assert_eq!(pair.similarity, agreement.similarity(one, other));
    }
}

/// Returns the number of lines, which the header of a list states.
fn stored_documents(content: &[u8]) -> u64 {
    content.iter().filter(|byte| **byte == b'\n').count() as u64
}
