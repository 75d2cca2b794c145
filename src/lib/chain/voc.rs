//! `create_voc` and `reduce_voc`: the collection's vocabulary.

use clap::Parser;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

use crate::error::{Error, Result, check_count, excerpt};
use crate::executable::values::limit;
use crate::executable::{Counts, Executable, FlagPath};
use crate::files::input::Line;
use crate::files::manifest::{DataFile, StageKind};
use crate::files::output::Publisher;
use crate::files::paths::{self, BowPaths};
use crate::files::voc::VocOutput;
use crate::files::{bow, voc};
use crate::pool::ObjectPool;
use crate::session::Session;
use crate::text::Key;
use crate::vector::{BadTerm, Limit, Measure, Reduction, VocabularyBuilder};

/// Builds the vocabulary of a collection: each term with its collection frequency (TC) and document frequency (DC)
#[derive(Debug, Clone, Parser, Serialize)]
#[command(name = "create_voc", version, rename_all = "snake_case")]
pub struct CreateVoc {
    /// List of BOW files, from create_bows
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub bow_paths: FlagPath,
    /// Write the vocabulary to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub voc_name: FlagPath,
}

impl Executable for CreateVoc {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        ("Build the vocabulary of a collection", "create_voc --bow_paths bow_paths --voc_name voc"),
        ("Compress it", "create_voc --bow_paths bow_paths --voc_name voc.zst"),
    ];

    /// Counts the terms of all bags. Memory: the vocabulary with 45 to 90 bytes per term (and the text of terms over 16 bytes), at most once per
    /// thread, 8 bytes per document, and finally about 100 bytes more per term.
    fn run(&self, session: &Session) -> Result<Counts> {
        let list = BowPaths::read(&self.bow_paths)?;
        let publisher = Publisher::new(session, paths::reads(&self.bow_paths, &list.files));
        let out = VocOutput::create(&publisher, &self.voc_name)?;
        session.phase("counting terms", Some(list.files.len() as u64));
        let builders = ObjectPool::default();
        let count_file = |file: &DataFile| {
            session.advance(1);
            builders.with(VocabularyBuilder::default, |builder| bow::for_each(file, builder))
        };
        let names = list.files.par_iter().map(count_file).collect::<Result<Vec<_>>>()?;
        bow::check_names(&self.bow_paths, &list.files, names)?;
        let vocabulary = VocabularyBuilder::finish(builders.into_all()).map_err(|term| {
            let message = format!("count of term {} overflows 64 bits", excerpt(&term));
            Error::in_file(&self.bow_paths, message)
        })?;
        check_count(&self.bow_paths, "documents", list.documents, vocabulary.documents)?;
        let provenance = self.provenance(StageKind::Voc).input(list.provenance.as_ref());
        out.finish(&vocabulary, provenance, list.shard)?;
        Ok(Counts::new((vocabulary.documents, "bags of words"), (vocabulary.len() as u64, "terms")))
    }
}

impl bow::BagConsumer for VocabularyBuilder {
    #[inline]
    fn prefetch(&self, key: &Key) {
        self.prefetch(key);
    }

    fn take(&mut self, line: &Line<'_>, bag: bow::Bag<'_, '_>) -> Result<()> {
        let wrong = |bad: BadTerm<'_>| line.expected(bad.expected, bad.term);
        self.add_document(bag.terms).map_err(wrong)
    }
}

/// Keeps the terms of a vocabulary within inclusive limits. Give exactly one pair: --min_tf with --max_tf or --count, --min_df with --max_df
/// or --count, --min_tf_idf with --max_tf_idf or --count
#[derive(Debug, Clone, Default, Parser, Serialize)]
#[command(name = "reduce_voc", version, rename_all = "snake_case")]
pub struct ReduceVoc {
    /// Vocabulary to reduce, from create_voc
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub old_voc_name: FlagPath,
    /// Write the reduced vocabulary to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub new_voc_name: FlagPath,
    /// Minimum collection frequency (TC)
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub min_tf: Option<f64>,
    /// Maximum collection frequency (TC)
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub max_tf: Option<f64>,
    /// Minimum document frequency (DC)
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub min_df: Option<f64>,
    /// Maximum document frequency (DC)
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub max_df: Option<f64>,
    /// Minimum TC * ln(N / DC) in a collection of N documents
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub min_tf_idf: Option<f64>,
    /// Maximum TC * ln(N / DC)
    #[arg(long, value_name = "X", help_heading = "Limits", value_parser = limit)]
    #[serde(serialize_with = "serialize_limit")]
    pub max_tf_idf: Option<f64>,
    /// Keep the N highest-ranked terms by the measure whose minimum is given
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub count: Option<usize>,
}

impl Executable for ReduceVoc {
    const EXAMPLES: [(&'static str, &'static str); 2] = [
        (
            "Drop terms that occur in one document only",
            "reduce_voc --old_voc_name voc --new_voc_name voc2 --min_df 2 --max_df inf",
        ),
        (
            "Keep the 10,000 terms of the highest tf-idf",
            "reduce_voc --old_voc_name voc --new_voc_name voc10k --min_tf_idf 0 --count 10000",
        ),
    ];

    /// Keeps the terms within the limits. Memory: both vocabularies.
    fn run(&self, session: &Session) -> Result<Counts> {
        let reduction = self.reduction()?;
        let publisher = Publisher::new(session, paths::list_reads(&self.old_voc_name));
        let out = VocOutput::create(&publisher, &self.new_voc_name)?;
        let (old, provenance) = voc::read(&self.old_voc_name)?;
        voc::check_terms(&self.old_voc_name, &old)?;
        let before = old.len() as u64;
        let new = reduction.apply(&old);
        out.finish(&new, self.provenance(StageKind::Voc).input(provenance.as_ref()), None)?;
        let kept = new.len() as u64;
        let skipped = (before - kept, "outside the limits");
        Ok(Counts { skipped, ..Counts::new((before, "terms"), (kept, "terms")) })
    }
}

impl ReduceVoc {
    /// Returns the one legal pair of limits. Fails for any other combination.
    fn reduction(&self) -> Result<Reduction> {
        let limits = [
            (Measure::Tf, self.min_tf, self.max_tf),
            (Measure::Df, self.min_df, self.max_df),
            (Measure::TfIdf, self.min_tf_idf, self.max_tf_idf),
        ];
        let given = limits.iter().flat_map(|(_, min, max)| [min, max]).flatten().count();
        let legal = limits.iter().find_map(|(measure, min, max)| {
            let limit = match (max, self.count) {
                (Some(max), None) if given == 2 => Limit::AtMost(*max),
                (None, Some(count)) if given == 1 => Limit::Best(count),
                _ => return None,
            };
            Some(Reduction { measure: *measure, at_least: (*min)?, limit })
        });
        legal.ok_or_else(|| Error::Usage(LEGAL_PAIRS.into()))
    }
}

/// The combinations of flags that `reduce_voc` takes.
const LEGAL_PAIRS: &str = "expected exactly one of these pairs: --min_tf and --max_tf, --min_tf and --count, --min_df and --max_df, \
--min_df and --count, --min_tf_idf and --max_tf_idf, --min_tf_idf and --count";

/// Serializes a limit as text, because JSON has no infinity.
fn serialize_limit<S: Serializer>(limit: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    limit.map(|limit| limit.to_string()).serialize(serializer)
}
