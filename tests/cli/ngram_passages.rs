//! ngram_search: candidates by stems, alignment, and the passages of all forms.

use crate::common::{Work, gzip};

const COPIED: &str = "The lighthouse keeper climbed the narrow stairs every evening before sunset. He carried a heavy can of oil and polished the brass lamp until it \
    shone like gold. Fishermen far out on the dark water trusted his patient work and steered their wooden boats safely home. When winter storms tore the roof away, he \
    repaired it alone with rope and canvas.";
/// The same without a common run of more than 5 words.
const OBFUSCATED: &str = "Every evening before sunset the keeper of the lighthouse climbed narrow stairs. A heavy can of oil he carried, and the brass lamp he polished until \
    like gold it shone. Far out on dark water the fishermen trusted patient work of his and safely steered wooden boats home. He repaired the roof alone with canvas and \
    rope when storms of winter tore it away.";
const OWN: [&str; 2] =
    ["Žluť is a colour that I never liked.\n\n", "\n\nMy own grandmother preferred green."];

fn around(text: &str) -> String {
    [OWN[0], text, OWN[1]].concat()
}

fn prepared(flags: &str) -> Work {
    let work = Work::new();
    work.write("docs/source.txt", format!("{COPIED}\n\nNobody paid him for the oil."));
    work.write(
        "docs/other.txt",
        "Something else: the museum opens at nine, and closes at noon on Mondays.",
    );
    work.write("suspect.txt", around(OBFUSCATED));
    work.ok(&format!("ngram_index add docs --index ix {flags}"));
    work
}

/// Returns an output without the folder of the test.
fn found(work: &Work, line: &str) -> String {
    let root = std::fs::canonicalize(work.path("")).unwrap().display().to_string();
    work.ok(line).stdout.replace(&root, "")
}

/// The line of a passage of the source's first paragraph.
fn line(name: &str, length: usize, similarity: &str, run: usize) -> String {
    format!(
        "{{\"suspicious\":\"/{name}\",\"offset\":38,\"length\":{length},\"source\":\"/docs/source.txt\",\"source_offset\":0,\"source_length\":{},\"similarity\":{similarity},\"run\":{run}}}\n",
        COPIED.len()
    )
}

#[test]
fn obfuscated_copies_are_in_all_forms() {
    let work = prepared("");
    let length = OBFUSCATED.len();
    let expected = line("suspect.txt", length, "0.953169", 5);
    assert_eq!(found(&work, "ngram_search suspect.txt --index ix --format jsonl"), expected);
    let (end, source) = (38 + length, COPIED.len());
    let text = found(&work, "ngram_search suspect.txt --index ix");
    let passages = format!(
        "    0.00 %  run    0  /docs/source.txt\n\n  passages:\n   95.32 %  run    5  characters 38-{end} from /docs/source.txt 0-{source}\n"
    );
    assert!(text.contains(&passages), "{text}");
    let xml = found(&work, "ngram_search suspect.txt --index ix --format xml");
    let passage = format!(
        "<source id=\"/docs/source.txt\" similarity=\"0.0000\" ngrams=\"0\" run=\"0\" by=\"passages\">\n      <passage offset=\"38\" length=\"{length}\" source_offset=\"0\" source_length=\"{source}\" similarity=\"0.9532\" run=\"5\"/>\n    </source>\n  </document>"
    );
    assert!(xml.contains(&passage), "{xml}");
    let pan = found(&work, "ngram_search suspect.txt --index ix --format pan");
    assert!(pan.contains(&format!("this_offset=\"38\" this_length=\"{length}\" source_reference=\"source.txt\" source_offset=\"0\" source_length=\"{source}\"/>")), "{pan}");
    let html = found(&work, "ngram_search suspect.txt --index ix --format html");
    assert!(html.contains(&format!("[38,{end},0,{source},0,5,0.953169]")), "{html}");
}

