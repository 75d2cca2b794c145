//! similarity: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_reader_that_leaves, check_required,
    check_sample_flags, check_spellings, check_usage, check_values, with,
};
use crate::common::{Work, gzip};

const LINE: &str = "similarity --vec_paths vec_paths --out out --threshold 50";
const VEC_PATHS: &str = "USING_TF\nVELIKOST_SLOVNIKU 4\nVELIKOST_KOLEKCE 6\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 4\nvecs/1\nvecs/2\n";
/// Lengths 5, 10, 1; `alone` shares no term, `away` points the other way, `nothing` has no direction.
const VECS_1: &str = "long%20one:2 0:3 1:4\ntwice:2 0:6 1:8\nnothing:0\nx:1 0:1\n";
const VECS_2: &str = "alone:2 2:1 3:1\naway:2 0:-3 1:-4\n";

fn prepare(work: &Work) {
    work.write("vec_paths", VEC_PATHS);
    work.write("vecs/1", VECS_1);
    work.write("vecs/2", VECS_2);
    work.write("sample", "x long%20one");
    work.write("ids", "1 long%20one\n");
}

fn prepared() -> Work {
    let work = Work::new();
    prepare(&work);
    work
}

/// Returns the result of `LINE` with some flags changed or added.
#[track_caller]
fn found(work: &Work, flags: &[(&str, &str)]) -> String {
    let line = flags.iter().fold(LINE.to_string(), |line, (flag, value)| with(&line, flag, value));
    work.ok(&line);
    work.read("out")
}

/// Returns the result with a sample.
#[track_caller]
fn found_for(sample: impl AsRef<[u8]>, flags: &str) -> String {
    let work = prepared();
    work.write("sample", sample);
    work.ok(&format!("{LINE} -sample_list sample {flags}"));
    work.read("out")
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "similarity",
        "Finds every pair of documents with similar vectors",
        &[
            "vec_paths",
            "out",
            "threshold",
            "sim_meth",
            "method",
            "sample_list",
            "lines",
            "id_file",
            "shard",
        ],
    );
    check_required(LINE, &["vec_paths", "out", "threshold"]);
    let help = Work::new().ok("similarity --help").stdout;
    for meaning in ["cosine: ", "jaccard: ", "dice: ", "overlap: "] {
        assert!(help.contains(meaning), "{help}");
    }
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        prepare,
        &format!("{LINE} --sim_meth dice --sample_list sample --id_file ids --threads 2 --quiet"),
    );
    check_spellings(
        |work| {
            prepare(work);
            work.write("sample", "long one\n");
        },
        &format!("{LINE} --sample_list sample --lines --verbose"),
    );
}

#[test]
fn both_spellings_of_the_threshold_are_understood() {
    let work = prepared();
    let expected = found(&work, &[("threshold", "60")]);
    for line in [
        "similarity -vec_paths vec_paths -out out -treshold 60",
        "similarity -vec_paths vec_paths -out out --treshold=60",
    ] {
        std::fs::remove_file(work.path("out")).unwrap();
        work.ok(line);
        assert_eq!(work.read("out"), expected, "{line}");
    }
    let refusal = work.refuses(&format!("{LINE} -treshold 60"));
    assert!(refusal.contains("cannot be used multiple times"), "{refusal}");
}

#[test]
fn wrong_values_are_refused() {
    check_values(
        LINE,
        &[
            ("threshold", "120", "120 is beyond 100 percent"),
            ("threshold", "-100.5", "-100.5 is beyond 100 percent"),
            ("threshold", "abc", "'abc' is not a percentage such as 95 or 79.5"),
            ("threshold", "50%", "'50%' is not a percentage such as 95 or 79.5"),
            ("threshold", "1e1", "'1e1' is not a percentage such as 95 or 79.5"),
            ("threshold", "50.1234567890123456", "has more than 15 decimals"),
            ("sim_meth", "euclid", "[possible values: cosine, jaccard, dice, overlap]"),
            ("threads", "x", "expected an integer from 0 to 1024"),
        ],
    );
    check_sample_flags(LINE);
}

