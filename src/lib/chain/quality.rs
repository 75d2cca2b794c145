//! `analyze_rnd_vecs_quality`: are the random vectors of `create_sigs` what they should be?

use std::path::PathBuf;

use super::Counts;
use crate::error::{Error, Result};
use crate::evaluate::randomness::{self, Level, Observed, Seen, Test};
use crate::files::paths::VecPaths;
use crate::files::verdicts;
use crate::random;
use crate::session::Session;
use crate::signature::{Components, RandomSource, RandomVectors, Tally};

/// What to look at and where to write.
#[derive(Debug, Clone)]
pub struct Quality {
    /// How the vectors are drawn.
    pub source: RandomSource,
    /// How many components they have.
    pub terms: Terms,
    /// How many pairs of vectors to look at; all, if there are no more.
    pub pairs: usize,
    /// The table to write.
    pub out: PathBuf,
}

/// How many components a vector has.
#[derive(Debug, Clone)]
pub enum Terms {
    /// So many.
    Count(usize),
    /// As many as the vocabulary of these vectors has terms.
    Of(PathBuf),
}

/// Looks at all components, in one pass (one more a round of drawing again). Memory does not grow with the number of components.
pub fn analyze(task: &Quality, session: &Session) -> Result<(Counts, Vec<Test>)> {
    let terms = match &task.terms {
        Terms::Count(terms) => *terms,
        Terms::Of(list) => VecPaths::read(list)?.terms,
    };
    if terms == 0 {
        let message = "random vectors over a vocabulary without terms have no components";
        return Err(Error::Message(message.into()));
    }
    session.phase("drawing random vectors", None);
    let vectors = task.source.draw(terms)?;
    let pairs = pairs(&task.source, task.pairs);
    let tally = Tally::of(&vectors, &pairs, session);
    let tests = randomness::tests(&observed(&task.source, &vectors, &tally, &pairs));
    verdicts::write(&task.out, &tests)?;
    tell(&tests, session);
    let counts = Counts {
        read: (vectors.bits() as u64, "random vectors"),
        skipped: (0, ""),
        written: (tests.len() as u64, "tests"),
        unreadable: 0,
    };
    Ok((counts, tests))
}

/// All pairs of vectors, or so many that are drawn, each independently of the others.
fn pairs(source: &RandomSource, wanted: usize) -> Vec<(usize, usize)> {
    let bits = source.bits;
    let all = bits * (bits - 1) / 2;
    if all > wanted {
        return random::transpositions(source.seed, 0, bits as u32, wanted).collect();
    }
    (0..bits).flat_map(|one| (one + 1..bits).map(move |other| (one, other))).collect()
}

fn observed(
    source: &RandomSource,
    vectors: &RandomVectors,
    tally: &Tally,
    pairs: &[(usize, usize)],
) -> Observed {
    let (unit, terms) = (vectors.unit(), vectors.terms() as f64);
    let level = |(value, probability): (i16, f64)| Level {
        value: f64::from(value) / unit,
        probability,
        count: tally.count(value),
    };
    let length = |vector: usize| (tally.vectors[vector].squares as f64).sqrt();
    let cosine = |((one, other), product): (&(usize, usize), &i64)| {
        *product as f64 / (length(*one) * length(*other))
    };
    let balance = match source.components {
        Components::Gauss { below_zero_percent: Some(percent) } => Some(percent),
        _ => None,
    };
    Observed {
        levels: vectors.distribution().into_iter().map(level).collect(),
        is_normal: matches!(source.components, Components::Gauss { .. }),
        terms: vectors.terms() as u64,
        vectors: tally
            .vectors
            .iter()
            .map(|sums| Seen {
                mean: sums.sum as f64 / unit / terms,
                mean_square: sums.squares as f64 / (unit * unit) / terms,
                positives: sums.positives,
            })
            .collect(),
        cosines: pairs.iter().zip(&tally.products).map(cosine).collect(),
        balance: balance.map(|percent| (percent, vectors.redraws())),
    }
}

fn tell(tests: &[Test], session: &Session) {
    let suspicious: Vec<&str> = tests
        .iter()
        .filter(|test| test.is_suspicious == Some(true))
        .map(|test| test.name)
        .collect();
    if !suspicious.is_empty() {
        let below = randomness::SUSPICIOUS;
        session.info(&format!("suspicious (p < {below}): {}", suspicious.join(", ")));
    }
}
