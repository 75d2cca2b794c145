//! Pairs of similar documents, in every form of the section *Pairs* of [`crate::files`]: one reader and one writer for all.
//!
//! When writing, the file name selects form and compression (`pairs.csv.zst`). When reading, the content does: [`PairFile::open`].
//! Readers return similarities in percent; documents of tables get the names that result lines would have, so that both can be compared.
//!
//! Result lines list a pair under both of its documents, a table lists it once. [`PairFile::rows`] lists the pairs of a table under both
//! documents too, with an external sort, so memory does not grow with the number of pairs.

mod by_document;
mod clusters;
mod columns;
mod escape;
mod form;
mod lookup;
mod pan;
mod passages;
mod read;
mod results;
mod shards;
mod table;
#[cfg(test)]
mod tests;
mod truth;

pub use clusters::{ClusterRow, for_each_cluster_row, write_clusters, write_removals};
pub use escape::{escape, unescape};
pub use passages::{
    KnownPassage, PassageRecord, SuspectedPair, missing_document, read_passages,
    read_suspected_pairs,
};
pub(crate) use read::repeated;
pub use read::{ListedPair, PairFile};
pub(crate) use results::append_similarity;
pub use results::{
    OrderNumbers, ResultRow, ResultWriter, SimilarityText, append_group, append_line,
};
pub use shards::{
    KeyedPair, PairPart, PairTableParts, PartWriter, TablePart, merge_pair_parts, write_pair_part,
};
pub use table::{OriginColumns, TableFile, write_pairs};
pub use truth::for_each_known_pair;
