//! Files of the pipeline: BOW, VEC, SIG and VOC files, and their lists.

use std::path::Path;

use nearsig::Result;
use nearsig::fuzzing::bow::{self, Bag, BagConsumer};
use nearsig::fuzzing::input::Line;
use nearsig::fuzzing::manifest::{DataFile, Parameters, Provenance, StageKind};
use nearsig::fuzzing::paths::{BowPaths, SigPaths, VecPaths};
use nearsig::fuzzing::vec::{self, Vectors, component};
use nearsig::fuzzing::{sig, voc};
use nearsig::text::{CountedTerm, Key};
use nearsig::vector::Weighting;

use super::content::{Choices, Storage, twice};
use super::scratch;

/// Dimensions of vectors: some have more digits than the fast parser reads.
const TERMS: [usize; 4] = [300, 8, 100_000_000, u32::MAX as usize];
/// Lengths of signatures in bits: whole words, parts of words, illegal.
const BITS: [usize; 6] = [64, 4, 100, 128, 1024, 6];

/// Reads a file of the kind that the first byte selects.
///
/// Reading is repeatable and errors name a line of the file; content that is written again reads back equal.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let kind = choices.byte();
    let option = choices.byte();
    let stored = choices.pick(&Storage::ALL).store(choices.rest);
    match kind % 5 {
        0 => check_bags(&stored),
        1 => check_vectors(&stored, TERMS[usize::from(option) % TERMS.len()]),
        2 => check_signatures(&stored, BITS[usize::from(option) % BITS.len()]),
        3 => check_vocabulary(&stored),
        _ => check_lists(&stored),
    }
}

/// Names and terms of bags.
type Bags = Vec<(String, Vec<(String, u64)>)>;

#[derive(Default)]
struct Collector(Bags);

impl BagConsumer for Collector {
    fn take(&mut self, line: &Line<'_>, bag: Bag<'_, '_>) -> Result<()> {
        assert!(line.text.contains(':'));
        let term = |term: &CountedTerm| {
            assert_eq!(term.key, Key::of(term.text), "the key of {:?}", term.text);
            (term.text.to_string(), term.count)
        };
        self.0.push((bag.name.into_owned(), bag.terms.iter().map(term).collect()));
        Ok(())
    }
}

fn read_bags(path: &Path) -> Result<Bags> {
    let mut bags = Collector::default();
    bow::for_each(&DataFile::unverified(path.to_path_buf()), &mut bags)?;
    Ok(bags.0)
}

fn check_bags(stored: &[u8]) {
    let path = scratch::write("bow", stored);
    let Some(bags) = twice(&path, || read_bags(&path)) else { return };
    let mut text = Vec::new();
    for (name, terms) in &bags {
        text.extend_from_slice(name.as_bytes());
        let counted = |(text, count): &'_ (String, u64)| (text.clone(), *count);
        let terms: Vec<(String, u64)> = terms.iter().map(counted).collect();
        let terms = terms.iter().map(|(text, count)| CountedTerm {
            text,
            key: Key::of(text),
            count: *count,
        });
        bow::append_bag(&mut text, terms);
    }
    let again = scratch::write("bow2", &text);
    assert_eq!(read_bags(&again).expect("bags that were written can be read"), bags);
}

/// Number of lines of some content, if all of it can be decompressed.
fn count_lines(path: &Path) -> Option<u64> {
    let content = nearsig::fuzzing::input::read_all(path).ok()?;
    Some(content.iter().filter(|byte| **byte == b'\n').count() as u64)
}

fn read_vectors(path: &Path, terms: usize) -> Result<Vectors> {
    let documents = count_lines(path).unwrap_or(0);
    let files = vec![DataFile::unverified(path.to_path_buf())];
    let weighting = Weighting::Tf;
    let list = VecPaths {
        weighting,
        terms,
        documents,
        per_file: documents,
        is_part: false,
        files,
        provenance: None,
        shard: None,
    };
    let session = scratch::session();
    session.install(|| vec::read_all(Path::new("vec_paths"), &list, session))
}

fn check_vectors(stored: &[u8], terms: usize) {
    let path = scratch::write("vec", stored);
    let Some(vectors) = twice(&path, || read_vectors(&path, terms)) else { return };
    let mut text = Vec::new();
    for (number, name) in vectors.names.iter().enumerate() {
        let (indexes, values) = vectors.vector(number);
        assert!(indexes.is_sorted_by(|a, b| a < b));
        assert!(indexes.iter().all(|index| (*index as usize) < terms));
        assert!(values.iter().all(|value| value.is_finite() && *value != 0.0));
        vec::append_head(&mut text, name, indexes.len());
        for (index, value) in indexes.iter().zip(values) {
            component::append_component(&mut text, *index, *value);
        }
        text.push(b'\n');
    }
    let again = scratch::write("vec2", &text);
    let again = read_vectors(&again, terms).expect("vectors that were written can be read");
    assert_eq!(again, vectors);
}

