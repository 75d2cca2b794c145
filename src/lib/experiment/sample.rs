//! Samples: documents at even distances, in the order of the collection.

use std::path::Path;

use crate::error::Result;
use crate::executable::quoted;
use crate::files::bow::{self, Bag, BagConsumer};
use crate::files::input::Line;
use crate::files::output::{Output, Publisher};
use crate::files::paths::{self, BowPaths};
use crate::session::Session;

/// Writes the names of `size` documents, one per line.
pub fn write(bow_paths: &Path, size: usize, path: &Path, session: &Session) -> Result<()> {
    let list = BowPaths::read(bow_paths)?;
    let publisher = Publisher::new(session, paths::reads(bow_paths, &list.files));
    let out = publisher.create(path)?;
    let mut writer = SampleWriter { out, size, documents: list.documents as usize, position: 0 };
    let names = list.files.iter().map(|file| bow::for_each(file, &mut writer));
    bow::check_names(bow_paths, &list.files, names.collect::<Result<Vec<_>>>()?)?;
    writer.out.finish()
}

/// Returns the command line that writes the same list.
pub fn command(bow_paths: &Path, size: &str, path: &Path) -> String {
    let (bow_paths, list) = (quoted(bow_paths), quoted(path));
    let program = r"int(NR * wanted / all) > int((NR - 1) * wanted / all) { print $1 }";
    format!(
        "all=$(head -n 1 {bow_paths} | cut -d ' ' -f 2); tail -n +2 {bow_paths} | tr '\\n' '\\0' | xargs -0 cat | awk -F : -v wanted={size} -v all=\"$all\" '{program}' >{list}"
    )
}

/// Returns whether the document at a position is in a sample of `size` of `documents` documents.
fn is_in_sample(position: usize, size: usize, documents: usize) -> bool {
    size >= documents || (position + 1) * size / documents > position * size / documents
}

/// Writes the names of a sample while it visits all bags.
struct SampleWriter {
    out: Output,
    size: usize,
    documents: usize,
    position: usize,
}

impl BagConsumer for SampleWriter {
    fn take(&mut self, _: &Line<'_>, bag: Bag<'_, '_>) -> Result<()> {
        if is_in_sample(self.position, self.size, self.documents) {
            self.out.write(format!("{}\n", bag.name).as_bytes())?;
        }
        self.position += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_is_spread_evenly() {
        for (size, documents) in [(1, 1), (3, 10), (10, 10), (7, 100), (200, 19_041), (5, 3)] {
            let sample: Vec<usize> =
                (0..documents).filter(|n| is_in_sample(*n, size, documents)).collect();
            assert_eq!(sample.len(), size.min(documents), "{size} of {documents}");
            let gap = documents.div_ceil(size);
            assert!(sample.windows(2).all(|two| two[1] - two[0] <= gap));
        }
    }
}
