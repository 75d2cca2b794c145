//! find_near_dups: usage, inputs, results, old documents, errors.

use super::shared::{check_closed_pipe, check_usage, check_values, counts};
use crate::common::{Outcome, Work, gzip};

const LINE: &str = "find_near_dups docs --out pairs.tsv";

const FOX: &str = "the quick brown fox jumps over the lazy dog while seven geese look on";
const NEAR_FOX: &str = "The quick brown fox jumps over the lazy dog, while seven ducks look on!";
const OTHER: &str = "nothing here has anything in common with what stands elsewhere";

/// Returns a folder: two near-duplicates, two exact copies in a folder below, one alone, one without words.
fn prepared() -> Work {
    let work = Work::new();
    work.write("docs/a.txt", FOX);
    work.write("docs/b: ä.txt", NEAR_FOX);
    work.write("docs/below/c.txt", OTHER);
    work.write("docs/below/d.txt", OTHER);
    work.write("docs/e.txt", "quite another story altogether");
    work.write("docs/none.txt", "… !");
    work
}

/// The same documents as JSON lines.
fn json_lines(work: &Work, name: &str) {
    let texts =
        [("a", FOX), ("b", NEAR_FOX), ("c", OTHER), ("d", OTHER), ("e", "quite another story")];
    let line = |(id, text): &(&str, &str)| {
        format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"size\":{}}}\n", text.len())
    };
    work.write(name, texts.iter().map(line).collect::<String>());
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn usage_names_every_flag() {
    check_usage(
        "find_near_dups",
        "Finds near-duplicate documents in folders, files or JSON Lines",
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
            "threshold",
            "shingle_size",
            "no_fold",
            "out",
            "all_copies",
            "clusters",
            "cluster_by",
            "dedup",
            "keep",
            "removed",
            "against",
            "index",
            "save_index",
            "shard",
            "plan",
            "prints",
            "stop_words",
            "stem",
            "drop_digits",
            "fold_homoglyphs",
            "stop_word_file",
            "templates",
        ],
    );
}

#[test]
fn wrong_values_are_refused() {
    let wrong = [
        ("threshold", "0", "expected a cosine"),
        ("threshold", "120", "expected a cosine"),
        ("threshold", "x", "expected a cosine"),
        ("threshold", "1.5", "such as 80 or 80%; write 1.5% for 1.5 percent"),
        ("keep", "largest:", "expected first, longest"),
        ("shingle_size", "0", "expected an integer of at least 1"),
    ];
    check_values(LINE, &wrong);
    let work = prepared();
    work.refuses(&format!("{LINE} --against docs --index there"));
    work.refuses("find_near_dups docs --out - --clusters -");
    let told = work.refuses("find_near_dups - --against -");
    assert!(told.contains("standard input ('-') can be named only once"), "{told}");
    let told = work.refuses("find_near_dups docs --out pairs.txt");
    assert!(told.contains("pairs.txt: expected a name ending in .tsv, .csv or .jsonl"), "{told}");
}

#[test]
fn a_folder_gives_pairs_with_their_cosines() {
    let work = prepared();
    let ran = work.ok(LINE);
    let found = work.read("pairs.tsv");
    assert_eq!(
        lines(&found),
        [
            "similarity\tdocument_1\tdocument_2",
            "0.89828606\ta.txt\tb: ä.txt",
            "1.0000\tbelow/c.txt\tbelow/d.txt",
        ]
    );
    assert!(
        ran.stderr.contains("6 documents, 1 without words; 1 exact duplicate; 2 pairs"),
        "{}",
        ran.stderr
    );
    assert_eq!(counts(&ran), "read 6 documents, skipped 0, wrote pairs.tsv (2 pairs)");
}

