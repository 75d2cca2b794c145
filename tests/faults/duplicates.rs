//! Names, terms and files that occur twice: refused with both places.

use crate::common::{Work, gzip};

const BAGS: &str = "a:1 x:1\nb:1 y:2\n";
const VOC: &str = "VELIKOST_SLOVNIKU 2\nVELIKOST_KOLEKCE 4\nx 2 2\ny 4 2\n";
const VECTORS: &str = "a:1 0:1\nb:1 1:2\n";
const SIGNATURES: &str = "0f:2 a b\nf0:1 c\n";
const PRINTS: &str = "a:2 1f 2\nb:0\n";

/// Executables that read BOW, VEC, SIG or PRINT files, with the list that they read.
const READERS: [(&str, &str); 8] = [
    ("create_voc --bow_paths bow_paths --voc_name out", "bow_paths"),
    ("create_vecs --bow_paths bow_paths --voc_name voc --vec_dir new --vec_paths out", "bow_paths"),
    ("similarity --vec_paths vec_paths --threshold 50 --out out", "vec_paths"),
    ("create_sigs --vec_paths vec_paths --sig_len 8 --sig_dir new --sig_paths out", "vec_paths"),
    (
        "implant_rnd_vecs --vec_paths vec_paths --sig_len 8 --new_vec_paths out --vec_dir new",
        "vec_paths",
    ),
    ("hamming_full --sig_paths sig_paths --threshold 50 --out out", "sig_paths"),
    ("hamming --sig_paths sig_paths --threshold 50 --iter_count 1 --beam 1 --out out", "sig_paths"),
    ("match_prints --print_paths print_paths --out out.tsv", "print_paths"),
];

/// Returns lists that name the files `one` and `two`, which hold four documents.
fn lists() -> Work {
    let work = Work::new();
    work.write("voc", VOC);
    work.write("bow_paths", "VELIKOST_KOLEKCE 4\none\ntwo\n");
    work.write(
        "vec_paths",
        "USING_TF\nVELIKOST_SLOVNIKU 2\nVELIKOST_KOLEKCE 4\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 2\none\ntwo\n",
    );
    work.write(
        "sig_paths",
        "VELIKOST_KOLEKCE 6\nDELKA_SIGNATUR_V_BITECH 8\nPOCET_RUZNYCH_SIGNATUR 4\none\ntwo\n",
    );
    work.write("print_paths", "VELIKOST_KOLEKCE 4\nMETODA minhash\nSHODA bands 2 0\none\ntwo\n");
    work
}

/// Returns the content of a file for a list, and the names that make it another file.
fn content(list: &str) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match list {
        "bow_paths" => (BAGS, &[("a:", "c:"), ("b:", "d:")]),
        "print_paths" => (PRINTS, &[("a:", "c:"), ("b:", "d:")]),
        "vec_paths" => (VECTORS, &[("a:", "c:"), ("b:", "d:")]),
        _ => (SIGNATURES, &[(" a", " d"), (" b", " e"), (" c", " f")]),
    }
}

#[test]
fn duplicate_names_are_refused() {
    for (line, list) in READERS {
        let (one, names) = content(list);
        let other = names.iter().fold(one.to_string(), |text, (old, new)| text.replace(old, new));
        let work = lists();
        work.write("one", one);
        work.write("two", &other);
        work.ok(line);
        let before = work.files();
        let back = |name: &str| other.replace(names[1].1, name);
        let second = names[1].0;
        let line_of = |text: &str| text.lines().position(|line| line.contains(second)).unwrap() + 1;
        let place = format!("(first at one:{})", line_of(one));
        for compressed in [false, true] {
            let spoilt = back(second);
            let found = format!("two:{}: duplicate document name 'b' {place}", line_of(&spoilt));
            work.write("two", if compressed { gzip(spoilt.as_bytes()) } else { spoilt.into() });
            let told = work.fails(line);
            assert!(told.contains(&found), "{line}: {told}");
        }
        // Another spelling of the same name.
        let escaped = second.replace('b', "%62");
        work.write("two", back(&escaped));
        let told = work.fails(line);
        assert!(told.contains("duplicate document name 'b' (first at one:"), "{line}: {told}");
        // Within a file.
        work.write("two", &other);
        let (first, second) = (names[0].0, names[1].0);
        work.write("one", one.replace(first, second));
        let told = work.fails(line);
        assert!(told.contains("one:") && told.contains("(first at one:1)"), "{line}: {told}");
        assert_eq!(work.files(), before, "{line}");
    }
}

#[test]
fn a_file_that_is_listed_twice_is_refused() {
    for (line, list) in READERS {
        let work = lists();
        work.write("one", content(list).0);
        std::os::unix::fs::symlink("one", work.path("two")).unwrap();
        let text = work.read(list);
        let number = text.lines().count();
        let refuses = |name: &str| {
            let told = work.fails(line);
            let first = number - 1;
            let expected =
                format!("{list}:{number}: duplicate file '{name}' (first at {list}:{first})");
            assert!(told.contains(&expected), "{line}: {told}");
        };
        refuses("two");
        std::fs::remove_file(work.path("two")).unwrap();
        std::fs::hard_link(work.path("one"), work.path("two")).unwrap();
        refuses("two");
        for name in ["one", "./one", "../one"] {
            let name = match name {
                "../one" => {
                    let folder = work.path("").canonicalize().unwrap();
                    format!("../{}/one", folder.file_name().unwrap().to_str().unwrap())
                }
                name => name.to_string(),
            };
            work.write(list, text.replace("two", &name));
            refuses(&name);
        }
    }
}

#[test]
fn duplicate_terms_are_refused() {
    let work = lists();
    work.write("one", BAGS);
    work.write("two", BAGS.replace("a:", "c:").replace("b:", "d:"));
    work.write("voc", VOC.replace("y 4 2", "x 4 2"));
    for line in [
        "create_vecs --bow_paths bow_paths --voc_name voc --vec_dir new --vec_paths out",
        "reduce_voc --old_voc_name voc --new_voc_name out --min_df 1 --max_df inf",
    ] {
        let told = work.fails(line);
        assert!(told.contains("voc:4: duplicate term 'x' (first at voc:3)"), "{line}: {told}");
        assert!(!work.has("out"));
    }
}
