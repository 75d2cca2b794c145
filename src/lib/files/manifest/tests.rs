use super::*;
use serde_json::json;

fn provenance(kind: StageKind, seed: u64) -> Provenance {
    Provenance::new(kind, "program", Parameters::from_iter([("rnd_seed".to_string(), seed.into())]))
}

/// A list `NAME` of one data file and its manifest, made with a seed.
fn write_list(folder: &Path, name: &str, content: &str, seed: u64) -> PathBuf {
    let (list, file) = (folder.join(name), folder.join(format!("{name}.sig")));
    std::fs::write(&file, content).unwrap();
    std::fs::write(&list, "list\n").unwrap();
    let files = vec![FileEntry::new(&file, Digest::of(content.as_bytes()))];
    let bows = Manifest::new(provenance(StageKind::Bow, 9), None, Vec::new()).provenance;
    let provenance = provenance(StageKind::Sig, seed).count("documents", 5).input(Some(&bows));
    let manifest = Manifest::new(provenance, Some(Digest::of(b"list\n")), files);
    ManifestOutput::create(&list).unwrap().close(&manifest).unwrap().publish().unwrap();
    list
}

/// Reads the list's manifest and returns its data file.
fn checked(list: &Path, content: &str) -> Result<DataFile> {
    let manifest = Manifest::of(list, StageKind::Sig)?.unwrap();
    let paths = vec![with_suffix(list, ".sig")];
    Ok(manifest.check_list(list, content.as_bytes(), paths)?.remove(0))
}

fn error<T>(result: Result<T>) -> String {
    result.err().unwrap().to_string()
}

#[test]
fn a_manifest_is_json_with_one_line_per_file() {
    let folder = tempfile::tempdir().unwrap();
    let list = write_list(folder.path(), "sigs", "content", 2007);
    let text = std::fs::read_to_string(path_of(&list)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
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
        let mut written = Manifest::new(provenance(StageKind::Bow, 1), None, files);
        written.shard = Some(Shard { index: 2, count: 3 });
        ManifestOutput::create(&list).unwrap().close(&written).unwrap().publish().unwrap();
        assert_eq!(Manifest::of(&list, StageKind::Bow).unwrap(), Some(written));
        assert_eq!(Manifest::of(Path::new("-"), StageKind::Bow).unwrap(), None);
    }
}

#[test]
fn the_checksum_of_pieces_is_that_of_the_whole() {
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for size in [1, 7, 300, 5000] {
        let mut hasher = Hasher::default();
        bytes.chunks(size).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.digest(), Digest::of(&bytes));
    }
}

#[test]
fn edited_files_are_refused_with_both_values() {
    let folder = tempfile::tempdir().unwrap();
    let list = write_list(folder.path(), "sigs", "content", 2007);
    let name = list.display();
    let file = checked(&list, "list\n").unwrap();
    file.check_size(b"CONTENT").unwrap();
    file.check(b"content").unwrap();
    let hint = format!("; if it was changed on purpose, delete {name}.manifest.json");
    let truncated = error(file.check_size(b"conten"));
    let expected =
        format!("{name}.sig: expected 7 bytes as in {name}.manifest.json, found 6{hint}");
    assert_eq!(truncated, expected);
    let edited = error(file.check(b"contenT"));
    assert!(edited.contains(".sig: expected checksum ") && edited.ends_with(&hint), "{edited}");
    let list_edited = error(checked(&list, "lisd\n"));
    assert!(list_edited.starts_with(&format!("{name}: expected checksum ")), "{list_edited}");
    std::fs::remove_file(path_of(&list)).unwrap();
    assert_eq!(Manifest::of(&list, StageKind::Sig).unwrap(), None);
}

#[test]
fn files_of_another_list_are_refused_with_the_parameter_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let list = write_list(folder.path(), "sigs", "content", 2007);
    write_list(folder.path(), "others", "longer content", 1);
    let told = error(checked(&list, "list\n").unwrap().check_size(b"longer content"));
    let expected = "expected rnd_seed 2007 as in ";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains(", found 1 as in others.manifest.json; if "), "{told}");
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

#[test]
fn stages_made_with_other_parameters_are_refused() {
    let bows = provenance(StageKind::Bow, 1);
    let voc = provenance(StageKind::Voc, 0);
    let check = |source: &Provenance| {
        let voc = voc.clone().input(Some(&voc.clone().input(Some(source))));
        bows.check_made_from(&voc, Path::new("voc"), Path::new("bow_paths.manifest.json"))
    };
    check(&bows).unwrap();
    let told = "voc: expected rnd_seed 1 as in bow_paths.manifest.json, found 2";
    assert_eq!(error(check(&provenance(StageKind::Bow, 2))), told);
    // Nothing is known about a vocabulary without inputs.
    bows.check_made_from(&voc, Path::new("voc"), Path::new("m")).unwrap();
}
