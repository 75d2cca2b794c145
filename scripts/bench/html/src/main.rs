//! Speed of HTML parsers, and whether the words they see are those that nearsig's stripper sees. Prints CSV.
//!
//!     html-bench NAME PAGES FOLDER
//!
//! Reads up to PAGES pages below a folder, evenly spread. Every parser gets all pages in memory, on one thread, in turn. Times are minima of processor
//! time, which other processes disturb less than the clock; Linux only.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use html5ever::ParseOpts;
use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, Settings, doc_text, element, end_tag};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// The stripper of nearsig, from its sources.
#[allow(dead_code)]
#[path = "../../../../src/lib/text"]
mod text {
    pub mod mapped;
    pub mod markup;
}

/// Runs of each parser over all pages.
const REPETITIONS: usize = 5;
/// Elements inside of words and sentences, as in nearsig. All others separate words.
const INLINE: [&str; 33] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];
/// Elements without visible text.
const HIDDEN: [&str; 2] = ["script", "style"];

/// A parser: its name, and the text of a page.
type Parser = (&'static str, fn(&str) -> String);

const PARSERS: [Parser; 3] =
    [("nearsig", text::markup::strip), ("html5ever", by_html5ever), ("lol_html", by_lol_html)];

/// The text of a page by html5ever: its tree, without recursion.
fn by_html5ever(page: &str) -> String {
    // The content of noscript is visible to readers without scripts.
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
    let options = ParseOpts { tree_builder, ..Default::default() };
    let dom = html5ever::parse_document(RcDom::default(), options).one(page);
    let mut text = String::with_capacity(page.len() / 2);
    // Nodes to enter, and blocks to leave. The tree must outlive the walk: a dropped node empties all below it.
    let mut open: Vec<Option<Handle>> = vec![Some(Handle::clone(&dom.document))];
    while let Some(next) = open.pop() {
        let Some(node) = next else {
            text.push('\n');
            continue;
        };
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element { name, .. } => {
                let name: &str = &name.local;
                if HIDDEN.contains(&name) {
                    text.push('\n');
                    continue;
                }
                if !INLINE.contains(&name) {
                    text.push('\n');
                    open.push(None);
                }
            }
            _ => {}
        }
        open.extend(node.children.borrow().iter().rev().cloned().map(Some));
    }
    text
}

/// The text of a page by lol_html, which sees tags and text in their order.
fn by_lol_html(page: &str) -> String {
    let visible = Rc::new(RefCell::new(String::with_capacity(page.len() / 2)));
    let (at_start, at_text) = (Rc::clone(&visible), Rc::clone(&visible));
    let settings = Settings::new()
        .append_element_content_handler(element!("*", |element| {
            if INLINE.contains(&&*element.tag_name()) {
                return Ok(());
            }
            at_start.borrow_mut().push('\n');
            let at_end = Rc::clone(&at_start);
            // Elements without content have no end.
            if let Some(handlers) = element.end_tag_handlers() {
                handlers.push(end_tag!(move |_| {
                    at_end.borrow_mut().push('\n');
                    Ok(())
                }));
            }
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|chunk| {
            if !matches!(chunk.text_type(), TextType::ScriptData | TextType::RawText) {
                at_text.borrow_mut().push_str(chunk.as_str());
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(page.as_bytes()).and_then(|()| rewriter.end()).expect("pages are within limits");
    html_escape::decode_html_entities(&*visible.borrow()).into_owned()
}

/// Adds the pages below a folder.
fn find(folder: &Path, pages: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            find(&path, pages);
        } else if path.extension().is_some_and(|ending| ending == "html" || ending == "htm") {
            pages.push(path);
        }
    }
}

/// Returns up to `count` pages below a folder that are UTF-8, evenly spread.
fn pages(folder: &Path, count: usize) -> Vec<String> {
    let mut found = Vec::new();
    find(folder, &mut found);
    found.sort();
    let step = found.len().div_ceil(count).max(1);
    found.iter().step_by(step).filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// Returns the seconds that the process, which has one thread, has run on a processor.
fn processor_seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    let nanoseconds: f64 = times.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

/// Returns the least seconds of each parser for all pages.
fn seconds(pages: &[String]) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; PARSERS.len()];
    for _ in 0..REPETITIONS {
        for (number, (_, parse)) in PARSERS.iter().enumerate() {
            let start = processor_seconds();
            let bytes: usize = pages.iter().map(|page| parse(page).len()).sum();
            assert!(bytes > 0);
            least[number] = least[number].min(processor_seconds() - start);
        }
    }
    least
}

/// Returns the share of words that only one of two texts has.
fn difference(one: &str, other: &str) -> f64 {
    let mut counts: HashMap<&str, i64> = HashMap::new();
    let mut words = 0;
    for (text, sign) in [(one, 1), (other, -1)] {
        for word in text.split_whitespace() {
            *counts.entry(word).or_default() += sign;
            words += 1;
        }
    }
    counts.values().map(|count| count.unsigned_abs()).sum::<u64>() as f64 / words.max(1) as f64
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, count, folder] = &arguments[..] else {
        panic!("usage: html-bench NAME PAGES FOLDER")
    };
    let pages = pages(Path::new(folder), count.parse().expect("a number of pages"));
    let megabytes = pages.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let least = seconds(&pages);
    let is_verbose = std::env::var_os("HTML_BENCH_VERBOSE").is_some();
    for ((parser, parse), seconds) in PARSERS.into_iter().zip(least) {
        let (mut identical, mut differences) = (0, 0.0);
        for page in &pages {
            let (ours, theirs) = (text::markup::strip(page), parse(page));
            let is_identical = ours.split_whitespace().eq(theirs.split_whitespace());
            if !is_identical && is_verbose {
                let at = ours
                    .split_whitespace()
                    .zip(theirs.split_whitespace())
                    .position(|(a, b)| a != b);
                let around = |text: &str| {
                    let words = text.split_whitespace().skip(at.unwrap_or(0).saturating_sub(2));
                    words.take(6).collect::<Vec<_>>().join(" ")
                };
                eprintln!("{parser}: {} | {}", around(&ours), around(&theirs));
            }
            identical += usize::from(is_identical);
            differences += difference(&ours, &theirs);
        }
        let count = pages.len() as f64;
        println!(
            "{name},{},{megabytes:.1},{parser},{:.1},{:.2},{:.4}",
            pages.len(),
            megabytes / seconds,
            100.0 * identical as f64 / count,
            100.0 * differences / count
        );
    }
}
