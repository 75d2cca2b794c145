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
            Duplicates::find(collection, threshold, self.cluster_by, &self.keep, session)
        }))
    }

    fn check(&self) -> Result<()> {
        let SearchOptions { threshold, shingle_size } = self.options;
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

#[cfg(test)]
mod tests {
    use super::*;

    const FOX: &str = "the quick brown fox jumps over the lazy dog while seven geese look on";
    const NEAR_FOX: &str =
        "The quick brown fox jumps over the lazy dog, while seven ducks look on!";

    fn documents() -> Vec<(&'static str, &'static str)> {
        vec![("a", FOX), ("b", "something else altogether"), ("c", NEAR_FOX), ("d", FOX), ("e", "")]
    }

    #[test]
    fn texts_give_pairs_clusters_and_documents_to_keep() {
        let found = NearDups::new().find(documents()).unwrap();
        let pairs: Vec<(&str, &str)> = found.pairs().map(|pair| (pair.left, pair.right)).collect();
        assert_eq!(pairs, [("a", "c"), ("a", "d"), ("c", "d")]);
        assert!(found.pairs().all(|pair| pair.similarity >= 0.8));
        let clusters: Vec<Vec<&str>> = found.clusters().collect();
        assert_eq!(clusters, [["a", "c", "d"]]);
        assert_eq!(found.kept().collect::<Vec<_>>(), ["a", "b", "e"]);
        assert_eq!(found.removed().collect::<Vec<_>>(), [("c", "a"), ("d", "a")]);
    }

    #[test]
    fn the_longest_document_can_be_kept() {
        let found = NearDups::new().keep_longest().find(documents()).unwrap();
        assert_eq!(found.kept().collect::<Vec<_>>(), ["b", "c", "e"]);
    }

    #[test]
    fn any_number_of_threads_finds_the_same() {
        let texts: Vec<(String, String)> = (0..600)
            .map(|n: u32| {
                (
                    n.to_string(),
                    (0..30).map(|w| format!("w{} ", (n / 3) * 31 + w + n % 2)).collect(),
                )
            })
            .collect();
        let find = |search: NearDups| {
            let found = search.find(texts.iter().map(|(id, text)| (id, text))).unwrap();
            found.pairs().map(|pair| format!("{pair:?}")).collect::<Vec<_>>()
        };
        let expected = find(NearDups::new());
        assert!(expected.len() > 500, "{}", expected.len());
        for threads in [1, 3, 8] {
            let session = Session::silent().with_threads(threads).unwrap();
            assert_eq!(find(NearDups::new().session(session)), expected);
        }
    }

    #[test]
    fn wrong_options_and_ids_are_refused() {
        let message = |search: NearDups| search.find(documents()).unwrap_err().to_string();
        assert_eq!(
            message(NearDups::new().threshold(0.0)),
            "threshold: expected above 0, at most 1, found 0"
        );
        assert_eq!(
            message(NearDups::new().threshold(f64::NAN)),
            "threshold: expected above 0, at most 1, found NaN"
        );
        assert_eq!(
            message(NearDups::new().shingle_size(0)),
            "shingle_size: expected at least 1, found 0"
        );
        let twice = NearDups::new().find([("a", "x"), ("a", "y")]).unwrap_err();
        assert_eq!(twice.to_string(), "duplicate document name 'a'");
        assert!(NearDups::new().find([] as [(&str, &str); 0]).unwrap().pairs().next().is_none());
    }
}
