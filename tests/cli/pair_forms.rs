//! Every consumer of pairs reads every form: result lines and the tables of find_near_dups, compressed or not.

use serde_json::Value;

use crate::common::Work;

/// Texts of which some are near-duplicates, with awkward names.
fn collection() -> Work {
    let work = Work::new();
    for (name, text) in [
        ("a b.txt", "the quick brown fox jumps over the lazy dog today"),
        ("c:d.txt", "the quick brown fox jumps over the lazy cat today"),
        ("100%.txt", "the quick brown fox jumped over the lazy dog today"),
        ("copy.txt", "the quick brown fox jumps over the lazy dog today"),
        ("other.txt", "nothing of this kind is in here"),
    ] {
        work.write(format!("texts/{name}"), text);
    }
    work
}

/// Runs the pipeline with the weights of find_near_dups; names of documents are relative to `texts`.
fn similarity(work: &Work, ids: &str) {
    let names = ["a b.txt", "c:d.txt", "100%.txt", "copy.txt", "other.txt"];
    work.write("doc_list", names.join("\n") + "\n");
    for name in names {
        work.write(name, work.read(format!("texts/{name}")));
    }
    work.ok(&format!(
        "create_bows --doc_list doc_list --lines --bow_paths bow_paths --bow_dir bows {ids}"
    ));
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    work.ok("create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths --word_weights");
    work.ok("similarity --vec_paths vec_paths --threshold 70 --out sim");
}

fn measure(work: &Work, name: &str) -> f64 {
    let json: Value = serde_json::from_str(&work.read("s.json")).unwrap();
    json[name].as_f64().unwrap()
}

#[test]
fn tables_are_compared_with_results() {
    for ids in ["", "--id_file ids"] {
        let work = collection();
        similarity(&work, ids);
        for name in ["p.tsv", "p.csv.gz", "p.jsonl.zst", "p.tsv.zst", "p.csv.bz2", "p.jsonl.xz"] {
            work.ok(&format!("find_near_dups texts --threshold 0.7 --out {name}"));
            for (sim, ham) in [("sim", name), (name, "sim")] {
                let line = format!("compare_results --sim {sim} --ham {ham} {ids} --out out");
                work.ok(&format!("{line} --summary s.json"));
                assert!(measure(&work, "pairs_both") >= 6.0, "{name}");
                let alone = ["pairs_sim_only", "pairs_ham_only"].map(|name| measure(&work, name));
                assert_eq!(alone, [0.0, 0.0], "{name}: {}", work.read("out"));
                assert!(measure(&work, "largest_difference") < 1e-4, "{}", work.read("out"));
            }
        }
    }
}

#[test]
fn results_without_a_common_document_are_named() {
    let work = Work::new();
    work.write("sim", "1:2:90\n2:1:90\n");
    work.write("ham", "similarity\tdocument_1\tdocument_2\n0.9\ta\tb\n");
    let ran = work.ok("compare_results --sim sim --ham ham --out out");
    let expected = "the results have no document in common: 2 documents in --sim, 2 in --ham";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn other_tables_are_refused() {
    let work = Work::new();
    work.write("sim", "a:b:90\nb:a:90\n");
    work.write("ham", "cluster\tsize\tsmallest\tmean\tcohesion\tdocument\n1\t1\t1\t1\tall\ta\n");
    let columns = "ham:1: expected the columns 'similarity\\tdocument_1\\tdocument_2'";
    for line in [
        "compare_results --sim sim --ham ham --out out",
        "compare_results --sim ham --ham sim --out out",
        "extract_similarities --result ham --out out",
        "report_pairs --pairs ham --out out sim",
    ] {
        let message = work.fails(line);
        assert!(message.contains(columns), "{message}");
        assert_eq!(work.files(), ["ham", "sim"]);
    }
}

#[test]
fn similarities_are_extracted_from_tables_under_both_documents() {
    let work = Work::new();
    let tsv = "similarity\tdocument_1\tdocument_2\n0.29\ta b\tc\n1.0000\tc\td\n";
    work.write("pairs", tsv);
    let expected = "a%20b\tc\t29\nc\ta%20b\t29\nc\td\t100\nd\tc\t100\n";
    work.ok("extract_similarities --result pairs --out out");
    assert_eq!(work.read("out"), expected);
    let ran = work.run_with_input("extract_similarities --result - --out -", tsv.as_bytes());
    assert_eq!(ran.stdout, expected);
    work.ok("extract_similarities --result pairs --out out --positive_share --collection_size 4");
    assert_eq!(work.read("out"), "a%20b\t1\t0.25\nc\t2\t0.5\nd\t1\t0.25\n");
}

/// The findings of a page.
fn findings(work: &Work) -> Value {
    let html = work.read("page.html");
    let start = "<script type=\"application/json\" id=\"findings\">";
    let content = html.split_once(start).unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(content).unwrap()
}

#[test]
fn results_of_the_pipeline_become_a_page() {
    for ids in ["", "--id_file ids"] {
        let work = collection();
        similarity(&work, ids);
        work.ok(
            "create_sigs --vec_paths vec_paths --sig_len 256 --sig_dir sigs --sig_paths sig_paths",
        );
        work.ok("hamming_full --sig_paths sig_paths --threshold 70 --out ham.zst");
        for result in ["sim", "ham.zst"] {
            work.ok(&format!("report_pairs texts --pairs {result} {ids} --out page.html"));
            let found = findings(&work);
            assert_eq!((&found["pairs_total"], &found["score"]), (&6.into(), &"similarity".into()));
            assert_eq!(found["clusters"][0]["size"], 4, "{found}");
        }
    }
    let work = collection();
    work.ok("find_near_dups texts --threshold 0.7 --out pairs.tsv.zst --clusters clusters.csv.zst");
    work.ok("report_pairs texts --pairs pairs.tsv.zst --clusters clusters.csv.zst --out page.html");
    let found = findings(&work);
    assert_eq!((&found["pairs_total"], &found["score"]), (&6.into(), &"cosine".into()));
}

#[test]
fn a_page_has_no_negative_similarities() {
    let work = collection();
    work.write("result", "a b.txt:c:-5\n".replace(' ', "%20"));
    let message = work.fails("report_pairs texts --pairs result --out page.html");
    let expected = "result:1: expected a similarity of at least 0 percent, found -5";
    assert!(message.contains(expected), "{message}");
}