/// Weights of (1 + ln(count))·letters/8, rounded to 1024ths, by the book.
#[test]
fn a_cosine_is_what_the_definition_says() {
    let bag = |text: &str| {
        let mut bag = std::collections::BTreeMap::new();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.for_each(|word| *bag.entry(word.to_lowercase()).or_insert(0.0) += 1.0);
        bag
    };
    let weight = |word: &str, count: f64| {
        ((1.0 + f64::ln(count)) * word.len().min(8) as f64 / 8.0 * 1024.0).round() / 1024.0
    };
    let dot = |one: &str, other: &str| -> f64 {
        let other = bag(other);
        let product = |(word, count): (&String, &f64)| {
            other.get(word).map_or(0.0, |more| weight(word, *count) * weight(word, *more))
        };
        bag(one).iter().map(product).sum()
    };
    let expected = dot(FOX, NEAR_FOX) / (dot(FOX, FOX) * dot(NEAR_FOX, NEAR_FOX)).sqrt();
    let work = prepared();
    work.ok(LINE);
    let found = work.read("pairs.tsv");
    let cosine: f64 = lines(&found)[1].split('\t').next().unwrap().parse().unwrap();
    assert!((cosine - expected).abs() < 1e-8, "{cosine} {expected}");
}

#[test]
fn verbose_tells_how_long_each_part_took() {
    let work = prepared();
    let told = work.ok(&format!("{LINE} -v")).stderr;
    let parts = told.lines().filter_map(|line| {
        let (part, seconds) = line.strip_suffix(" s")?.rsplit_once(": ")?;
        seconds.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0)?;
        part.strip_prefix("find_near_dups: ")
    });
    let parts: Vec<&str> = parts.collect();
    for part in ["reading documents", "ordering words", "comparing vectors", "writing results"] {
        assert!(parts.contains(&part), "{part}: {told}");
    }
}

#[test]
fn results_are_written_in_the_format_of_their_names() {
    let work = prepared();
    work.ok("find_near_dups docs --out p.csv --clusters c.jsonl.gz --removed r.tsv");
    assert_eq!(lines(&work.read("p.csv"))[0], "similarity,document_1,document_2");
    let clusters = work.read("c.jsonl.gz");
    let second = r#"{"cluster":2,"size":2,"smallest":1.0000,"mean":1.0000,"cohesion":"all","documents":["below/c.txt","below/d.txt"]}"#;
    assert_eq!(lines(&clusters)[1], second);
    let removed = work.read("r.tsv");
    assert_eq!(lines(&removed), ["removed\tkept", "b: ä.txt\ta.txt", "below/d.txt\tbelow/c.txt"]);
}

#[test]
fn without_a_named_result_pairs_go_to_standard_output() {
    let work = prepared();
    let ran = work.ok("find_near_dups docs");
    assert!(ran.stdout.starts_with("similarity\tdocument_1"), "{}", ran.stdout);
    assert_eq!(lines(&ran.stdout).len(), 3);
    check_closed_pipe(&work, "find_near_dups docs");
}

#[test]
fn every_form_of_the_same_documents_gives_the_same_pairs() {
    let work = Work::new();
    json_lines(&work, "docs.jsonl");
    work.ok("find_near_dups docs.jsonl --out plain.tsv");
    let plain = work.read("plain.tsv");
    assert_eq!(lines(&plain).len(), 3);
    let content = work.read_bytes("docs.jsonl");
    work.write("packed.jsonl.gz", gzip(&content));
    work.ok("find_near_dups packed.jsonl.gz --out packed.tsv");
    assert_eq!(work.read("packed.tsv"), plain);
    let ran = work.run_with_input("find_near_dups - --out piped.tsv", &content);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(work.read("piped.tsv"), plain);
    let texts: String = [FOX, NEAR_FOX, OTHER, OTHER].map(|text| format!("{text}\n")).concat();
    work.write("texts", texts);
    work.ok("find_near_dups texts --format lines --out lines.tsv");
    let by_line =
        work.read("lines.tsv").replace("\t1\t2\n", "\ta\tb\n").replace("\t3\t4\n", "\tc\td\n");
    assert_eq!(by_line, plain);
}

