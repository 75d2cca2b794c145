//! Shards: merged parts have the bytes of the unsharded run, for any number of them; parts that do not belong together are refused.

mod near_dups;
mod ngrams;
mod pairs;
mod refusals;
mod resume;
mod stages;

use crate::common::{MANIFEST, Work};

/// Numbers of shards: one, some, and more than there are documents in a file.
pub const COUNTS: [usize; 3] = [1, 3, 8];

/// Returns a text of some words; every seventh is that of an earlier number, so that there are copies.
pub fn text(number: usize) -> String {
    let number = if number % 7 == 6 { number - 5 } else { number };
    let words = (0..number % 9 + 3).map(|word| format!("w{}", (number * 31 + word * word) % 47));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns JSON Lines with these documents; blank lines are between some of them.
pub fn json_lines(numbers: std::ops::Range<usize>) -> String {
    let line = |number: usize| {
        let blank = if number.is_multiple_of(5) { "\n" } else { "" };
        format!("{blank}{{\"id\":\"d{number}\",\"text\":\"{}\"}}\n", text(number))
    };
    numbers.map(line).collect()
}

/// Runs a command line for each of `count` shards, in any order.
pub fn run_shards(work: &Work, line: &str, count: usize) {
    for index in (1..=count).rev() {
        work.ok(&format!("{line} --shard {index}/{count}"));
    }
}

/// Returns the names of the parts of a file.
pub fn parts(name: &str, count: usize) -> String {
    let part = |index: usize| format!("{name}.{index}-of-{count}");
    (1..=count).map(part).collect::<Vec<_>>().join(" ")
}

/// Returns the files of a folder that are no parts, with their bytes; manifests without checksums of what other stages read.
pub fn outputs(work: &Work) -> Vec<(String, Vec<u8>)> {
    let names = work.files().into_iter().filter(|name| !name.contains("-of-"));
    names
        .map(|name| {
            let mut bytes = std::fs::read(work.path(&name)).unwrap();
            if name.ends_with(MANIFEST) {
                let mut manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                drop_checksums(&mut manifest["inputs"]);
                bytes = manifest.to_string().into_bytes();
            }
            (name, bytes)
        })
        .collect()
}

/// Drops the checksums of inputs: a merged vocabulary knows the bags of its shards only.
fn drop_checksums(inputs: &mut serde_json::Value) {
    for input in inputs.as_array_mut().into_iter().flatten() {
        input["content"].take();
        input["counts"].take();
        drop_checksums(&mut input["inputs"]);
    }
}

/// Fails at the first file that differs.
#[track_caller]
pub fn assert_equal(whole: &Work, merged: &Work, what: &str) {
    let (whole, merged) = (outputs(whole), outputs(merged));
    let names = |files: &[(String, Vec<u8>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&whole), names(&merged), "{what}");
    for ((name, expected), (_, found)) in whole.iter().zip(&merged) {
        let [expected, found] = [expected, found].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!(expected, found, "{what}: {name}");
    }
}
