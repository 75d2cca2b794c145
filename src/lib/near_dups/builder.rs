//! The library's front page: texts in, near-duplicates out.

use super::collection::Collection;
use super::{ClusterBy, Duplicates, KeepRule, SearchOptions};
use crate::error::{Error, Result};
use crate::session::Session;

/// Finds near-duplicates among texts in memory.
///
/// Texts become vectors of weighted words; a pair is reported if its cosine reaches the threshold. All such pairs are found,
/// and their cosines are exact.
///
/// Memory: 6 bytes per distinct word of each document, and the pairs. Texts are not kept. The result is the same for any number of threads.
#[derive(Debug, Clone)]
pub struct NearDups {
    options: SearchOptions,
    cluster_by: ClusterBy,
    keep: KeepRule,
    session: Session,
}

impl Default for NearDups {
    fn default() -> Self {
        NearDups {
            options: SearchOptions::default(),
            cluster_by: ClusterBy::default(),
            keep: KeepRule::default(),
            session: Session::silent(),
        }
    }
}

impl NearDups {
    /// Returns a search with the defaults of `find_near_dups`: cosine 0.8.
    pub fn new() -> Self {
        NearDups::default()
    }

    /// Sets the minimum cosine of a pair, above 0 and at most 1.
    pub fn threshold(mut self, cosine: f64) -> Self {
        self.options.threshold = cosine;
        self
    }

    /// Sets the number of consecutive words per term, at least 1.
    pub fn shingle_size(mut self, words: usize) -> Self {
        self.options.shingle_size = words;
        self
    }

    /// Sets whether words are folded: compatibility forms, case, and vowel marks of Arabic and Hebrew. They are unless this says otherwise.
    pub fn fold(mut self, folds: bool) -> Self {
        self.options.no_fold = !folds;
        self
    }

    /// Sets how pairs become clusters.
    pub fn cluster_by(mut self, rule: ClusterBy) -> Self {
        self.cluster_by = rule;
        self
    }

    /// Keeps the longest text of each cluster instead of the first.
    pub fn keep_longest(mut self) -> Self {
        self.keep = KeepRule::Longest;
        self
    }

    /// Sets threads, CPU features and the receiver of progress events.
    pub fn session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// Finds the near-duplicates among documents given as (id, text).
    ///
    /// # Errors
    ///
    /// Fails if an option is out of range or an id occurs twice.
    pub fn find<I, T>(&self, documents: impl IntoIterator<Item = (I, T)>) -> Result<Duplicates>
    where
        I: AsRef<str>,
        T: AsRef<str> + Send + Sync,
    {
        self.check()?;
        // Documents are drawn on the caller's thread: its iterator need not be Send.
        let collection = Collection::from_texts(documents, &self.options, &self.session)?;
        let (threshold, session) = (self.options.threshold, &self.session);
        Ok(session.install(|| {
            Duplicates::find(collection, threshold, self.cluster_by, &self.keep, true, session)
        }))
    }

    fn check(&self) -> Result<()> {
        let SearchOptions { threshold, shingle_size, .. } = self.options;
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::Usage(format!(
                "threshold: expected above 0, at most 1, found {threshold}"
            )));
        }
        if shingle_size == 0 {
            return Err(Error::Usage("shingle_size: expected at least 1, found 0".into()));
        }
        Ok(())
    }
}