#[test]
fn a_copy_without_duplicates_has_the_lines_as_they_were() {
    let work = Work::new();
    json_lines(&work, "docs.jsonl");
    let all = work.read("docs.jsonl");
    let kept = |numbers: &[usize]| -> String {
        numbers.iter().map(|number| format!("{}\n", lines(&all)[*number])).collect()
    };
    let cases = [
        ("first", [0, 2, 4]),
        ("longest", [0, 2, 4]),
        ("largest:size", [1, 2, 4]),
        ("smallest:size", [0, 2, 4]),
    ];
    for (keep, numbers) in cases {
        // The second of the near-duplicates is longer by a comma.
        let numbers = if keep == "longest" { [1, 2, 4] } else { numbers };
        work.ok(&format!("find_near_dups docs.jsonl --dedup kept.jsonl --keep {keep}"));
        assert_eq!(work.read("kept.jsonl"), kept(&numbers), "{keep}");
    }
    let ran = work.run_with_input("find_near_dups - --dedup piped.jsonl", all.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(work.read("piped.jsonl"), kept(&[0, 2, 4]));
}

#[test]
fn files_are_copied_to_a_folder() {
    let work = prepared();
    work.ok("find_near_dups docs --dedup kept/");
    let kept: Vec<String> =
        work.files().into_iter().filter(|name| name.starts_with("kept/")).collect();
    assert_eq!(kept, ["kept/a.txt", "kept/below/c.txt", "kept/e.txt", "kept/none.txt"]);
}

/// 0 is near 1, 1 near 2, 0 not near 2.
fn chain_of_three() -> Work {
    let work = Work::new();
    let text =
        |first: usize| (first..first + 20).map(|n| format!("wordnumber{n} ")).collect::<String>();
    work.write(
        "docs.jsonl",
        (0..3)
            .map(|n| format!("{{\"id\":{n},\"text\":\"{}\"}}\n", text(3 * n)))
            .collect::<String>(),
    );
    work
}

#[test]
fn a_chain_shows_in_its_cluster_and_is_refused_where_all_must_be_near() {
    let work = chain_of_three();
    work.ok("find_near_dups docs.jsonl --clusters clusters.tsv");
    let clusters = work.read("clusters.tsv");
    assert!(lines(&clusters)[1].starts_with("1\t3\t0.7000\t0.8000\tall\t0"), "{clusters}");
    work.ok("find_near_dups docs.jsonl --clusters clusters.tsv --cluster_by complete");
    let clusters = work.read("clusters.tsv");
    assert_eq!(lines(&clusters).len(), 3, "{clusters}");
    assert!(lines(&clusters)[1].starts_with("1\t2\t0.8500\t0.8500\tall\t0"), "{clusters}");
}

/// Checks that find_near_dups finds the pairs that the stages of the pipeline find by comparing all vectors of docs.jsonl; returns their number.
#[track_caller]
fn assert_pairs_of_the_pipeline(work: &Work, threshold: &str) -> usize {
    work.ok("create_bows --json_lines docs.jsonl --words --save_nums --bow_paths bow_paths --bow_dir bows");
    work.ok("create_voc --bow_paths bow_paths --voc_name voc");
    work.ok("create_vecs --bow_paths bow_paths --voc_name voc --vec_dir vecs --vec_paths vec_paths --word_weights");
    work.ok(&format!(
        "similarity --vec_paths vec_paths --out result --threshold {threshold} --method scan"
    ));
    work.ok(&format!("find_near_dups docs.jsonl --out pairs.tsv --threshold {threshold}"));
    let mut expected = Vec::new();
    for line in work.read("result").lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let number = |text: &str| text.parse::<u32>().unwrap();
        for pair in fields[1..].chunks(2).filter(|pair| number(fields[0]) < number(pair[0])) {
            expected.push((number(fields[0]), number(pair[0]), pair[1].parse::<f64>().unwrap()));
        }
    }
    let found = work.read("pairs.tsv");
    assert_eq!(lines(&found).len() - 1, expected.len(), "at {threshold}");
    for (line, (low, high, similarity)) in lines(&found)[1..].iter().zip(&expected) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(fields[1..3], [low.to_string(), high.to_string()], "at {threshold}");
        let found = fields[0].parse::<f64>().unwrap() * 100.0;
        assert!((found - similarity).abs() < 1e-5, "{line} {similarity}");
    }
    expected.len()
}