/// Signatures with their documents.
type Groups = Vec<(Vec<u64>, Vec<String>)>;

fn read_signatures(path: &Path, bits: usize) -> Result<Groups> {
    let content = nearsig::fuzzing::input::read_all(path).unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let names = |line: &str| line.split(' ').skip(1).filter(|name| !name.is_empty()).count();
    let documents = content.split('\n').map(names).sum::<usize>() as u64;
    let distinct = count_lines(path).unwrap_or(0);
    let mut list = SigPaths::header(documents, bits, distinct).into_bytes();
    list.extend_from_slice(path.as_os_str().as_encoded_bytes());
    list.push(b'\n');
    let list = scratch::write("sig_paths", &list);
    let header = SigPaths::read(&list)?;
    let signatures = scratch::session().install(|| sig::read(&list, &header))?;
    let group = |number: usize| {
        let documents = signatures.group(number);
        assert!(documents.clone().all(|d| signatures.signature_of(d) == number));
        let names = documents.map(|document| signatures.documents.get(document).to_string());
        (signatures.set.get(number).to_vec(), names.collect())
    };
    Ok((0..signatures.set.len()).map(group).collect())
}

fn check_signatures(stored: &[u8], bits: usize) {
    let path = scratch::write("sig", stored);
    let Some(groups) = twice(&path, || read_signatures(&path, bits)) else { return };
    let mut text = Vec::new();
    for (words, names) in &groups {
        sig::append_line(&mut text, words, bits, names.iter().map(|name| &**name));
    }
    let again = scratch::write("sig2", &text);
    let again = read_signatures(&again, bits).expect("signatures that were written can be read");
    assert_eq!(again, groups);
}

fn check_vocabulary(stored: &[u8]) {
    let path = scratch::write("voc", stored);
    let session = scratch::session();
    let read = |path: &Path| session.install(|| voc::read(path).map(|(terms, _)| terms));
    let Some(vocabulary) = twice(&path, || read(&path)) else { return };
    let again = scratch::path("voc2");
    let provenance = Provenance::new(StageKind::Voc, "fuzz", Parameters::new());
    let output = voc::VocOutput::create(&scratch::publisher(), &again);
    let written =
        output.and_then(|out| session.install(|| out.finish(&vocabulary, provenance, None)));
    written.expect("a vocabulary can be written");
    assert_eq!(read(&again).expect("a vocabulary that was written can be read"), vocabulary);
    if let Some(index) = vocabulary.index() {
        let terms: Vec<CountedTerm> = vocabulary
            .terms()
            .map(|term| CountedTerm { text: term.text, key: Key::of(term.text), count: 1 })
            .collect();
        let mut found = Vec::new();
        index.find_all(&terms, |position, number| found.push((position, number as usize)));
        assert!(found.iter().map(|(position, _)| *position).eq(0..terms.len()));
        let is_same = |(position, number): &(usize, usize)| {
            vocabulary.term(*position).text == vocabulary.term(*number).text
        };
        assert!(found.iter().all(is_same), "the index finds another term");
    }
}

/// Reads lists of all kinds. Their entries are files of the folder, or missing.
fn check_lists(stored: &[u8]) {
    let path = scratch::write("paths", stored);
    if let Some(list) = twice(&path, || BowPaths::read(&path)) {
        check_list(BowPaths::header(list.documents), &list.files, |path| {
            assert_eq!(BowPaths::read(path).expect("a list can be read again"), list);
        });
    }
    if let Some(list) = twice(&path, || VecPaths::read(&path)) {
        let VecPaths { weighting, terms, documents, per_file, .. } = list;
        let header = VecPaths::header(weighting, terms, documents, per_file);
        check_list(header, &list.files, |path| {
            assert_eq!(VecPaths::read(path).expect("a list can be read again"), list);
        });
    }
    if let Some(list) = twice(&path, || SigPaths::read(&path)) {
        check_list(
            SigPaths::header(list.documents, list.bits, list.distinct),
            &list.files,
            |path| {
                assert_eq!(SigPaths::read(path).expect("a list can be read again"), list);
            },
        );
    }
}

/// Writes a list again and passes its path on.
fn check_list(header: String, files: &[DataFile], check: impl Fn(&Path)) {
    let mut text = header.into_bytes();
    for file in files {
        text.extend_from_slice(file.path.as_os_str().as_encoded_bytes());
        text.push(b'\n');
    }
    check(&scratch::write("paths2", &text));
}
