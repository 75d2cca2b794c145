//! create_bows: usage, flags, errors.

use super::shared::{
    check_closed_pipe, check_contents, check_manners, check_required, check_spellings, check_usage,
    check_values, truncated_gzip,
};
use crate::common::{Outcome, Work, gzip};

/// The flags that are always needed.
const LINE: &str = "create_bows --doc_list doc_list --bow_paths bow_paths --bow_dir bows";
/// The first BOW file that [`LINE`] writes.
const BOWS: &str = "bows/bow_paths-000001.bow";

/// Returns the BOW lines that `LINE` and some more flags make of one document.
#[track_caller]
fn bag_of(text: impl AsRef<[u8]>, flags: &str) -> String {
    let work = Work::new();
    work.write("d", text);
    work.write("doc_list", "d");
    work.ok(&format!("{LINE} {flags}"));
    work.read(BOWS)
}

/// Runs `LINE` and more arguments that need not be UTF-8.
#[cfg(unix)]
fn run_with_bytes(work: &Work, arguments: &[&[u8]]) -> Outcome {
    use std::os::unix::ffi::OsStrExt;
    let mut command = work.command("create_bows");
    command.args(arguments.iter().map(|bytes| std::ffi::OsStr::from_bytes(bytes)));
    Outcome::from(command.output().unwrap())
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "create_bows",
        "Makes a bag of words of every document",
        &[
            "include",
            "exclude",
            "follow",
            "max_archive",
            "format",
            "text_field",
            "id_field",
            "encoding",
            "markup",
            "max_ratio",
            "max_record",
            "doc_list",
            "lines",
            "json_lines",
            "text_lines",
            "bow_paths",
            "bow_dir",
            "compress_bows",
            "doc_count",
            "fold",
            "shingle_size",
            "save_nums",
            "words",
            "min_word_len",
            "stop_words",
            "stop_word_file",
            "stem",
            "drop_digits",
            "templates",
            "fold_homoglyphs",
            "id_file",
            "shard",
            "bows_per_file",
        ],
    );
    check_required(LINE, &["doc_list", "bow_paths", "bow_dir"]);
}

#[test]
fn help_and_version_may_be_spelled_with_one_dash_too() {
    let work = Work::new();
    assert_eq!(work.ok("create_bows -help").stdout, work.ok("create_bows --help").stdout);
    assert_eq!(work.ok("create_bows -version").stdout, work.ok("create_bows --version").stdout);
}

#[test]
fn every_spelling_of_a_flag_does_the_same() {
    check_spellings(
        |work| {
            work.collection(&[("a", "x 1 y x"), ("b", "y z"), ("c", "not taken")]);
            work.write("list", "x y\n");
        },
        &format!(
            "{LINE} --doc_count 2 --shingle_size 2 --save_nums --words --fold --lines --compress_bows \
             --stop_words en,cs --stem en --drop_digits --fold_homoglyphs --templates list \
             --stop_word_file list --bows_per_file 1 --id_file ids --threads 2 --verbose"
        ),
    );
}

#[test]
fn wrong_values_are_refused() {
    let at_least_one = "expected an integer of at least 1";
    check_values(
        LINE,
        &[
            ("doc_count", "many", at_least_one),
            ("doc_count", "-1", at_least_one),
            ("shingle_size", "0", at_least_one),
            ("shingle_size", "two", at_least_one),
            ("min_word_len", "0", at_least_one),
            ("bows_per_file", "0", at_least_one),
            ("bows_per_file", "1.5", at_least_one),
            ("threads", "all", "expected an integer from 0 to 1024"),
            ("stop_words", "en,de", "expected all, or some of en, cs, sk, ru, uk, found 'de'"),
            ("stem", "sk", "Snowball has no stemmer of Slovak"),
            ("stem", "de", "expected en, cs, ru or uk"),
        ],
    );
    let work = Work::new();
    let refusal = work.refuses(&format!("{LINE} --save_nums=yes"));
    assert!(refusal.contains("unexpected value 'yes' for '--save_nums'"), "{refusal}");
    let refusal = work.refuses(&format!("{LINE} -doc_list again"));
    assert!(refusal.contains("'--doc_list <FILE>' cannot be used multiple times"), "{refusal}");
    let refusal = work.refuses(&format!("{LINE} -doc_count"));
    assert!(refusal.contains("a value is required for '--doc_count <N>'"), "{refusal}");
    let refusal = work.refuses(&format!("{LINE} stray"));
    assert!(refusal.contains("'--doc_list <FILE>' cannot be used with '[INPUT]...'"), "{refusal}");
}