#[test]
fn the_pipeline_finds_the_same() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 800 --out docs.jsonl --mean_words 80");
    assert!(assert_pairs_of_the_pipeline(&work, "70") > 40);
}

/// Pairs that differ in few terms: added, removed and replaced words, equal and unequal weights, one heavy word, documents of few words.
#[test]
fn documents_that_differ_in_few_words_are_all_found() {
    let mut texts = Vec::new();
    for words in (1..=12).chain([15, 20, 34, 150]) {
        for length in [9, 6, 2] {
            let word = |at: usize| format!("{:x>length$}", format!("w{words}s{length}n{at}"));
            let base: Vec<String> = (0..words).map(word).collect();
            texts.push(base.clone());
            for changed in [1, 2, 3, 5] {
                let extra: Vec<String> =
                    (0..changed).map(|at| format!("{at:q>width$}", width = 11 - length)).collect();
                let fewer = &base[changed.min(words)..];
                texts.push([&base[..], &extra].concat());
                texts.push(fewer.to_vec());
                texts.push([fewer, &extra].concat());
                texts.push([&base[..], &vec![base[0].clone(); 20 * changed]].concat());
            }
        }
    }
    let line = |(id, words): (usize, &Vec<String>)| {
        format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words.join(" "))
    };
    let work = Work::new();
    work.write("docs.jsonl", texts.iter().enumerate().map(line).collect::<String>());
    for threshold in ["50", "70", "80", "90", "95", "98", "99", "99.5"] {
        let pairs = assert_pairs_of_the_pipeline(&work, threshold);
        assert!(pairs > 100, "{pairs} pairs at {threshold} test little");
    }
}

/// Returns two parts of one collection, and all of it.
fn split() -> Work {
    let work = Work::new();
    work.ok("create_corpus --doc_count 1200 --out all.jsonl --mean_words 60");
    let all = work.read("all.jsonl");
    let (old, new) = lines(&all).split_at(700).to_owned_parts();
    work.write("old.jsonl", old);
    work.write("new.jsonl", new);
    work
}

trait OwnedParts {
    fn to_owned_parts(self) -> (String, String);
}

impl OwnedParts for (&[&str], &[&str]) {
    fn to_owned_parts(self) -> (String, String) {
        (self.0.join("\n") + "\n", self.1.join("\n") + "\n")
    }
}

/// Pairs without the columns that say who is old.
fn pairs(work: &Work, name: &str) -> Vec<String> {
    let mut pairs: Vec<String> = work
        .read(name)
        .lines()
        .skip(1)
        .map(|line| line.split('\t').take(3).collect::<Vec<_>>().join("\t"))
        .collect();
    pairs.sort();
    pairs
}

#[test]
fn old_and_new_pairs_are_those_of_all_at_once() {
    let work = split();
    work.ok("find_near_dups all.jsonl --out all.tsv");
    work.ok("find_near_dups old.jsonl --out old.tsv --save_index index");
    work.ok("find_near_dups new.jsonl --against old.jsonl --out against.tsv");
    work.ok("find_near_dups new.jsonl --index index --out index.tsv --save_index index");
    let all = pairs(&work, "all.tsv");
    assert!(all.len() > 60, "{}", all.len());
    for new in ["against.tsv", "index.tsv"] {
        let mut together = pairs(&work, "old.tsv");
        together.extend(pairs(&work, new));
        together.sort();
        assert_eq!(together, all, "{new}");
    }
    assert_eq!(work.read("against.tsv"), work.read("index.tsv"));
    // What was added is in the index now: the same documents again are copies of those.
    let renamed = work.read("new.jsonl").replace("\"id\":\"", "\"id\":\"again");
    work.write("again.jsonl", renamed);
    let ran = work.ok("find_near_dups again.jsonl --index index --removed removed.tsv");
    assert!(ran.stderr.contains("500 exact duplicates"), "{}", ran.stderr);
    assert_eq!(work.read("removed.tsv").lines().count(), 501);
}

