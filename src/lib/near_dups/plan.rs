//! The choice of a search method, and its expected cost.

use std::fmt::Write as _;

use super::summary::{grouped, method};
use super::{FindNearDups, NearDupMethod, SearchOptions, index};
use crate::corpus::{self, Inputs, Survey};
use crate::error::Result;
use crate::executable::Counts;
use crate::search::near::{self, BACKGROUND, CollectionShape, SearchPlan};
use crate::session::Session;

/// Bytes of text per distinct word of a document: 9.5 in the synthetic collection, 8 to 10 in short English texts.
const BYTES_PER_TERM: f64 = 9.5;
/// Bytes of text that one thread reads, splits into words and counts per second.
const TEXT_BYTES_PER_SECOND: f64 = 110e6;
/// Bytes of memory besides vectors: the program, text being read, term tables.
const OTHER_BYTES: u64 = 60_000_000;

/// The exact method is preferred unless another one saves more than this many seconds.
const NEGLIGIBLE_SECONDS: f64 = 0.5;
/// The exact method is preferred up to this multiple of the cheapest method's cost: it misses nothing, so incremental runs find what one
/// run over everything finds.
const NEGLIGIBLE_FACTOR: f64 = 1.25;

/// Chooses the method: the cheapest, unless the exact one is nearly as cheap or the user names another.
pub(super) fn choose(options: &SearchOptions, shape: &CollectionShape) -> SearchPlan {
    let exact = near::exact(shape, options.threshold);
    let is_nearly_as_cheap =
        |seconds: f64| exact.seconds <= seconds * NEGLIGIBLE_FACTOR + NEGLIGIBLE_SECONDS;
    // If signing alone takes as long, the cost of the search after it, which takes milliseconds to estimate, does not matter.
    let is_cheapest = is_nearly_as_cheap(exact.seconds.min(near::signing_seconds(shape)));
    let wanted = options.method();
    if wanted == NearDupMethod::Exact || (wanted == NearDupMethod::Auto && is_cheapest) {
        return exact;
    }
    let plans = all(options, shape);
    let cheapest = plans[0];
    let chosen = match wanted {
        NearDupMethod::Auto => is_nearly_as_cheap(cheapest.seconds).then_some(exact),
        // A method that cannot meet the recall, such as the chunk join at a low threshold, has no plan.
        method => plans.into_iter().find(|plan| method.is(&plan.strategy)),
    };
    chosen.unwrap_or(cheapest)
}

fn all(options: &SearchOptions, shape: &CollectionShape) -> Vec<SearchPlan> {
    near::plans(shape, options.threshold, options.recall, options.sig_len)
}

/// Prints the expected recall, memory and time of every method. Reads only as much of the input as the estimate needs.
pub(super) fn print(task: &FindNearDups, inputs: &Inputs, session: &Session) -> Result<Counts> {
    let survey = corpus::survey(inputs)?;
    let indexed = match &task.existing.index {
        Some(folder) => index::documents(folder, &task.search)? as u64,
        None => 0,
    };
    let shape = expected_shape(&survey, indexed);
    let best = choose(&task.search, &shape);
    session.info(&described(&survey, indexed));
    for plan in all(&task.search, &shape) {
        let mark = if plan.strategy == best.strategy { "*" } else { " " };
        session.info(&line(mark, &plan, &survey));
    }
    Ok(Counts {
        read: (survey.files, "files in part"),
        skipped: (0, ""),
        written: (0, "pairs (plan only)"),
        unreadable: 0,
    })
}

fn expected_shape(survey: &Survey, indexed: u64) -> CollectionShape {
    CollectionShape {
        documents: survey.documents + indexed,
        new_documents: survey.documents,
        signed_documents: indexed,
        terms_per_document: survey.mean_text_bytes / BYTES_PER_TERM,
        background: BACKGROUND,
        threads: rayon::current_num_threads(),
    }
}

fn described(survey: &Survey, indexed: u64) -> String {
    let about = if survey.exact { "" } else { "about " };
    let mut text = format!(
        "{about}{} documents in {} files, {:.1} MB",
        grouped(survey.documents),
        grouped(survey.files),
        survey.bytes as f64 / 1e6
    );
    if indexed > 0 {
        let _ = write!(text, ", and {} in the index", grouped(indexed));
    }
    text
}

/// Describes one method with its cost, reading included.
fn line(mark: &str, plan: &SearchPlan, survey: &Survey) -> String {
    let threads = rayon::current_num_threads() as f64;
    let text = survey.documents as f64 * survey.mean_text_bytes;
    let seconds = plan.seconds + text / TEXT_BYTES_PER_SECOND / threads;
    let megabytes = (plan.bytes + OTHER_BYTES) as f64 / 1e6;
    format!("{mark} {seconds:.1} s, {megabytes:.0} MB: {}", method(plan))
}
