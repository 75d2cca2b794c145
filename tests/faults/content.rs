//! Invalid lines: the message has the file, the line and the expected content.

use super::{Stage, readers_of, refused_without_trace, refuses_each, undisturbed};

/// The damaged line, counted from 1.
const LINE: usize = 4;

/// Returns a file with a wrong fourth line.
fn with_line(name: &str, spoil: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let lines = undisturbed()[name].split_inclusive(|byte| *byte == b'\n');
    let spoilt = lines.enumerate().map(|(at, line)| match line.strip_suffix(b"\n") {
        Some(line) if at + 1 == LINE => [spoil(line), b"\n".to_vec()].concat(),
        _ => line.to_vec(),
    });
    spoilt.collect::<Vec<_>>().concat()
}

/// Checks that each of `lines` is an error in place of the fourth. `{head}` is the text before the first space, `{rest}` the text
/// after it.
#[track_caller]
fn refuses_lines(name: &str, lines: &[&str], expected: &[&str]) {
    let original = |line: &[u8]| String::from_utf8(line.to_vec()).unwrap();
    for line in lines {
        let spoilt = with_line(name, |old| {
            let old = original(old);
            let (head, rest) = old.split_once(' ').unwrap_or((&old, ""));
            line.replace("{head}", head).replace("{rest}", rest).into_bytes()
        });
        assert!(spoilt != undisturbed()[name], "{line} changes nothing");
        let place = format!("{name}:{LINE}: expected ");
        let expected: Vec<&str> = expected.iter().copied().chain([&*place]).collect();
        readers_of(name)
            .for_each(|stage| refuses_each(stage, name, std::slice::from_ref(&spoilt), &expected));
    }
}

const BOW: &str = "bows/bow_paths-000002.bow";
const VEC: &str = "vecs/vec_paths-000002.vec";
const SIG: &str = "sigs/sig_paths-000002.sig";
const PRINT: &str = "prints/print_paths-000002.print";