#[test]
fn an_index_is_the_same_however_it_grew() {
    let work = split();
    work.ok("find_near_dups all.jsonl --save_index once");
    work.ok("find_near_dups old.jsonl --save_index grown");
    work.ok("find_near_dups new.jsonl --index grown --save_index grown");
    for (once, grown) in ["documents-1.tsv", "terms-1.txt", "vectors-1.bin"].iter().zip([
        "documents-2.tsv",
        "terms-2.txt",
        "vectors-2.bin",
    ]) {
        let (once, grown) = (format!("once/{once}"), format!("grown/{grown}"));
        assert!(work.read_bytes(&once) == work.read_bytes(&grown), "{once}");
    }
    let of_first_run = |name: &String| name.starts_with("grown/") && name.contains("-1.");
    assert!(!work.files().iter().any(of_first_run), "the older files are gone");
}

#[test]
fn both_identities_are_kept_where_names_are_the_same() {
    let work = Work::new();
    json_lines(&work, "old.jsonl");
    work.write("new.jsonl", format!("{{\"id\":\"a\",\"text\":\"{OTHER}\"}}\n"));
    work.ok("find_near_dups new.jsonl --against old.jsonl --out pairs.tsv --removed removed.tsv --clusters clusters.csv --dedup kept.jsonl");
    assert_eq!(
        lines(&work.read("pairs.tsv")),
        [
            "similarity\tdocument_1\tdocument_2\tfrom_1\tfrom_2",
            "1.0000\tc\ta\told\tnew",
            "1.0000\td\ta\told\tnew"
        ]
    );
    assert_eq!(lines(&work.read("removed.tsv")), ["removed\tkept\tkept_from", "a\tc\told"]);
    let clusters = work.read("clusters.csv");
    assert_eq!(lines(&clusters)[0], "cluster,size,smallest,mean,cohesion,document,from");
    assert_eq!(lines(&clusters)[3], "1,3,1.0000,1.0000,all,a,new");
    assert_eq!(work.read("kept.jsonl"), "");
}

#[test]
fn an_index_of_other_parameters_is_refused_by_name() {
    let work = prepared();
    work.ok("find_near_dups docs --save_index index");
    let told = work.fails(&format!("{LINE} --index index --shingle_size 2"));
    assert!(told.contains("index.json: expected shingle_size 2, found 1"), "{told}");
    let told = work.fails(&format!("{LINE} --index nowhere"));
    assert!(told.contains("nowhere/index.json: cannot read"), "{told}");
    let name = work.files().into_iter().find(|name| name.starts_with("index/vectors")).unwrap();
    let mut damaged = work.read_bytes(&name);
    damaged.pop();
    work.write(&name, damaged);
    let told = work.fails(&format!("{LINE} --index index"));
    assert!(told.contains(&format!("{name}: expected ")), "{told}");
    work.write("index/index.json", "{\n\"format\": 1}\n");
    let told = work.fails(&format!("{LINE} --index index"));
    assert!(told.contains("index/index.json:2: "), "{told}");
}