#[test]
fn pairs_at_the_threshold_and_above_are_listed_in_both_directions() {
    let work = prepared();
    let expected =
        "long%20one:twice:100:x:60\ntwice:long%20one:100:x:60\nx:long%20one:60:twice:60\n";
    assert_eq!(found(&work, &[]), expected);
    assert_eq!(found(&work, &[("threshold", "60")]), expected);
    let expected = "long%20one:twice:100\ntwice:long%20one:100\n";
    assert_eq!(found(&work, &[("threshold", "60.000001")]), expected);
    assert_eq!(found(&work, &[("threshold", "100")]), expected);
}

#[test]
fn at_threshold_zero_documents_without_a_common_term_are_listed_too() {
    assert_eq!(
        found(&prepared(), &[("threshold", "0")]),
        "long%20one:twice:100:x:60:alone:0\n\
         twice:long%20one:100:x:60:alone:0\n\
         x:long%20one:60:twice:60:alone:0\n\
         alone:long%20one:0:twice:0:x:0:away:0\n\
         away:alone:0\n"
    );
}

#[test]
fn below_zero_vectors_that_point_apart_are_listed_too() {
    let work = prepared();
    let result = found(&work, &[("threshold", "-100")]);
    assert!(result.ends_with("\naway:long%20one:-100:twice:-100:x:-60:alone:0\n"), "{result}");
    assert!(!result.contains("nothing"), "what has no direction is similar to nothing");
    let result = found(&work, &[("threshold", "-60")]);
    assert!(result.ends_with("\naway:x:-60:alone:0\n"), "{result}");
    let line = LINE.replace("--threshold 50", "-threshold -60");
    work.ok(&line);
    assert_eq!(work.read("out"), result, "a negative number is not taken for a flag");
}

#[test]
fn similarities_are_rounded_to_a_millionth_before_the_threshold_applies() {
    let work = prepared();
    work.write("vecs/1", "a:1 0:1\nb:2 0:1 1:1\nc:0\nd:0\n");
    assert_eq!(found(&work, &[("threshold", "70.710678")]).lines().next(), Some("a:b:70.710678"));
    assert!(
        !found(&work, &[("threshold", "70.7106781")]).contains("70.71"),
        "cos 45° is 70.7106781…"
    );
}