#[test]
fn terms_are_what_white_space_separates_in_the_order_of_their_first_occurrence() {
    let bag = bag_of("b a\tb\r\nhttp://x:80 a,\u{a0}B\u{2003}b", "");
    assert_eq!(bag, "d:5 b:3 a:1 http://x:80:1 a,:1 B:1\n");
}

#[test]
fn terms_made_only_of_digits_are_dropped_unless_they_are_saved() {
    let text = "1984 x1 1,5 ٣٤ 7";
    assert_eq!(bag_of(text, ""), "d:2 x1:1 1,5:1\n");
    assert_eq!(bag_of(text, "-save_nums"), "d:5 1984:1 x1:1 1,5:1 ٣٤:1 7:1\n");
}

#[test]
fn short_words_are_dropped_before_shingles_are_formed() {
    let text = "a an é éa the";
    assert_eq!(bag_of(text, "-min_word_len 2"), "d:3 an:1 éa:1 the:1\n");
    assert_eq!(bag_of(text, "-min_word_len 2 -shingle_size 2"), "d:2 an\u{a0}éa:1 éa\u{a0}the:1\n");
}

#[test]
fn shingles_are_runs_of_words_after_numbers_are_dropped() {
    let text = "a b 7 a b c";
    assert_eq!(bag_of(text, "-shingle_size 2"), "d:3 a\u{a0}b:2 b\u{a0}a:1 b\u{a0}c:1\n");
    assert_eq!(
        bag_of(text, "-shingle_size 3 -save_nums"),
        "d:4 a\u{a0}b\u{a0}7:1 b\u{a0}7\u{a0}a:1 7\u{a0}a\u{a0}b:1 a\u{a0}b\u{a0}c:1\n"
    );
    assert_eq!(bag_of(text, "-shingle_size 5"), "d:1 a\u{a0}b\u{a0}a\u{a0}b\u{a0}c:1\n");
    assert_eq!(bag_of(text, "-shingle_size 6"), "d:0\n", "fewer words than a shingle");
}

#[test]
fn words_are_normalised_runs_of_letters_and_digits() {
    let text = "Cafe\u{301}, CAFÉ! don't 12 x-2";
    assert_eq!(bag_of(text, "--words"), "d:4 café:2 don:1 t:1 x:1\n");
    assert_eq!(bag_of(text, "--words -save_nums"), "d:6 café:2 don:1 t:1 12:1 x:1 2:1\n");
    assert_eq!(bag_of(text, ""), "d:4 Cafe\u{301},:1 CAFÉ!:1 don't:1 x-2:1\n");
}

/// Like [`bag_of`], with the file `list`.
#[track_caller]
fn bag_with_list(text: &str, list: &str, flags: &str) -> String {
    let work = Work::new();
    work.write("d", text);
    work.write("list", list);
    work.ok(&format!("create_bows d --bow_paths bow_paths --bow_dir bows --words {flags}"));
    work.read(BOWS)
}

