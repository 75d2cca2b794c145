//! Indexes hashed n-grams as terms of a tantivy index and looks queries up in it, for comparison with `ngram_index` and `ngram_search`.
//!
//! ```text
//! tantivy-bench build EXPORT INDEX THREADS            prints seconds and bytes
//! tantivy-bench search EXPORT INDEX THREADS RUNS      prints milliseconds: opening, median lookup; then id and common n-grams per document
//! ```
//!
//! EXPORT is the output of `ngram_index export`: per line the document, n, and its hashes. All of it is read before the clock starts, so that
//! the index is built from hashes in memory: reading, normalizing and hashing texts is no part of its time.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use tantivy::schema::{Field, IndexRecordOption, NumericOptions, STORED, Schema, Value};
use tantivy::{
    DocAddress, DocSet, Index, ReloadPolicy, Searcher, TERMINATED, TantivyDocument, Term,
};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Memory per thread of the writer, close to the maximum: fewer merges.
const MEMORY_PER_THREAD: usize = 2_000_000_000;

/// A document: its id and hashes.
type Document = (String, Vec<u64>);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["build", export, index, threads] => build(read(export)?, index.as_ref(), threads.parse()?),
        ["search", export, index, threads, runs] => {
            search(read(export)?, index.as_ref(), threads.parse()?, runs.parse()?)
        }
        _ => Err(
            "usage: tantivy-bench build EXPORT INDEX THREADS | search EXPORT INDEX THREADS RUNS"
                .into(),
        ),
    }
}

/// Reads an export.
fn read(path: &str) -> Result<Vec<Document>> {
    fs::read_to_string(path)?.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

fn parse(line: &str) -> Result<Document> {
    let mut fields = line.split('\t');
    let (id, _, hashes) = (fields.next(), fields.next(), fields.next());
    let hashes =
        hashes.ok_or("expected id, n and hashes")?.split(' ').filter(|hash| !hash.is_empty());
    let hashes =
        hashes.map(|hash| u64::from_str_radix(hash, 16)).collect::<std::result::Result<_, _>>()?;
    Ok((id.unwrap_or_default().to_string(), hashes))
}

fn schema() -> (Schema, Field, Field) {
    let mut schema = Schema::builder();
    let id = schema.add_text_field("id", STORED);
    // Terms only: neither norms nor columns, which this search does not need.
    let hash = schema.add_u64_field("hash", NumericOptions::default().set_indexed());
    (schema.build(), id, hash)
}

fn build(documents: Vec<Document>, folder: &Path, threads: usize) -> Result<()> {
    let (schema, id_field, hash_field) = schema();
    fs::create_dir_all(folder)?;
    let start = Instant::now();
    let index = Index::create_in_dir(folder, schema)?;
    let mut writer = index.writer_with_num_threads(threads, threads * MEMORY_PER_THREAD)?;
    for (id, hashes) in documents {
        let mut document = TantivyDocument::new();
        document.add_text(id_field, id);
        hashes.into_iter().for_each(|hash| document.add_u64(hash_field, hash));
        writer.add_document(document)?;
    }
    writer.commit()?;
    let committed = start.elapsed();
    // One segment, as the other index has.
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    let bytes: u64 =
        fs::read_dir(folder)?.map(|file| Ok(file?.metadata()?.len())).sum::<Result<u64>>()?;
    println!("{:.3}\t{:.3}\t{bytes}", committed.as_secs_f64(), start.elapsed().as_secs_f64());
    Ok(())
}

/// Looks all documents of the export up as one query.
fn search(query: Vec<Document>, folder: &Path, threads: usize, runs: usize) -> Result<()> {
    let mut hashes: Vec<u64> = query.into_iter().flat_map(|(_, hashes)| hashes).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let start = Instant::now();
    let index = Index::open_in_dir(folder)?;
    let searcher =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?.searcher();
    let opened = start.elapsed();
    let mut times = Vec::new();
    let mut found = BTreeMap::new();
    for _ in 0..runs {
        let start = Instant::now();
        found = look_up(&searcher, &hashes, threads)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let milliseconds = |time: &std::time::Duration| 1000.0 * time.as_secs_f64();
    println!(
        "{:.3}\t{:.3}\t{}",
        milliseconds(&opened),
        milliseconds(&times[runs / 2]),
        found.len()
    );
    for (id, count) in found {
        println!("{id}\t{count}");
    }
    Ok(())
}

/// Returns the number of hashes that each document holds, by id. Each thread has a part of the hashes.
fn look_up(searcher: &Searcher, hashes: &[u64], threads: usize) -> Result<BTreeMap<String, u64>> {
    let (_, id_field, hash_field) = schema();
    let parts = hashes.chunks(hashes.len().div_ceil(threads).max(1));
    let matches = std::thread::scope(|scope| {
        let workers: Vec<_> =
            parts.map(|part| scope.spawn(move || matches_of(searcher, hash_field, part))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a thread ended"))
            .collect::<Result<Vec<_>>>()
    })?;
    let mut matches = matches.concat();
    matches.sort_unstable();
    let mut found = BTreeMap::new();
    for own in matches.chunk_by(|left, right| left == right) {
        let document: TantivyDocument = searcher.doc(own[0])?;
        let id = document.get_first(id_field).and_then(|id| id.as_str()).unwrap_or_default();
        found.insert(id.to_string(), own.len() as u64);
    }
    Ok(found)
}

fn matches_of(searcher: &Searcher, field: Field, hashes: &[u64]) -> Result<Vec<DocAddress>> {
    let mut matches = Vec::new();
    for (number, segment) in searcher.segment_readers().iter().enumerate() {
        let inverted = segment.inverted_index(field)?;
        for hash in hashes {
            let term = Term::from_field_u64(field, *hash);
            let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)?
            else {
                continue;
            };
            let mut document = postings.doc();
            while document != TERMINATED {
                matches.push(DocAddress::new(number as u32, document));
                document = postings.advance();
            }
        }
    }
    Ok(matches)
}