#[test]
fn every_method_writes_the_same_bytes() {
    let work = prepared();
    for (measure, threshold) in
        [("cosine", "1"), ("cosine", "50"), ("cosine", "100"), ("cosine", "0"), ("dice", "50")]
    {
        let flags = [("sim_meth", measure), ("threshold", threshold)];
        let expected = found(&work, &flags);
        for method in ["auto", "join", "scan"] {
            let found = found(&work, &[flags[0], flags[1], ("method", method)]);
            assert_eq!(found, expected, "{method} at {threshold}");
        }
    }
    for (method, expected) in [("join", "method: join"), ("scan", "method: scan")] {
        let run = work.ok(&format!("{LINE} --verbose --method {method}"));
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    check_values(LINE, &[("method", "both", "possible values: auto, join, scan")]);
}

#[test]
fn sim_meth_chooses_how_documents_are_compared() {
    let work = prepared();
    work.write("vecs/1", "three:3 0:9 1:9 2:9\ntwo:2 1:1 3:1\nnothing:0\none:1 3:5\n");
    work.write("vecs/2", "e:0\nf:0\n");
    let result = |method: &str| found(&work, &[("threshold", "1"), ("sim_meth", method)]);
    // Common terms: three and two have one of four, two and one have one of two.
    assert_eq!(result("jaccard"), "three:two:25\ntwo:three:25:one:50\none:two:50\n");
    assert_eq!(result("dice"), "three:two:40\ntwo:three:40:one:66.666667\none:two:66.666667\n");
    assert_eq!(result("overlap"), "three:two:50\ntwo:three:50:one:100\none:two:100\n");
    let cosine = "three:two:40.824829\ntwo:three:40.824829:one:70.710678\none:two:70.710678\n";
    assert_eq!(result("cosine"), cosine);
    assert_eq!(found(&work, &[("threshold", "1")]), cosine, "the default");
}

#[test]
fn a_sample_gets_one_line_per_document_in_the_order_of_the_list() {
    assert_eq!(
        found_for("x\n\n  nothing\talone\r\nlong%20one", ""),
        "x:long%20one:60:twice:60\nnothing\nalone\nlong%20one:twice:100:x:60\n"
    );
}

#[test]
fn sample_names_may_be_spelled_as_in_the_list_of_documents_or_as_in_the_files() {
    let expected = "long%20one:twice:100:x:60\nx:long%20one:60:twice:60\n";
    assert_eq!(found_for("long one\n\nx\n", "--lines"), expected);
    assert_eq!(found_for("long%20one\r\nx", "--lines"), expected);
    assert_eq!(found_for("long%20one x", ""), expected);
    assert_eq!(found_for("%6Cong%20one x", ""), expected, "more escaped than needed");
    assert_eq!(found_for(gzip(b"long%20one x"), ""), expected, "compressed");
}

#[test]
fn a_sample_of_a_numbered_collection_may_hold_names() {
    let work = prepared();
    work.write("vecs/1", "1:2 0:3 1:4\n2:2 0:6 1:8\n3:0\n4:1 0:1\n");
    work.write("vecs/2", "5:1 2:1\n6:1 3:1\n");
    let ids = "1 long%20one\n2 twice\n3 nothing\n4 x\n5 e\n6 f\n";
    let expected = "1:2:100:4:60\n4:1:60:2:60\n";
    let check = |sample: &[u8], ids: &[u8], flags: &str| {
        work.write("sample", sample);
        work.write("ids", ids);
        work.ok(&format!("{LINE} -sample_list sample {flags}"));
        assert_eq!(work.read("out"), expected, "{flags}");
    };
    check(b"long one\nx\n", ids.as_bytes(), "--lines -id_file ids");
    check(b"long%20one x", ids.as_bytes(), "-id_file ids");
    check(b"long%20one x", &gzip(ids.as_bytes()), "-id_file ids");
    check(b"1 4", ids.as_bytes(), "-id_file ids");
    check(b"1 4", b"", "");
}

#[test]
fn names_that_look_like_numbers_are_names_where_the_id_file_says_so() {
    let work = prepared();
    work.write("vecs/1", "1:2 0:3 1:4\n2:1 0:1\n3:0\n4:0\n");
    work.write("vecs/2", "5:0\n6:0\n");
    work.write("ids", "1 2\n2 1\n3 c\n4 d\n5 e\n6 f\n");
    work.write("sample", "2");
    work.ok(&format!("{LINE} -sample_list sample -id_file ids"));
    assert_eq!(work.read("out"), "1:2:60\n", "the document called 2 in doc_list has the number 1");
}

#[test]
fn errors_in_the_sample_are_reported() {
    let work = prepared();
    let line = format!("{LINE} -sample_list sample");
    check_contents(
        &work,
        &line,
        "sample",
        &[
            (b"x\n\ny", "error: sample:3: expected a document of the collection, found 'y'"),
            (b"x y%20z", "error: sample:1: expected a document of the collection, found 'y%20z'"),
            (b"x\ntwice x", "error: sample:2: expected every document once, found 'x'"),
            (b"x %78", "error: sample:1: expected every document once, found '%78'"),
            (b"", "error: sample: names no document of the collection"),
            (b"\n\n", "error: sample: names no document of the collection"),
        ],
    );
    std::fs::remove_file(work.path("sample")).unwrap();
    assert!(work.fails(&line).contains("error: sample: cannot open: "));
    assert!(!work.has("out"));
}

#[test]
fn errors_in_the_id_file_are_reported() {
    let line = format!("{LINE} -sample_list sample -id_file ids");
    check_contents(
        &prepared(),
        &line,
        "ids",
        &[
            (b"1\n", "error: ids:1: expected id name, found '1'"),
            (b"1 a\none b\n", "error: ids:2: expected id name, found 'one'"),
            (b"1 a%\n", "error: ids:1: expected a name with %XX escapes, found 'a%'"),
            (b"1 a\n1 b\n", "error: ids:2: expected unique ids, found '1'"),
            (b"1 a", "error: ids:1: expected a newline at the end of the line"),
        ],
    );
}

#[test]
fn errors_in_the_vectors_are_reported() {
    let work = prepared();
    check_contents(
        &work,
        LINE,
        "vecs/2",
        &[
            (b"alone:1 9:1\n", "error: vecs/2:1: expected an index below the vocabulary's size 4"),
            (b"alone:0\n", "error: vec_paths: expected 6 documents as in the header, found 5"),
            (
                b"alone:0\naway:0\nmore:0\n",
                "error: vec_paths: expected 6 documents as in the header, found 7",
            ),
        ],
    );
    check_contents(
        &work,
        LINE,
        "vec_paths",
        &[(b"USING_X\n", "expected USING_TF, USING_TF_IDF or USING_WORD_WEIGHTS")],
    );
    assert!(!work.has("out") && !work.has("out.part"));
}

#[test]
fn compression_goes_by_name_on_writing_and_by_content_on_reading() {
    let work = prepared();
    let plain = found(&work, &[]);
    let contents = [("vec_paths", VEC_PATHS), ("vecs/1", VECS_1), ("vecs/2", VECS_2)];
    contents.iter().for_each(|(name, content)| work.write(name, gzip(content.as_bytes())));
    work.ok(&with(LINE, "out", "out.gz"));
    assert_eq!(std::fs::read(work.path("out.gz")).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(work.read("out.gz"), plain);
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = prepared();
    let plain = found(&work, &[]);
    let ran =
        work.run_with_input("similarity -vec_paths - -out - -threshold 50", VEC_PATHS.as_bytes());
    assert_eq!((ran.code, ran.stdout), (Some(0), plain), "{}", ran.stderr);
    let line = "similarity -vec_paths vec_paths -out - -threshold 50 -sample_list -";
    let ran = work.run_with_input(line, b"x");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "x:long%20one:60:twice:60\n"));
}