#[test]
fn words_are_filtered() {
    let text = "The foxes of 1984 saw A4, the fox";
    assert_eq!(
        bag_of(text, "--words --stop_words en,cs"),
        "d:3 foxes:1 a4:1 fox:1\n",
        "saw is a stop word"
    );
    assert_eq!(bag_of(text, "--words --stem en --stop_words all --drop_digits"), "d:1 fox:2\n");
    assert_eq!(bag_of("молoко молоко", "--words"), "d:2 молoко:1 молоко:1\n");
    assert_eq!(bag_of("молoко молоко", "--words --fold_homoglyphs"), "d:1 молоко:2\n");
    assert_eq!(bag_of("a 7b c", "--words --drop_digits --shingle_size 2"), "d:1 a\u{a0}c:1\n");
}

#[test]
fn words_and_phrases_of_files_are_dropped() {
    let text = "It follows that x. It follows, Y z";
    let phrases = "it follows\r\n\nIt follows THAT\n";
    assert_eq!(bag_with_list(text, phrases, "--templates list"), "d:3 x:1 y:1 z:1\n");
    let flags = "--stop_word_file list --templates list";
    assert_eq!(bag_with_list(text, "it\nx\nZ", flags), "d:3 follows:2 that:1 y:1\n");
}

#[test]
fn lists_of_filters_are_checked_and_recorded() {
    let work = Work::new();
    work.write("d", "x");
    work.write("list", "x\n---\n");
    let line = "create_bows d --bow_paths bow_paths --bow_dir bows";
    let fails = |flags: &str| work.fails(&format!("{line} {flags}"));
    assert!(fails("--words --templates list").contains("list:2: expected a word, found '---'"));
    work.write("list", b"x\n\xff\n");
    assert!(fails("--words --stop_word_file list").contains("list:2: expected UTF-8"));
    assert!(fails("--words --templates none").contains("none"));
    for flag in ["--stop_words en", "--stem cs", "--drop_digits", "--fold_homoglyphs"] {
        let refusal = work.refuses(&format!("{line} {flag}"));
        let name = flag.split(' ').next().unwrap();
        assert!(refusal.contains(&format!("{name} needs --words=letters")), "{refusal}");
    }
    let refusal = work.refuses(&format!("{line} --words --templates - --stop_word_file -"));
    assert!(refusal.contains("only one input can be standard input"), "{refusal}");
    let parameters = |flags: &str| {
        work.ok(&format!("{line} --words {flags}"));
        let manifest = work.read("bow_paths.manifest.json");
        serde_json::from_str::<serde_json::Value>(&manifest).unwrap()["parameters"].clone()
    };
    let none = parameters("");
    assert!(["stop_words", "stem", "templates"].iter().all(|name| none[*name].is_null()));
    work.write("list", "a b\n");
    let first = parameters("--stop_words ru,en --stem uk --drop_digits --templates list");
    assert_eq!(first["stop_words"], "en,ru");
    assert_eq!(first["stem"], "uk");
    assert_eq!(first["drop_digits"], true);
    assert_eq!(first["templates"].as_str().unwrap().len(), 16);
    work.write("list", "a c\n");
    let second = parameters("--stop_words ru,en --stem uk --drop_digits --templates list");
    assert_ne!(first["templates"], second["templates"]);
}

#[test]
fn doc_count_takes_the_first_documents_and_does_not_open_the_others() {
    let work = Work::new();
    work.collection(&[("b", "x"), ("a", "y")]);
    work.write("doc_list", "b a missing");
    work.ok(&format!("{LINE} -doc_count 2"));
    assert_eq!(work.read(BOWS), "b:1 x:1\na:1 y:1\n");
    assert_eq!(work.read("bow_paths"), format!("VELIKOST_KOLEKCE 2\n{BOWS}\n"));
    work.write("doc_list", "b a");
    work.ok(&format!("{LINE} -doc_count 100"));
    assert_eq!(work.read("bow_paths"), format!("VELIKOST_KOLEKCE 2\n{BOWS}\n"));
    work.refuses(&format!("{LINE} -doc_count 0"));
}

