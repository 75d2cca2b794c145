//! How random vectors are drawn, as flags of the executables that look at them.

use clap::{Args, ValueEnum};

use crate::error::{Error, Result};
use crate::executable::values::{below_half, signature_bits};
use crate::random::DEFAULT_SEED;
use crate::signature::{Components, RandomSource};

/// The same vectors as those of `create_sigs` with the same flags.
#[derive(Debug, Clone, Args)]
pub struct RandomFlags {
    /// How many random vectors: the signatures' length in bits, a multiple of 4
    #[arg(long = "sig_len", value_name = "K", value_parser = signature_bits)]
    sig_len: usize,
    /// What the random vectors' components are
    #[arg(long = "rnd_dist", value_name = "DIST", default_value = "gauss")]
    rnd_dist: RndDist,
    /// Seed of the random vectors
    #[arg(long = "rnd_seed", value_name = "N", default_value_t = DEFAULT_SEED)]
    rnd_seed: u64,
    /// Draw a random vector again until more than P % of its components are positive and more than P % negative; below 50
    #[arg(long = "below_zero_percent", value_name = "P", value_parser = below_half)]
    below_zero_percent: Option<f64>,
}

/// What the random vectors' components are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RndDist {
    /// Normal numbers
    Gauss,
    /// -3, -1, 1 and 3: many times faster, less accurate for vectors of few terms, which are counted
    Levels,
}

impl RandomFlags {
    /// What the flags say.
    pub fn source(&self) -> Result<RandomSource> {
        let below_zero_percent = self.below_zero_percent;
        let components = match self.rnd_dist {
            RndDist::Levels if below_zero_percent.is_some() => {
                let message = "rnd_dist levels draws no vector again: below_zero_percent needs rnd_dist gauss";
                return Err(Error::Usage(message.into()));
            }
            RndDist::Levels => Components::Levels,
            RndDist::Gauss => Components::Gauss { below_zero_percent },
        };
        Ok(RandomSource { seed: self.rnd_seed, bits: self.sig_len, components })
    }
}
