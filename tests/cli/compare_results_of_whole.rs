//! compare_results --all_pairs: bounded memory, and temporary copies of input that cannot be read twice.

use crate::common::{Work, gzip};

const LINE: &str = "compare_results --sim sim --ham ham --out out --all_pairs";

/// Returns a result of this many documents, all similar to each other.
fn dense(documents: usize, similarity: f64) -> String {
    let mut result = String::new();
    for document in 0..documents {
        result += &format!("document{document}");
        for other in (0..documents).filter(|other| *other != document) {
            result += &format!(":document{other}:{similarity}");
        }
        result.push('\n');
    }
    result
}

/// Returns the same pairs as a table.
fn dense_table(documents: usize, similarity: f64) -> String {
    let mut table = "similarity\tdocument_1\tdocument_2\n".to_string();
    for document in 0..documents {
        for other in document + 1..documents {
            table += &format!("{similarity}\tdocument{document}\tdocument{other}\n");
        }
    }
    table
}

/// Returns the peak memory in the last line in megabytes, where the system reports it.
fn peak_memory(stderr: &str) -> Option<f64> {
    let (_, memory) = stderr.lines().last()?.split_once("peak memory ")?;
    memory.strip_suffix(" MB")?.parse().ok()
}

#[test]
fn memory_does_not_grow_with_the_pairs() {
    const DOCUMENTS: usize = 1200;
    // What 16 bytes a pair and result would take.
    let megabytes = (DOCUMENTS * (DOCUMENTS - 1) * 32) as f64 / (1 << 20) as f64;
    let work = Work::new();
    let ham = dense(DOCUMENTS, 79.5);
    work.write("sim", dense(DOCUMENTS, 80.0));
    work.write("ham.gz", gzip(ham.as_bytes()));
    work.write("ham", ham);
    let plain = work.ok(LINE);
    let zipped = work.ok(&LINE.replace("--ham ham --out out", "--ham ham.gz --out zipped"));
    work.write("ham.tsv", dense_table(DOCUMENTS, 0.795));
    let table = work.ok(&LINE.replace("--ham ham --out out", "--ham ham.tsv --out table"));
    for ran in [plain, zipped, table] {
        assert!(ran.stderr.contains(" wrote 1438800 compared pairs"), "{}", ran.stderr);
        let peak = peak_memory(&ran.stderr).unwrap_or(0.0);
        assert!(peak < megabytes / 2.0, "{}", ran.stderr);
    }
    assert!(work.read_bytes("out") == work.read_bytes("zipped"));
    assert!(work.read_bytes("out") == work.read_bytes("table"));
}

#[test]
fn documents_of_one_result_are_compared_with_nothing() {
    let work = Work::new();
    work.write("sim", "a:b:90\nb:a:90\n");
    work.write("ham", "x:y:70\nb(c):a:80\ny:x:70\n");
    work.ok(LINE);
    let expected = "Results for a:\nb 90 -\nResults for b:\na 90 80\nc - 100\n\
        Results for x:\ny - 70\nResults for c:\nb - 100\na - 80\nResults for y:\nx - 70\n";
    assert!(work.read("out").starts_with(expected), "{}", work.read("out"));
}

#[test]
fn two_results_of_one_method_are_compared() {
    let work = Work::new();
    work.write("sim", "a(b):c:90\nc:a(b):90\n");
    work.write("ham", "c:b:80\nb:c:80\n");
    work.ok(LINE);
    let expected = "Results for a:\nb 100 -\nc 90 -\nResults for b:\na 100 -\nc 90 80\n\
        Results for c:\na 90 -\nb 90 80\n";
    assert!(work.read("out").starts_with(expected), "{}", work.read("out"));
}

#[test]
fn errors_name_the_result_and_leave_no_file() {
    let work = Work::new();
    work.write("sim", "a:b:90\n");
    let line = LINE.replace("--ham ham", "--ham ham.gz");
    for (ham, message) in [
        ("c\na:b:120\n", "ham.gz:2: expected a similarity in percent, found '120'"),
        ("a:b:90\na:b:80\n", "ham.gz:2: expected one line per document, found 'a' again"),
        ("a(a):b:90\n", "ham.gz:1: expected one line per document, found 'a' again"),
        ("z:b\n", "ham.gz:1: expected document:similarity, found 'b'"),
        ("a:b:80", "ham.gz:1: expected a newline at the end of the line"),
    ] {
        work.write("ham.gz", gzip(ham.as_bytes()));
        let told = work.fails(&line);
        assert!(told.contains(message), "{ham:?}\n{told}");
        assert_eq!(work.files(), ["ham.gz", "sim"]);
    }
    work.write("ham.gz", gzip(b"a:b:80\n"));
    work.write("sim", "a:b:90\nc\na:b:80\n");
    assert!(work.fails(&line).contains("sim:3: expected one line per document, found 'a' again"));
    assert_eq!(work.files(), ["ham.gz", "sim"]);
}

#[cfg(unix)]
#[test]
fn output_to_a_device_needs_no_folder() {
    let work = Work::new();
    work.write("sim", "a:b:90\n");
    work.write("ham.gz", gzip(b"a:b:80\n"));
    work.ok("compare_results --sim sim --ham ham.gz --out /dev/null --all_pairs --summary s.csv");
    assert!(work.read("s.csv").contains("\npairs_both,1\n"));
}