#[test]
fn bows_per_file_cuts_the_collection_in_its_order() {
    let work = Work::new();
    work.collection(&[("e", "1x"), ("d", "2x"), ("c", "3x"), ("b", "4x"), ("a", "5x")]);
    work.ok(&format!("{LINE} -bows_per_file 2"));
    assert_eq!(
        work.read("bow_paths"),
        "VELIKOST_KOLEKCE 5\nbows/bow_paths-000001.bow\nbows/bow_paths-000002.bow\nbows/bow_paths-000003.bow\n"
    );
    assert_eq!(work.read("bows/bow_paths-000001.bow"), "e:1 1x:1\nd:1 2x:1\n");
    assert_eq!(work.read("bows/bow_paths-000002.bow"), "c:1 3x:1\nb:1 4x:1\n");
    assert_eq!(work.read("bows/bow_paths-000003.bow"), "a:1 5x:1\n");
}

#[test]
fn a_thousand_bags_go_in_one_file_by_default() {
    let work = Work::new();
    let names: Vec<String> = (0..1001).map(|number| format!("d{number}")).collect();
    names.iter().for_each(|name| work.write(name, "x"));
    work.write("doc_list", names.join(" "));
    work.ok(LINE);
    let bags = |file| work.read(file).lines().map(|l| l.to_string()).collect::<Vec<String>>();
    let all = [bags(BOWS), bags("bows/bow_paths-000002.bow")];
    assert_eq!((all[0].len(), all[1].len()), (1000, 1));
    let expected: Vec<String> = names.iter().map(|name| format!("{name}:1 x:1")).collect();
    assert_eq!(all.concat(), expected);
}

#[test]
fn id_file_maps_numbers_that_stand_for_names() {
    let work = Work::new();
    work.collection(&[("sub/b c", "x"), ("a", "y x")]);
    work.ok(&format!("{LINE} --lines -id_file ids"));
    assert_eq!(work.read("ids"), "1 sub/b%20c\n2 a\n");
    assert_eq!(work.read(BOWS), "1:1 x:1\n2:2 y:1 x:1\n");
}

#[test]
fn compress_bows_compresses_the_bow_files() {
    let work = Work::new();
    work.collection(&[("a", "x y x")]);
    work.ok(&format!("{LINE} -compress_bows"));
    assert_eq!(work.read("bow_paths"), format!("VELIKOST_KOLEKCE 1\n{BOWS}.gz\n"));
    let raw = std::fs::read(work.path(format!("{BOWS}.gz"))).unwrap();
    assert_eq!(raw[..2], [0x1f, 0x8b]);
    assert_eq!(work.read(format!("{BOWS}.gz")), "a:2 x:2 y:1\n");
}

#[test]
fn names_that_end_in_gz_are_written_compressed() {
    let work = Work::new();
    work.collection(&[("a", "x")]);
    work.ok("create_bows -doc_list doc_list -bow_paths list.gz -bow_dir bows -id_file ids.gz");
    for name in ["list.gz", "ids.gz"] {
        assert_eq!(std::fs::read(work.path(name)).unwrap()[..2], [0x1f, 0x8b], "{name}");
    }
    assert_eq!(work.read("list.gz"), "VELIKOST_KOLEKCE 1\nbows/list-000001.bow\n");
    assert_eq!(work.read("ids.gz"), "1 a\n");
}

#[test]
fn compressed_input_is_recognised_by_its_content() {
    let work = Work::new();
    work.write("doc_list", gzip(b"packed plain.gz two_parts"));
    work.write("packed", gzip(b"x y"));
    work.write("plain.gz", "not compressed");
    work.write("two_parts", [gzip(b"first "), gzip(b"second")].concat());
    work.ok(LINE);
    assert_eq!(
        work.read(BOWS),
        "packed:2 x:1 y:1\nplain.gz:2 not:1 compressed:1\ntwo_parts:2 first:1 second:1\n"
    );
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let work = Work::new();
    work.collection(&[("a", "x"), ("b", "y")]);
    let ran = work.run_with_input("create_bows -doc_list - -bow_paths - -bow_dir bows", b"b\na\n");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stdout, "VELIKOST_KOLEKCE 2\nbows/bow-000001.bow\n");
    assert_eq!(work.read("bows/bow-000001.bow"), "b:1 y:1\na:1 x:1\n");
    let ran = work.ok(&format!("{LINE} -id_file -"));
    assert_eq!(ran.stdout, "1 a\n2 b\n");
    let ran =
        work.run_with_input("create_bows -doc_list - -bow_paths packed -bow_dir bows", &gzip(b"a"));
    assert_eq!(ran.code, Some(0), "compressed standard input: {}", ran.stderr);
    assert_eq!(work.read("bows/packed-000001.bow"), "a:1 x:1\n");
}