#[test]
fn a_closed_pipe_is_success() {
    let work = prepared();
    check_closed_pipe(&work, "similarity -vec_paths vec_paths -out - -threshold 0");
    let vectors: String = (0..300).map(|n| format!("a_rather_long_name_{n}:1 0:1\n")).collect();
    work.write("vecs/1", vectors);
    let list = "USING_TF\nVELIKOST_SLOVNIKU 1\nVELIKOST_KOLEKCE 300\nPOCET_ZAZNAMU_VE_VEC_SOUBORECH 300\nvecs/1\n";
    work.write("vec_paths", list);
    check_reader_that_leaves(&work, "similarity -vec_paths vec_paths -out - -threshold 0");
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    let work = prepared();
    check_manners(&work, LINE, "read 6 vectors, skipped 0, wrote 3 pairs");
    let sampled = format!("{LINE} -sample_list sample");
    check_manners(&work, &sampled, "read 6 vectors, skipped 0, wrote 4 matches of the sample");
}

#[test]
fn finding_nothing_is_success() {
    let work = prepared();
    work.write("vecs/1", "a:0\nb:0\nc:0\nd:1 0:1\n");
    assert_eq!(found(&work, &[]), "");
}

#[test]
fn a_vocabulary_larger_than_any_is_an_error() {
    let work = prepared();
    let size = format!("VELIKOST_SLOVNIKU {}", usize::MAX);
    work.write("vec_paths", VEC_PATHS.replace("VELIKOST_SLOVNIKU 4", &size));
    let told = work.fails(LINE);
    assert!(told.starts_with("similarity: error: ") && told.lines().count() == 1, "{told}");
}

#[test]
fn standard_input_cannot_be_two_files() {
    let told = Work::new().refuses("similarity -vec_paths - -out x -threshold 80 -sample_list -");
    assert!(
        told.contains("only one of --vec_paths and --sample_list can be standard input"),
        "{told}"
    );
}