#[test]
fn bytes_that_are_not_text_are_refused_in_every_file_of_the_chain() {
    for name in [BOW, VEC, SIG, PRINT, "voc", "small", "sim", "full", "ids"] {
        let spoilt = [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80"]
            .map(|bytes| with_line(name, |line| [line, bytes].concat()));
        let place = format!("{name}:{LINE}: ");
        readers_of(name).for_each(|stage| refuses_each(stage, name, &spoilt, &[&place, "UTF-8"]));
    }
}

#[test]
fn an_empty_line_is_refused_in_every_file_of_the_chain() {
    for name in [BOW, VEC, SIG, PRINT, "voc", "small", "sim", "full", "ids"] {
        refuses_lines(name, &[""], &[]);
    }
}

#[test]
fn names_with_broken_escapes_are_refused() {
    for name in [BOW, VEC, PRINT] {
        let lines = ["%zz:0", "%:0", "a%2:0", "a%2g:0", "%2%30:0", "%é:0"];
        refuses_lines(name, &lines, &["%XX"]);
    }
    for escape in ["%zz", "a%2", "%+1", "%é"] {
        let grown = with_line(SIG, |line| {
            let line = String::from_utf8(line.to_vec()).unwrap();
            let (hex, _) = line.split_once(':').unwrap();
            format!("{hex}:1 {escape}").into_bytes()
        });
        let place = format!("{SIG}:{LINE}: ");
        readers_of(SIG)
            .for_each(|s| refuses_each(s, SIG, std::slice::from_ref(&grown), &[&place, "%XX"]));
    }
    refuses_lines("ids", &["4 %zz", "4 a%2"], &["%XX"]);
    for name in ["sim", "full"] {
        refuses_lines(name, &["%zz", "1%2:2:50", "1:%zz:50", "1(2 %4):3:50"], &["doc1(doc2"]);
    }
}

#[test]
fn bags_whose_number_of_terms_is_wrong_are_refused_with_both_numbers() {
    refuses_lines(BOW, &["4:3 a:1 b:2", "4:3 a:1  b:2 "], &["3 terms", "'2'"]);
    refuses_lines(BOW, &["4:1 a:1 b:2 c:3"], &["1 terms", "'3'"]);
    refuses_lines(BOW, &["4:18446744073709551615 a:1"], &["18446744073709551615 terms", "'1'"]);
}

#[test]
fn bags_that_cannot_be_read_are_refused() {
    refuses_lines(BOW, &["name", "{rest}", "4: a:1", "4:x a:1", "4:-1", "4:1.0 a:1"], &[]);
    refuses_lines(
        BOW,
        &[
            "4:1 a",
            "4:1 a:",
            "4:1 :1",
            "4:1 a:x",
            "4:1 a:-1",
            "4:1 a:1.5",
            "4:1 a:99999999999999999999",
        ],
        &["term:count"],
    );
}

/// A term of a bag occurs at least once; a vocabulary with TC = 0 is invalid.
#[test]
fn a_term_that_does_not_occur_is_refused() {
    refuses_lines(BOW, &["4:1 a:0", "4:2 a:1 b:0"], &["term:count"]);
}

/// A repeated term could have a document frequency above the number of documents.
#[test]
fn a_term_that_stands_twice_in_a_bag_is_refused() {
    let term = undisturbed()["small"].split(|byte| *byte == b'\n').nth(2).unwrap();
    let term = std::str::from_utf8(term).unwrap().split(' ').next().unwrap();
    refuses_lines(BOW, &[&format!("4:2 {term}:1 {term}:1")], &["distinct terms", term]);
}

/// A count that overflows 64 bits, in one file or in two.
#[test]
fn occurrences_beyond_counting_are_refused() {
    let stage = readers_of("bow_paths").next().unwrap();
    assert_eq!(stage.executable(), "create_voc");
    let bags = [format!("a:1 t:{}\n", u64::MAX), "b:1 t:2\n".to_string()];
    for work in stage.unverified() {
        work.write("x.bow", bags.concat());
        work.write("y.bow", &bags[0]);
        work.write("z.bow", &bags[1]);
        for files in ["x.bow\n", "y.bow\nz.bow\n"] {
            work.write("bow_paths", format!("VELIKOST_KOLEKCE 2\n{files}"));
            refused_without_trace(&work, stage.line, &["bow"]);
        }
    }
}

#[test]
fn vectors_with_indexes_that_do_not_ascend_are_refused() {
    refuses_lines(VEC, &["4:2 5:1 4:1", "4:2 5:1 5:1", "4:3 0:1 7:1 6:1"], &["ascending"]);
}

#[test]
fn vectors_with_indexes_beyond_the_vocabulary_are_refused() {
    let terms = String::from_utf8(undisturbed()["vec_paths"].clone()).unwrap();
    let terms = terms.lines().nth(1).unwrap().split(' ').nth(1).unwrap();
    let size = format!("size {terms}");
    refuses_lines(
        VEC,
        &[&format!("4:1 {terms}:1"), "4:2 0:1 4294967295:1"],
        &["vocabulary", &size],
    );
}

#[test]
fn vectors_with_values_that_are_no_numbers_are_refused() {
    refuses_lines(VEC, &["4:1 0:NaN", "4:1 0:inf", "4:2 0:1 1:-inf", "4:1 0:1e39"], &["finite"]);
    refuses_lines(
        VEC,
        &[
            "4:1 0:",
            "4:1 0",
            "4:1 0:x",
            "4:1 :1",
            "4:1 x:1",
            "4:1 -1:1",
            "4:1 1.5:1",
            "4:1 4294967296:1",
            "4:1 0:1:1",
        ],
        &["index:value"],
    );
}

#[test]
fn vectors_whose_number_of_components_is_wrong_are_refused_with_both_numbers() {
    refuses_lines(VEC, &["4:3 0:1 1:2", "4:3 0:1  1:2"], &["3 components", "'2'"]);
    refuses_lines(VEC, &["4:0 0:1"], &["0 components", "'1'"]);
    refuses_lines(VEC, &["4", "4:", "4:x", "4:-1"], &["name:nonzeros"]);
}

#[test]
fn signatures_in_other_than_hexadecimal_digits_are_refused() {
    let digits = "0123456789abcdef".repeat(16);
    let spoilt = ["g", "x", " ", "-", "+", "é"].map(|wrong| {
        let mut hex = digits.clone();
        hex.replace_range(100..101, wrong);
        format!("{hex}:1 4")
    });
    let lines: Vec<&str> = spoilt.iter().map(|line| &**line).collect();
    refuses_lines(SIG, &lines, &["hex"]);
}

#[test]
fn signatures_of_another_length_are_refused_with_both_lengths() {
    for length in [0usize, 1, 16, 255, 257, 512] {
        let line = format!("{}:1 4", "a".repeat(length));
        let found = format!("{length} digits for {} bits", 4 * length);
        refuses_lines(SIG, &[&line], &["256 hexadecimal digits for 1024 bits", &found]);
    }
}

#[test]
fn signatures_without_their_documents_are_refused() {
    let hex = "0123456789abcdef".repeat(16);
    let line = |rest: &str| format!("{hex}{rest}");
    refuses_lines(SIG, &[&line(":0"), &line(":0 "), &line(":2")], &["at least one document"]);
    refuses_lines(SIG, &[&line(":2 4"), &line(":2  4")], &["2 documents", "'1'"]);
    refuses_lines(SIG, &[&line(":1 4 5")], &["1 documents", "'2'"]);
    refuses_lines(
        SIG,
        &[&line(""), &line(" 4"), &line(": 4"), &line(":x 4")],
        &["hexsignature:documents"],
    );
}

#[test]
fn prints_whose_number_of_fingerprints_is_wrong_are_refused_with_both_numbers() {
    refuses_lines(PRINT, &["4:3 1f 2", "4:3 1f  2"], &["3 fingerprints", "'2'"]);
    refuses_lines(PRINT, &["4:0 1f"], &["0 fingerprints", "'1'"]);
    refuses_lines(PRINT, &["4", "4:", "4:x", "4:-1", "{rest}"], &["name:fingerprints"]);
}

#[test]
fn fingerprints_in_other_than_hexadecimal_digits_are_refused() {
    let lines = ["4:1 g", "4:2 1f -1", "4:1 0x1f", "4:1 1.5", "4:1 é", "4:1 123456789abcdef01"];
    refuses_lines(PRINT, &lines, &["16 hexadecimal digits"]);
}

#[test]
fn vocabularies_that_cannot_be_read_are_refused() {
    for name in ["voc", "small"] {
        refuses_lines(
            name,
            &["a", "a 1", "a  1", " 1 1", "a b 1 1", "a 1 x", "a x 1"],
            &["term TC DC"],
        );
        refuses_lines(name, &["a 2 -1", "a -2 1", "a 2.5 1", "a 1 1 ", " a 1 1"], &["term TC DC"]);
        refuses_lines(name, &["a 1 0", "a 1 2", "a 100 46", "a 0 0"], &["DC"]);
    }
}

#[test]
fn a_term_that_stands_twice_in_the_vocabulary_is_refused() {
    let stage = readers_of("small").next().unwrap();
    let third = undisturbed()["small"].split(|byte| *byte == b'\n').nth(2).unwrap();
    let spoilt = with_line("small", |_| third.to_vec());
    refuses_each(stage, "small", &[spoilt], &["small", "duplicate term"]);
}

#[test]
fn results_that_cannot_be_read_are_refused() {
    for name in ["sim", "full"] {
        refuses_lines(name, &["{head}:1", "1:2:50:3"], &["document:similarity"]);
        refuses_lines(
            name,
            &[
                "1:2:",
                "1:2:x",
                "1:2:NaN",
                "1:2:inf",
                "1:2:-inf",
                "1:2:100.001",
                "1:2:-101",
                "1:2:5 0",
            ],
            &["similarity in percent"],
        );
        refuses_lines(
            name,
            &[
                ":2:50",
                "1::50",
                "1(2:3:50",
                "1(2)3:4:50",
                "1():3:50",
                "1(2  3):4:50",
                "1)2:3:50",
                "1 2:3:50",
            ],
            &["doc1(doc2"],
        );
    }
}

#[test]
fn a_document_with_two_lines_in_a_result_is_refused() {
    let stage = readers_of("sim").next().unwrap();
    let line = format!("{} --all_pairs", stage.line);
    for work in [stage.before(), stage.over_older_outputs()] {
        for (name, other) in [("sim", "full"), ("full", "sim")] {
            work.write(name, "1:2:90\n2:1:90\n1:3:50\n");
            work.write(other, "1:2:90\n");
            refused_without_trace(&work, &line, &[&format!("{name}:3: "), "'docs/0000.txt' again"]);
        }
    }
}

#[test]
fn numbers_of_documents_that_cannot_be_read_are_refused() {
    refuses_lines("ids", &["4", "x a", "-4 a", "4.5 a", " a", "4:a"], &["id name"]);
    refuses_lines("ids", &["3 a"], &["unique ids"]);
}

/// Errors leave no state behind: the intact files still pass.
#[test]
fn sound_files_are_read_after_spoilt_ones() {
    let repaired = |stage: &Stage, name: &str| {
        let work = stage.over_older_outputs();
        work.write(name, with_line(name, |_| b"\xff".to_vec()));
        refused_without_trace(&work, stage.line, &[name]);
        work.write(name, &undisturbed()[name]);
        work.ok(stage.line);
        stage.assert_complete(&work, name);
    };
    for name in [BOW, VEC, SIG, PRINT, "voc", "small", "sim", "full", "ids"] {
        readers_of(name).for_each(|stage| repaired(stage, name));
    }
}