#[test]
fn a_closed_pipe_is_success() {
    let work = Work::new();
    work.collection(&[("a", "x")]);
    check_closed_pipe(&work, "create_bows -doc_list doc_list -bow_paths - -bow_dir bows");
    check_closed_pipe(&work, &format!("{LINE} -id_file -"));
    check_closed_pipe(&work, "create_bows -h");
}

#[test]
fn the_list_separates_names_by_any_white_space() {
    let work = Work::new();
    work.collection(&[("a", "x"), ("b", "y"), ("c\u{a0}d", "z")]);
    work.write("doc_list", "\n  a\tb\r\n\n\u{c}c\u{a0}d");
    work.ok(LINE);
    assert_eq!(work.read(BOWS), "a:1 x:1\nb:1 y:1\nc%C2%A0d:1 z:1\n");
}

#[test]
fn with_lines_names_may_hold_spaces() {
    let work = Work::new();
    work.collection(&[("a b", "x"), (" c", "y"), ("d\te", "z")]);
    work.write("doc_list", "a b\r\n\n c\nd\te");
    work.ok(&format!("{LINE} --lines"));
    assert_eq!(work.read(BOWS), "a%20b:1 x:1\n%20c:1 y:1\nd%09e:1 z:1\n");
    let told = work.fails(LINE);
    assert!(told.contains("doc_list:1: a: cannot open"), "without --lines: {told}");
    assert!(
        told.contains("(white space separates paths; --lines reads one path per line)"),
        "{told}"
    );
}

#[test]
fn separators_in_names_are_escaped_and_nothing_else_is() {
    let work = Work::new();
    work.collection(&[("sub/a:(1)-100%_ž+&=.txt", "x")]);
    work.ok(LINE);
    assert_eq!(work.read(BOWS), "sub/a%3A%281%29-100%25_ž+&=.txt:1 x:1\n");
}

#[cfg(unix)]
#[test]
fn names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let work = Work::new();
    work.write(std::ffi::OsStr::from_bytes(b"caf\xe9"), "x");
    work.write("doc_list", b"caf\xe9\n");
    work.ok(LINE);
    assert_eq!(work.read(BOWS), "caf%E9:1 x:1\n");
}