#[test]
fn methods_and_limits_decide_which_candidates_have_passages() {
    let work = prepared("");
    let lines = |flags: &str| {
        let line = format!("ngram_search suspect.txt --index ix --format jsonl {flags}");
        found(&work, &line).lines().count()
    };
    assert_eq!((lines(""), lines("--min_score 1000"), lines("--max_candidates 0")), (1, 0, 0));
    assert_eq!((lines("--align ngrams"), lines("--align none")), (0, 0));
    // Two documents hold every n-gram.
    work.write("docs/twin.txt", format!("{COPIED}\n\nTwice."));
    work.ok("ngram_index add docs --index ix --skip");
    assert_eq!((lines(""), lines("--max_df 1"), lines("--max_candidates 1")), (2, 0, 1));
    let xml = found(&work, "ngram_search suspect.txt --index ix --format xml --align ngrams -w");
    assert_eq!(xml.matches("<candidate id=\"/docs/").count(), 2, "{xml}");
    // Without reading sources, literal copies are runs without a place.
    work.write("suspect.txt", around(COPIED));
    let runs = found(&work, "ngram_search suspect.txt --index ix --format jsonl --align none");
    assert!(
        runs.contains(r#""source_offset":null,"source_length":null,"similarity":1.0,"run":61}"#),
        "{runs}"
    );
    let refused = work.refuses("ngram_search suspect.txt --index ix --align words");
    assert!(refused.contains("sentences, ngrams, none"), "{refused}");
}

#[test]
fn look_alike_letters_and_invisible_characters_hide_nothing() {
    let work = prepared("");
    let disguised = COPIED
        .replace("lamp", "l\u{430}mp")
        .replace("stairs", "st\u{430}irs")
        .replace("keeper", "k\u{435}eper")
        .replace("wooden", "wo\u{200b}oden");
    work.write("suspect.txt", around(&disguised));
    let expected = line("suspect.txt", disguised.chars().count(), "1.0", 61);
    for align in ["sentences", "ngrams"] {
        let flags = format!("--index ix --format jsonl --align {align}");
        assert_eq!(found(&work, &format!("ngram_search suspect.txt {flags}")), expected, "{align}");
    }
}

#[test]
fn quoted_passages_are_not_aligned() {
    let work = prepared("");
    work.write("suspect.txt", around(&format!("“{OBFUSCATED}”")));
    let quoted = "ngram_search suspect.txt --index ix --format jsonl";
    assert_eq!(found(&work, quoted), line("suspect.txt", OBFUSCATED.len() + 2, "0.953169", 5));
    assert_eq!(found(&work, &format!("{quoted} --ignore_quoted")), "");
}

#[test]
fn unreadable_sources_keep_runs_of_common_words() {
    let work = prepared("");
    work.write("copy.txt", around(COPIED));
    work.write("docs/source.txt", "changed");
    let found = work.run("ngram_search suspect.txt copy.txt --index ix --format jsonl");
    assert_eq!(found.code, Some(3), "{}", found.stderr);
    let root = std::fs::canonicalize(work.path("")).unwrap().display().to_string();
    let lines = found.stdout.replace(&root, "");
    let expected = format!(
        "{{\"suspicious\":\"/copy.txt\",\"offset\":38,\"length\":{},\"source\":\"/docs/source.txt\",\"source_offset\":null,\"source_length\":null,\"similarity\":1.0,\"run\":61}}\n",
        COPIED.len() - 1
    );
    assert_eq!(lines, expected);
}

#[test]
fn an_index_without_stems_says_so_and_has_common_ngrams_only() {
    let work = prepared("--no_stems");
    assert_eq!(found(&work, "ngram_search suspect.txt --index ix --format jsonl"), "");
    assert!(!found(&work, "ngram_index list --index ix").contains("stems"));
    // More documents follow the index.
    work.write("docs/more.txt", COPIED);
    work.ok("ngram_index add docs --index ix --skip");
    assert!(!found(&work, "ngram_index stats --index ix").contains("stems"));
    // A short common run makes a candidate, too short for a source.
    work.write(
        "suspect.txt",
        around(&format!("{OBFUSCATED} He polished the brass lamp until it shone.")),
    );
    let lines = found(&work, "ngram_search suspect.txt --index ix --format jsonl");
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let work = prepared("");
    work.write("docs/more.txt", COPIED);
    let refused = work.fails("ngram_index add docs --index ix --skip --no_stems");
    assert!(refused.contains("expected stems true as in the index, found false"), "{refused}");
    for preset in ["pekar", "mensik"] {
        work.ok(&format!("ngram_index add docs --index {preset} --preset {preset}"));
        assert!(!found(&work, &format!("ngram_index stats --index {preset}")).contains("stems"));
    }
}

#[test]
fn lists_name_stems_and_changes_keep_them() {
    let work = prepared("-n 3,5");
    let stats = |work: &Work| found(work, "ngram_index stats --index ix --format jsonl");
    assert!(stats(&work).contains(r#""n":"stems","postings":"#), "{}", stats(&work));
    assert!(
        found(&work, "ngram_index stats --index ix --format xml").contains("<ngrams n=\"stems\" ")
    );
    assert!(found(&work, "ngram_index list --index ix").contains(",stems:39\n"));
    assert!(
        found(&work, "ngram_index list --index ix --format jsonl")
            .contains(r#"{"count":39,"n":"stems"}"#)
    );
    let exported = found(&work, "ngram_index export --index ix");
    let list = exported.lines().find(|line| line.starts_with("/docs/source.txt\tstems\t")).unwrap();
    assert_eq!(list.split(' ').count(), 39);
    work.ok("ngram_index check --index ix");
    work.ok("ngram_index remove docs/other.txt --index ix");
    work.ok("ngram_index compact --index ix");
    work.ok("ngram_index check --index ix");
    let again = found(&work, "ngram_index export --index ix");
    assert!(again.lines().any(|line| line == list) && !again.contains("other.txt"));
    let refused = work.refuses("ngram_search suspect.txt --index ix -n 1001");
    assert!(refused.contains("expected a length of the index (3, 5), found 1001"), "{refused}");
}

#[test]
fn records_of_many_documents_are_read_for_any_number_of_threads() {
    let work = Work::new();
    let record = |id: &str, text: &str| {
        format!("{{\"id\": \"{id}\", \"text\": {}}}\n", serde_json::to_string(text).unwrap())
    };
    let sources: String = (0..40)
        .map(|number| {
            record(&format!("s{number}"), &COPIED.replace("lamp", &format!("lamp{number}")))
        })
        .collect();
    work.write("plain.jsonl", format!("\u{feff}\n{sources}"));
    work.write("packed.jsonl.gz", gzip(sources.replace("\"s", "\"p").as_bytes()));
    work.write("table.csv", format!("id,text\nc1,\"{COPIED}\"\n"));
    let suspicious: String = (0..30)
        .map(|number| {
            record(
                &format!("x{number}"),
                &around(&OBFUSCATED.replace("lamp", &format!("lamp{number}"))),
            )
        })
        .collect();
    work.write("suspicious.jsonl", suspicious);
    work.ok("ngram_index add plain.jsonl packed.jsonl.gz table.csv --index ix");
    let search = "ngram_search suspicious.jsonl --index ix --format jsonl --max_df 1000";
    let one = found(&work, &format!("{search} --threads 1 --max_candidates 90"));
    assert_eq!(one.lines().count(), 30 * 81);
    assert!(!one.contains("null"), "{one}");
    for threads in [2, 3] {
        let other = found(&work, &format!("{search} --threads {threads} --max_candidates 90"));
        assert_eq!(other, one);
    }
}
