//! Counts of a search in one line.

use std::fmt;

use crate::executable::counted;
pub(super) use crate::executable::grouped;

/// Counts of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of documents, existing ones included.
    pub documents: u64,
    /// Number of existing documents.
    pub existing: u64,
    /// Number of documents without words; of these, only equal texts that are not blank are pairs.
    pub without_words: u64,
    /// Number of new documents whose text equals that of an earlier document.
    pub exact_duplicates: u64,
    /// Number of pairs, if all were found.
    pub pairs: Option<u64>,
    /// Number of clusters of at least two documents.
    pub clusters: u64,
    /// Number of documents that a deduplicated copy leaves out.
    pub removed: u64,
    /// What makes two documents a pair: `cosine >= 0.8`.
    pub criterion: String,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let new = self.documents - self.existing;
        write!(f, "{}", counted(new, "documents"))?;
        if self.existing > 0 {
            write!(f, " against {} existing", grouped(self.existing))?;
        }
        if self.without_words > 0 {
            write!(f, ", {} without words", grouped(self.without_words))?;
        }
        write!(f, "; {}; ", counted(self.exact_duplicates, "exact duplicates"))?;
        let (clusters, criterion) = (counted(self.clusters, "clusters"), &self.criterion);
        match self.pairs.map(|pairs| counted(pairs, "pairs")) {
            Some(pairs) => write!(f, "{pairs} with {criterion} in {clusters}")?,
            None => write!(f, "{clusters} with {criterion}")?,
        }
        let share = 100.0 * self.removed as f64 / (new as f64).max(1.0);
        write!(f, "; {} ({share:.2} %) removable", counted(self.removed, "documents"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_omits_zero_counts_of_special_documents() {
        let mut summary = Summary {
            documents: 10,
            existing: 0,
            without_words: 0,
            exact_duplicates: 1,
            pairs: Some(3),
            clusters: 2,
            removed: 3,
            criterion: "cosine >= 0.8".into(),
        };
        let tail = "1 exact duplicate; 3 pairs with cosine >= 0.8 in 2 clusters; 3 documents (30.00 %) removable";
        assert_eq!(summary.to_string(), format!("10 documents; {tail}"));
        (summary.documents, summary.existing, summary.without_words) = (13, 3, 2);
        assert_eq!(
            summary.to_string(),
            format!("10 documents against 3 existing, 2 without words; {tail}")
        );
        summary.pairs = None;
        assert!(summary.to_string().contains("; 2 clusters with cosine >= 0.8; 3 documents"));
        let one = Summary {
            documents: 2,
            existing: 1,
            without_words: 0,
            exact_duplicates: 1,
            pairs: Some(1),
            clusters: 1,
            removed: 1,
            criterion: "cosine >= 0.8".into(),
        };
        let expected = "1 document against 1 existing; 1 exact duplicate; 1 pair with cosine >= 0.8 in 1 cluster; 1 document (100.00 %) removable";
        assert_eq!(one.to_string(), expected);
    }
}