#[cfg(unix)]
#[test]
fn values_of_flags_need_not_be_utf8_in_any_spelling() {
    use std::os::unix::ffi::OsStrExt;
    let work = Work::new();
    work.write(std::ffi::OsStr::from_bytes(b"list\xff"), "a");
    work.write("a", "x");
    let others: [&[u8]; 4] = [b"-bow_paths", b"bow_paths", b"-bow_dir", b"bows"];
    let spellings: [&[&[u8]]; 4] = [
        &[b"-doc_list", b"list\xff"],
        &[b"--doc_list=list\xff"],
        &[b"-doc_list=list\xff"],
        &[b"--doc-list=list\xff"],
    ];
    for spelled in spellings {
        let ran = run_with_bytes(&work, &[spelled, &others].concat());
        assert_eq!(ran.code, Some(0), "{spelled:?}: {}", ran.stderr);
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    assert_eq!(bag_of("\u{feff}word \u{feff}", ""), "d:2 word:1 \u{feff}:1\n");
    assert_eq!(bag_of(gzip("\u{feff}word".as_bytes()), ""), "d:1 word:1\n");
}

#[test]
fn documents_that_are_not_utf8_are_decoded_and_counted() {
    let work = Work::new();
    work.write("good", "ž");
    work.write("latin", b"caf\xe9 x");
    work.write("utf16", [0xff, 0xfe, b'a', 0, 0x7e, 1]);
    work.write("doc_list", "good latin utf16");
    let ran = work.ok(LINE);
    assert_eq!(work.read(BOWS), "good:1 ž:1\nlatin:2 café:1 x:1\nutf16:1 až:1\n");
    let guessed = "create_bows: 1 document not UTF-8; the encoding was guessed";
    assert_eq!(ran.stderr.lines().next(), Some(guessed));
    let ran = work.ok(&format!("{LINE} -v"));
    let detail = "create_bows: latin: not UTF-8; decoded as windows-1252\n";
    assert!(ran.stderr.contains(detail) && !ran.stderr.contains("good"), "{}", ran.stderr);
}

#[test]
fn the_encoding_can_be_named() {
    let work = Work::new();
    // The same bytes are "souř souš" in ISO-8859-2.
    work.write("d", b"sou\xf8 sou\xb9 %F8 100%");
    work.write("doc_list", "d");
    work.ok(&format!("{LINE} --encoding ISO-8859-2"));
    assert_eq!(work.read(BOWS), "d:4 souř:1 souš:1 %F8:1 100%:1\n");
    work.ok(&format!("{LINE} --encoding bytes"));
    assert_eq!(work.read(BOWS), "d:4 sou%F8:1 sou%B9:1 %25F8:1 100%:1\n");
    let told = work.fails(&format!("{LINE} --encoding utf-8"));
    let expected = "doc_list:1: d: expected UTF-8, found byte 0xF8 at byte 3 (see --encoding)";
    assert!(told.contains(expected), "{told}");
    let refusal = work.refuses(&format!("{LINE} --encoding klingon"));
    assert!(refusal.contains("expected auto, utf-8, bytes or a name"), "{refusal}");
    for flags in ["--words", "--markup strip"] {
        let refusal = work.refuses(&format!("{LINE} --encoding bytes {flags}"));
        assert!(refusal.contains("--encoding bytes"), "{refusal}");
    }
}

#[test]
fn what_is_no_text_is_refused_unless_an_encoding_is_named() {
    let work = Work::new();
    work.write("a", "x");
    work.write("d", b"nul\0 %PDF-");
    work.write("doc_list", "a d");
    let told = work.fails(LINE);
    assert!(told.contains("error: doc_list:1: d: binary data, not text"), "{told}");
    assert!(!work.has("bow_paths") && !work.has(BOWS));
    work.ok(&format!("{LINE} --encoding utf-8"));
    assert_eq!(work.read(BOWS), "a:1 x:1\nd:2 nul\0:1 %PDF-:1\n");
    // Damaged UTF-8 is not replaced.
    work.write("d", "žluťoučký kůň úpěl ďábelské ódy".as_bytes().split_last().unwrap().1);
    work.write("d", [&std::fs::read(work.path("d")).unwrap()[..], b"\xff"].concat());
    let told = work.fails(LINE);
    assert!(told.contains("expected UTF-8, found byte 0xFF at byte 42"), "{told}");
}

#[test]
fn markup_is_kept_unless_it_is_to_be_stripped() {
    let work = Work::new();
    work.write("in/a.html", "<p>one</p><script>no</script>");
    work.write("in/b.jsonl", "{\"text\":\"<b>t</b>wo &amp; three\",\"id\":\"b\"}\n");
    let line = "create_bows in --bow_paths bow_paths --bow_dir bows";
    work.ok(line);
    assert_eq!(
        work.read(BOWS),
        "a.html:1 <p>one</p><script>no</script>:1\nb:3 <b>t</b>wo:1 &amp;:1 three:1\n"
    );
    work.ok(&format!("{line} --markup auto"));
    assert_eq!(work.read(BOWS), "a.html:1 one:1\nb:3 <b>t</b>wo:1 &amp;:1 three:1\n");
    work.ok(&format!("{line} --markup strip"));
    assert_eq!(work.read(BOWS), "a.html:1 one:1\nb:3 two:1 &:1 three:1\n");
}

#[test]
fn inputs_may_be_all_that_find_near_dups_reads() {
    let work = Work::new();
    work.write("in/a b.txt", "x");
    work.write("in/c.jsonl", "{\"t\":\"y\",\"n\":7}\n\n{\"t\":\"z\"}\n");
    work.write("in/skip/d.txt", "never");
    let outputs = "--bow_paths bow_paths --bow_dir bows";
    work.ok(&format!("create_bows in --exclude skip --text_field t --id_field n {outputs}"));
    assert_eq!(work.read(BOWS), "a%20b.txt:1 x:1\n7:1 y:1\nc.jsonl%3A3:1 z:1\n");
    work.ok(&format!("create_bows in/skip in --include *.txt --exclude skip {outputs}"));
    assert_eq!(work.read(BOWS), "in/skip/d.txt:1 never:1\nin/a%20b.txt:1 x:1\n");
    work.ok(&format!("create_bows in/c.jsonl --format lines {outputs}"));
    assert!(work.read(BOWS).starts_with("1:1 ") && work.read(BOWS).contains("\n3:1 "));
    let ran = work.run_with_input(&format!("create_bows - {outputs}"), b"x\n\ny z\n");
    assert_eq!((ran.code, work.read(BOWS)), (Some(0), "1:1 x:1\n3:2 y:1 z:1\n".into()));
    work.write("list", "in/a b.txt\n");
    work.ok(&format!("create_bows list --format list {outputs}"));
    assert_eq!(work.read(BOWS), "in/a%20b.txt:1 x:1\n");
    let told = work.fails(&format!("create_bows in {outputs}"));
    let missing = "in/c.jsonl:1: expected the field 'text' (--text_field), found ";
    assert!(told.contains(missing), "{told}");
}

#[test]
fn duplicate_names_are_refused_or_numbered() {
    let work = Work::new();
    work.write("a.jsonl", "{\"text\":\"y\",\"id\":\"x\"}\n");
    work.write("b.jsonl", "\n{\"text\":\"y\",\"id\":\"x\"}\nnot JSON\n");
    let told = work.fails("create_bows a.jsonl b.jsonl --bow_paths bow_paths --bow_dir bows");
    let expected = "error: b.jsonl:2: duplicate document name 'x' (first at a.jsonl:1)";
    assert!(told.contains(expected), "{told}");
    let ran = work.run("find_near_dups a.jsonl b.jsonl --out pairs.tsv");
    let repeated = "1 repeated id: b.jsonl:2 has the id 'x' again (first at a.jsonl:1)";
    assert!(ran.code == Some(3) && ran.stderr.contains(repeated), "{}", ran.stderr);
    assert!(work.read("pairs.tsv").ends_with("\tx\tx#2\n"));
}

#[test]
fn verbose_names_the_documents_without_terms() {
    let work = Work::new();
    work.collection(&[("a", "x"), ("no words", " \n"), ("numbers", "1 2 3")]);
    let ran = work.ok(&format!("{LINE} --lines"));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    for verbose in ["-v", "--verbose", "-verbose"] {
        let ran = work.ok(&format!("{LINE} --lines {verbose} --threads 1"));
        let details: Vec<&str> = ran.stderr.lines().filter(|l| l.ends_with(": no terms")).collect();
        assert_eq!(details, ["create_bows: no words: no terms", "create_bows: numbers: no terms"]);
    }
    assert_eq!(work.read(BOWS), "a:1 x:1\nno%20words:0\nnumbers:0\n");
}

#[test]
fn the_last_line_counts_and_quiet_is_silent() {
    let work = Work::new();
    work.collection(&[("a", "x"), ("b", ""), ("c", "1")]);
    work.write("a", b"caf\xe9");
    check_manners(&work, LINE, "read 3 documents, skipped 0, wrote 3 bags of words");
}

#[test]
fn quiet_tells_errors_still() {
    let told = Work::new().fails(&format!("{LINE} -q"));
    assert!(told.starts_with("create_bows: error: doc_list: cannot open: "), "{told}");
}

#[test]
fn paths_are_relative_to_where_the_executable_was_started() {
    let work = Work::new();
    work.collection(&[("in/a", "x")]);
    work.write("out/.keep", "");
    work.ok("create_bows -doc_list doc_list -bow_paths out/list -bow_dir out/deep/bows");
    assert_eq!(work.read("out/list"), "VELIKOST_KOLEKCE 1\nout/deep/bows/list-000001.bow\n");
    assert_eq!(work.read("out/deep/bows/list-000001.bow"), "in/a:1 x:1\n");
}

#[test]
fn what_is_wrong_with_the_list_is_told() {
    let work = Work::new();
    work.write("a", "x");
    check_contents(
        &work,
        LINE,
        "doc_list",
        &[
            (b"", "error: doc_list: no document"),
            (b" \n\n", "error: doc_list: no document"),
            (b"a\n\na", "error: doc_list:3: duplicate document name 'a' (first at doc_list:1)"),
            (b"a\n\nmissing", "error: doc_list:3: missing: cannot open: "),
            (b"a .", "error: doc_list:1: .: cannot read: "),
            (&truncated_gzip(b"a"), "error: doc_list: cannot read: "),
        ],
    );
    assert!(!work.has("bow_paths") && !work.has(BOWS));
}

#[test]
fn a_damaged_document_is_told_with_its_line_in_the_list() {
    let work = Work::new();
    work.write("doc_list", "\nd");
    let wrong = truncated_gzip(b"some text");
    check_contents(&work, LINE, "d", &[(&wrong, "error: doc_list:2: d: cannot read: ")]);
}

#[test]
fn places_that_cannot_be_written_are_told() {
    let work = Work::new();
    work.collection(&[("a", "x")]);
    let told = work.fails("create_bows -doc_list doc_list -bow_paths l -bow_dir a/bows");
    assert!(told.contains("a/bows: cannot create the folder: "), "{told}");
    let told = work.fails("create_bows -doc_list doc_list -bow_paths no/where -bow_dir bows");
    assert!(told.contains("no/where: cannot create: "), "{told}");
    let told = work.fails("create_bows -doc_list doc_list -bow_paths bows -bow_dir bows");
    assert!(told.contains("bows: cannot create: is a directory"), "{told}");
    let told = work.fails(&format!("{LINE} -id_file bows"));
    assert!(told.contains("bows: cannot create: is a directory"), "{told}");
    assert!(!work.has("bow_paths"), "a list was written although the id_file could not be");
}

#[cfg(unix)]
#[test]
fn a_folder_whose_name_cannot_stand_in_a_list_is_told() {
    let work = Work::new();
    work.collection(&[("a", "x")]);
    let ran = run_with_bytes(
        &work,
        &[b"-doc_list", b"doc_list", b"-bow_paths", b"l", b"-bow_dir", b"two\nlines"],
    );
    assert_eq!(ran.code, Some(1));
    let told = "a folder whose name holds a newline cannot be listed";
    assert!(ran.stderr.contains(told) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    assert!(!work.has("l"));
}

#[cfg(unix)]
#[test]
fn a_list_behind_a_symbolic_link_is_replaced_there() {
    let work = Work::new();
    work.collection(&[("a", "x")]);
    work.write("real", "old");
    std::os::unix::fs::symlink("real", work.path("bow_paths")).unwrap();
    work.ok(LINE);
    let expected = format!("VELIKOST_KOLEKCE 1\n{BOWS}\n");
    assert_eq!(work.read("real"), expected);
    assert_eq!(work.read("bow_paths"), expected);
    assert!(work.path("bow_paths").is_symlink());
}
