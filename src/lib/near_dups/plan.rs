//! Which way is taken, and what is to be expected of it.

use std::fmt::Write as _;

use super::summary::grouped;
use super::{Method, NearDups, index};
use crate::chain::Counts;
use crate::corpus::{self, Survey};
use crate::error::Result;
use crate::search::near::{self, BACKGROUND, CollectionShape, SearchPlan};
use crate::session::Session;

/// Bytes of text that a distinct word of a document takes, where nothing is known but bytes: of the synthetic collection 9.5, of short English texts 8 to 10.
const BYTES_A_TERM: f64 = 9.5;
/// Bytes of text that are read, cut into words and counted in a second by one thread.
const TEXT_BYTES_A_SECOND: f64 = 110e6;
/// Bytes of memory beside vectors: the program, texts being read, the tables of words.
const OTHER_BYTES: u64 = 60_000_000;

/// Seconds that do not matter, and how many times as long as the cheapest way does not matter either: the exact way is taken where another one would save no more, because it
/// misses nothing, so that what is found bit by bit is what is found at once.
const NO_MATTER: (f64, f64) = (0.5, 1.25);

/// The way that is taken: the cheapest, unless the exact one is nearly as cheap, or the user insists on another.
pub(super) fn chosen(task: &NearDups, shape: &CollectionShape) -> SearchPlan {
    let exact = near::exact(shape, task.threshold / 100.0);
    let is_nearly_as_cheap = |seconds: f64| exact.seconds <= seconds * NO_MATTER.1 + NO_MATTER.0;
    // Where signing alone takes as long, what comes after it need not be known: that takes milliseconds to find out.
    let is_soon = is_nearly_as_cheap(exact.seconds.min(near::signing_seconds(shape)));
    if task.method == Some(Method::Exact) || (task.method.is_none() && is_soon) {
        return exact;
    }
    let plans = all(task, shape);
    let cheapest = plans[0];
    let chosen = match task.method {
        // A way that cannot keep the recall, such as the join of chunks at a low threshold, is not among the plans.
        Some(method) => plans.into_iter().find(|plan| method.is(&plan.way)),
        None => is_nearly_as_cheap(cheapest.seconds).then_some(exact),
    };
    chosen.unwrap_or(cheapest)
}

fn all(task: &NearDups, shape: &CollectionShape) -> Vec<SearchPlan> {
    near::plans(shape, task.threshold / 100.0, task.recall, task.recipe.bits)
}

/// Tells what to expect and reads no more of the input than it needs for that.
pub fn plan(task: &NearDups, session: &Session) -> Result<Counts> {
    let survey = corpus::survey(&task.inputs)?;
    let old = match &task.index {
        Some(folder) => index::documents(folder, &task.recipe)? as u64,
        None => 0,
    };
    let shape = expected_shape(&survey, old);
    let best = chosen(task, &shape);
    session.info(&described(&survey, old));
    for plan in all(task, &shape) {
        let mark = if plan.way == best.way { "*" } else { " " };
        session.info(&line(mark, &plan, &survey));
    }
    Ok(Counts {
        read: (survey.files, "files, not all of them whole"),
        skipped: (0, ""),
        written: (0, "pairs: this was a plan"),
        unreadable: 0,
    })
}

fn expected_shape(survey: &Survey, old: u64) -> CollectionShape {
    CollectionShape {
        documents: survey.documents + old,
        new_documents: survey.documents,
        signed_documents: old,
        terms_per_document: survey.mean_text_bytes / BYTES_A_TERM,
        background: BACKGROUND,
        threads: rayon::current_num_threads(),
    }
}

fn described(survey: &Survey, old: u64) -> String {
    let about = if survey.exact { "" } else { "about " };
    let mut text = format!(
        "{about}{} documents in {} files, {:.1} MB",
        grouped(survey.documents),
        grouped(survey.files),
        survey.bytes as f64 / 1e6
    );
    if old > 0 {
        let _ = write!(text, ", and {} of an index", grouped(old));
    }
    text
}

/// One way: what it promises and what it takes, reading included.
fn line(mark: &str, plan: &SearchPlan, survey: &Survey) -> String {
    let threads = rayon::current_num_threads() as f64;
    let text = survey.documents as f64 * survey.mean_text_bytes;
    let seconds = plan.seconds + text / TEXT_BYTES_A_SECOND / threads;
    let megabytes = (plan.bytes + OTHER_BYTES) as f64 / 1e6;
    let way = super::summary::way(plan);
    format!("{mark} {seconds:.1} s, {megabytes:.0} MB: {way}")
}
