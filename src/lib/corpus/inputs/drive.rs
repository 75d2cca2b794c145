//! Reads sources and works on their documents at the same time; gives the results in reading order.

use rayon::prelude::*;

use super::Inputs;
use super::batch::{Batch, Maker, Spot};
use super::feed::{Feeder, Load, Unit};
use super::skip::Skip;
use super::source::{Kind, Source};
use crate::error::Result;
use crate::watch::Watch;

/// What became of a batch.
pub(super) struct Made<T> {
    /// What the work made of its documents, if it has any.
    pub result: Option<T>,
    /// Where they stand.
    pub spots: Vec<Spot>,
    /// What the sources of the batch are.
    pub kinds: Vec<(usize, Kind)>,
    pub skips: Vec<Skip>,
    pub guessed: u64,
    pub bytes: u64,
}

/// Reads all sources. `work` is called by several threads at once, `take` in order; its first error ends it all.
pub(super) fn drive<T: Send>(
    inputs: &Inputs,
    sources: &[Source],
    watch: &dyn Watch,
    work: impl Fn(&Batch<'_>) -> T + Sync,
    mut take: impl FnMut(Made<T>) -> Result<()> + Send,
) -> Result<()> {
    let maker = Maker::new(inputs, sources);
    let mut feeder = Feeder::new(inputs, sources);
    let (mut now, mut next) = (Load::default(), Load::default());
    feeder.fill(&mut now);
    while !now.is_empty() {
        let outcome = rayon::join(
            || feeder.fill(&mut next),
            || {
                let units = now.units();
                let made: Vec<_> =
                    units.into_par_iter().map(|unit| make(&maker, unit, &work)).collect();
                made.into_iter().try_for_each(&mut take)
            },
        );
        outcome.1?;
        watch.advance(now.stored);
        std::mem::swap(&mut now, &mut next);
    }
    Ok(())
}

fn make<T>(maker: &Maker<'_>, unit: Unit<'_>, work: impl Fn(&Batch<'_>) -> T) -> Made<T> {
    let mut kinds = Vec::new();
    let batch = match unit {
        Unit::Records(parts) => {
            kinds.extend(parts.iter().map(|part| (part.source, part.kind)));
            maker.records(&parts)
        }
        Unit::Files(sources) => maker.files(sources),
        #[cfg(feature = "parquet")]
        Unit::Rows { source, first, rows } => maker.rows(source, first, rows),
        Unit::Skip(skip) => Batch { skips: vec![skip.clone()], ..Batch::default() },
    };
    let result = (!batch.documents.is_empty()).then(|| work(&batch));
    let Batch { spots, skips, guessed, bytes, .. } = batch;
    Made { result, spots, kinds, skips, guessed, bytes }
}
