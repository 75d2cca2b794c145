use super::*;
use serde_json::{Value, json};

fn provenance(kind: StageKind, seed: u64) -> Provenance {
    Provenance::new(kind, "program", Parameters::from_iter([("rnd_seed".to_string(), seed.into())]))
}

/// Writes a list `NAME` of one data file and its manifest, made with a seed.
fn write_list(folder: &Path, name: &str, content: &str, seed: u64) -> PathBuf {
    let (list, file) = (folder.join(name), folder.join(format!("{name}.sig")));
    std::fs::write(&file, content).unwrap();
    std::fs::write(&list, "list\n").unwrap();
    let files = vec![FileEntry::new(&file, Digest::of(content.as_bytes()))];
    let bows = Manifest::new(provenance(StageKind::Bow, 9), None, Vec::new()).provenance;
    let provenance = provenance(StageKind::Sig, seed).count("documents", 5).input(Some(&bows));
    let manifest = Manifest::new(provenance, Some(Digest::of(b"list\n")), files);
    publish(&list, &manifest);
    list
}

fn publish(list: &Path, manifest: &Manifest) {
    let publisher = Publisher::silent();
    let part = ManifestOutput::create(&publisher, list).unwrap().close(manifest).unwrap();
    publisher.publish(vec![vec![part]]).unwrap();
}

fn error<T>(result: Result<T>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn a_manifest_is_json_with_one_line_per_file() {
    let folder = tempfile::tempdir().unwrap();
    let list = write_list(folder.path(), "sigs", "content", 2007);
    let text = std::fs::read_to_string(path_of(&list)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["format"], "nearsig manifest 1");
    assert_eq!((&value["kind"], &value["shard"]), (&json!("sig"), &json!(null)));
    assert_eq!(value["counts"], json!({"documents": 5, "files": 1}));
    assert_eq!(value["inputs"][0]["parameters"], json!({"rnd_seed": 9}));
    // As printed by `printf content | xxhsum -H3`.
    let line = format!("{{\"path\":\"{}.sig\",\"bytes\":7,\"xxh3\":\"", list.display());
    assert!(text.lines().any(|l| l.trim().starts_with(&line)), "{text}");
}

#[test]
fn a_manifest_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    for entries in 0..3u8 {
        let list = folder.path().join(format!("list{entries}"));
        let entry = |n| FileEntry::new(Path::new("a \"b\""), Digest::of(&[n]));
        let files = (0..entries).map(entry).collect();
        let written = Manifest::new(provenance(StageKind::Bow, 1), None, files);
        publish(&list, &written);
        assert_eq!(Manifest::of(&list, StageKind::Bow).unwrap(), Some(written));
        assert_eq!(Manifest::of(Path::new("-"), StageKind::Bow).unwrap(), None);
    }
}

#[test]
fn damaged_and_foreign_manifests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let list = write_list(folder.path(), "sigs", "content", 2007);
    let kind = error(Manifest::of(&list, StageKind::Vec));
    assert!(kind.contains("sigs: expected a list of SIG files as in "), "{kind}");
    assert!(kind.contains(", found one of VEC files; if "), "{kind}");
    let text = std::fs::read_to_string(path_of(&list)).unwrap();
    for (damaged, found) in [
        (text[..text.len() / 2].to_string(), "EOF while parsing"),
        (text.replace("manifest 1", "manifest 2"), ", found 'nearsig manifest 2'"),
        (text.replace("\"xxh3\": \"", "\"xxh3\": \"g"), "16 hexadecimal digits"),
    ] {
        std::fs::write(path_of(&list), damaged).unwrap();
        let told = error(Manifest::of(&list, StageKind::Sig));
        assert!(told.contains("sigs.manifest.json:") && told.contains(found), "{told}");
    }
}
