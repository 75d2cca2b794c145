//! Manifests of lists and vocabularies.

use nearsig::fuzzing::manifest::{Digest, Manifest, ManifestOutput, StageKind, path_of};
use nearsig::fuzzing::paths::BowPaths;
use nearsig::fuzzing::voc;

use super::content::check_error;
use super::scratch;

/// Reads a manifest of a list and of a vocabulary.
///
/// Reading is repeatable; a manifest that is written again reads back equal; a list is accepted only if its digest is the one stated.
pub fn check(data: &[u8]) {
    let content = b"VELIKOST_KOLEKCE 0\n";
    let list = scratch::write("list", content);
    let manifest = path_of(&list);
    std::fs::write(&manifest, data).expect("a temporary file can be written");
    for kind in [StageKind::Bow, StageKind::Voc, StageKind::Vec, StageKind::Sig] {
        match Manifest::of(&list, kind) {
            Ok(read) => check_round_trip(&read.expect("the manifest is there"), kind),
            Err(error) => check_error(&error, &manifest),
        }
    }
    if let Ok(read) = BowPaths::read(&list) {
        assert!(read.files.is_empty() && read.provenance.is_some());
        let text = String::from_utf8_lossy(data);
        let digest = Digest::of(content).xxh3.to_string();
        let is_stated = text.to_lowercase().contains(&digest);
        // A spelling with escapes, or none at all.
        assert!(is_stated || text.contains('\\') || !text.contains("\"list\"") || is_null(data));
    }
    let vocabulary = scratch::write("list", b"VELIKOST_SLOVNIKU 0\nVELIKOST_KOLEKCE 0\n");
    if let Ok((terms, provenance)) = voc::read(&vocabulary) {
        assert!(terms.is_empty() && provenance.is_some());
    }
}

fn is_null(data: &[u8]) -> bool {
    let value: serde_json::Value = serde_json::from_slice(data).expect("a manifest is JSON");
    value["list"].is_null()
}

fn check_round_trip(manifest: &Manifest, kind: StageKind) {
    let list = scratch::path("again");
    let publisher = scratch::publisher();
    let output = ManifestOutput::create(&publisher, &list);
    let written = output.and_then(|output| output.close(manifest));
    let published = written.and_then(|part| publisher.publish(vec![vec![part]]));
    published.expect("a manifest can be written");
    let again = Manifest::of(&list, kind).expect("a manifest that was written can be read");
    assert_eq!(again.as_ref(), Some(manifest));
}
