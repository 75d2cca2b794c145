//! Pairs of similar documents, in every form that the executables write: one reader and one writer for all.
//!
//! | form | content | similarity | documents |
//! |---|---|---|---|
//! | result lines | `doc1:similar1:sim11:similar2:sim12…`, one line per document | percent | encoded names, or numbers with an id file |
//! | TSV | header, then `similarity`, `document_1`, `document_2` separated by tabs | cosine, 0 to 1 | ids, with `\t`, `\n`, `\r`, `\\` escaped |
//! | CSV | the same columns, quoted where needed | cosine, 0 to 1 | ids |
//! | JSON Lines | one object per pair with these keys | cosine, 0 to 1 | ids |
//!
//! `similarity`, `hamming` and `hamming_full` write result lines; `find_near_dups` writes the tables. Each may be plain, gzip or
//! Zstandard. When writing, the file name selects form and compression (`pairs.csv.zst`). When reading, the content does, whatever
//! the name: [`PairFile::open`]. Byte order marks and CRLF line ends are accepted; a last line without its newline is an error,
//! because it may be truncated.
//!
//! **One scale.** Readers return similarities in percent. Cosines are converted by their decimal digits: 0.29 becomes 29, not
//! 28.999999999999996.
//!
//! **One spelling.** Documents of tables get the names that result lines would have ([`id`]), so that both can be compared.
//!
//! **Whole collections.** Result lines list a pair under both of its documents; a table lists it once, and always covers the whole
//! collection. [`PairFile::rows`] lists the pairs of a table under both documents too, with an external sort, so memory does not
//! grow with the number of pairs.

mod by_document;
mod clusters;
mod columns;
mod escape;
mod form;
pub mod id;
mod lookup;
mod read;
mod results;
mod table;
#[cfg(test)]
mod tests;

pub use clusters::{ClusterRow, for_each_cluster_row, write_clusters, write_removals};
pub use escape::{escape, unescape};
pub(crate) use read::repeated;
pub use read::{ListedPair, PairFile};
pub(crate) use results::append_similarity;
pub use results::{ResultRow, ResultWriter, SimilarityText, append_group};
pub use table::{OriginColumns, PairTableWriter};