/// What cannot be read is named and counted; the rest is done; the exit code tells.
#[track_caller]
fn incomplete(work: &Work, line: &str) -> Outcome {
    let ran = work.run(line);
    assert_eq!(ran.code, Some(3), "{line}\n{}", ran.stderr);
    ran
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_done() {
    let work = prepared();
    work.write("docs/binary.bin", [0x7f, b'E', b'L', b'F', 0, 0, 1, 2, 3]);
    let mut cut = gzip(FOX.repeat(50).as_bytes());
    cut.truncate(40);
    work.write("docs/cut.txt.gz", cut);
    let ran = incomplete(&work, LINE);
    for name in ["binary.bin", "cut.txt.gz"] {
        assert!(ran.stderr.contains(name), "{}", ran.stderr);
    }
    assert!(counts(&ran).contains("skipped 2 unreadable files or records"), "{}", counts(&ran));
    assert_eq!(lines(&work.read("pairs.tsv")).len(), 3);
}

#[test]
fn bad_lines_are_named_and_the_rest_is_done() {
    let work = Work::new();
    json_lines(&work, "docs.jsonl");
    let content = work.read("docs.jsonl") + "{\"id\": \"f\", \"text\": \n{\"id\": \"g\"}\n[1]\n";
    work.write("docs.jsonl", content);
    let ran = incomplete(&work, "find_near_dups docs.jsonl --out pairs.tsv -v");
    for place in ["docs.jsonl:6:", "docs.jsonl:7:", "docs.jsonl:8:"] {
        assert!(ran.stderr.contains(place), "{}", ran.stderr);
    }
    assert_eq!(lines(&work.read("pairs.tsv")).len(), 3);
}

#[test]
fn nothing_to_read_is_an_error() {
    let work = Work::new();
    std::fs::create_dir(work.path("docs")).unwrap();
    assert!(work.fails(LINE).contains("docs"));
    let told = work.fails("find_near_dups nowhere");
    assert!(told.contains("nowhere: cannot open"), "{told}");
    assert!(work.files().is_empty());
}

#[test]
fn a_huge_line_is_one_document() {
    let work = Work::new();
    let text = FOX.to_string() + " ";
    work.write("docs.txt", format!("{}\n{FOX}\n", text.repeat(300_000)));
    work.ok("find_near_dups docs.txt --format lines --out pairs.tsv");
    let found = work.read("pairs.tsv");
    assert!(lines(&found).len() == 2 && found.contains("\t1\t2"), "{found}");
}

#[test]
fn a_plan_tells_and_does_nothing() {
    let work = Work::new();
    work.ok("create_corpus --doc_count 300 --out docs.jsonl --mean_words 60");
    let ran = work.ok("find_near_dups docs.jsonl --plan --out pairs.tsv");
    assert!(ran.stderr.contains("300 documents in 1 files"), "{}", ran.stderr);
    work.ok("find_near_dups docs.jsonl --out all.tsv");
    let pairs = lines(&work.read("all.tsv")).len() - 1;
    assert!(ran.stderr.contains(&format!("expected: {pairs} pairs, ")), "{}", ran.stderr);
    assert!(!work.has("pairs.tsv"));
}

/// Five editions of a book, one after the other, in a file larger than what a plan reads whole.
#[test]
fn a_plan_expects_the_pairs_of_copies_that_are_far_apart() {
    const CHAPTERS: usize = 1189;
    let letters = |number: usize| {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect::<String>()
    };
    let mut book = String::new();
    for edition in 0..5 {
        for chapter in 0..CHAPTERS {
            let words = (0..130).map(|word| letters(1000 * chapter + word)).collect::<Vec<_>>();
            let (id, text) = (format!("{edition}-{chapter}"), words.join(" "));
            book += &format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n");
        }
    }
    let work = Work::new();
    work.write("book.jsonl", &book);
    let ran = work.ok("find_near_dups book.jsonl --plan");
    let expected = ran.stderr.split_once("expected: ").unwrap().1.split_once(" pairs").unwrap().0;
    let expected: usize = expected.replace(',', "").parse().unwrap();
    let pairs = CHAPTERS * 5 * 4 / 2;
    assert!((pairs / 2..2 * pairs).contains(&expected), "{expected} of {pairs} pairs");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let results = ["pairs.tsv", "clusters.jsonl", "removed.csv", "kept.jsonl"];
    let index = ["documents-1.tsv", "terms-1.txt", "vectors-1.bin", "index.json"];
    let mut expected: Option<Vec<Vec<u8>>> = None;
    for threads in [1, 2, 8, 64] {
        let work = Work::new();
        work.ok("create_corpus --doc_count 3000 --out docs.jsonl --mean_words 60");
        work.ok(&format!(
            "find_near_dups docs.jsonl --threads {threads} --out pairs.tsv --clusters clusters.jsonl --removed removed.csv --dedup kept.jsonl --save_index index"
        ));
        work.ok(&format!("find_near_dups docs.jsonl --threads {threads} --removed alone.csv"));
        assert_eq!(work.read("alone.csv"), work.read("removed.csv"), "without pairs");
        let index = index.iter().map(|name| format!("index/{name}"));
        let names = results.iter().map(|name| name.to_string()).chain(index);
        let bytes: Vec<Vec<u8>> = names.map(|name| work.read_bytes(name)).collect();
        assert!(expected.get_or_insert_with(|| bytes.clone()) == &bytes, "{threads} threads");
    }
}
