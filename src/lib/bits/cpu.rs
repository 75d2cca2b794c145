//! Instruction sets and CPU dispatch. Results never depend on the instruction set; only time does.

use std::str::FromStr;

/// Instruction set with its own version of every kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// The baseline of the architecture. On 64-bit ARM that includes NEON, which the compiler uses by itself.
    Scalar,
    /// x86-64 with AVX2, BMI2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL and VPOPCNTDQ, on top of AVX2.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets, the baseline first.
    const ALL: [InstructionSet; 3] =
        [InstructionSet::Scalar, InstructionSet::Avx2, InstructionSet::Avx512];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Scalar => "scalar",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }

    /// Returns the best instruction set of this machine.
    fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq");
            match (has_avx2, has_avx512) {
                (true, true) => InstructionSet::Avx512,
                (true, false) => InstructionSet::Avx2,
                _ => InstructionSet::Scalar,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        InstructionSet::Scalar
    }
}

impl FromStr for InstructionSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|set| set.name() == text).ok_or_else(|| {
            format!("expected scalar, avx2 or avx512, found '{}'", text.escape_debug())
        })
    }
}

/// Instruction set that this machine has. Every kernel takes one, and relies on it being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cpu(InstructionSet);

impl Cpu {
    /// The baseline of the architecture.
    pub const SCALAR: Cpu = Cpu(InstructionSet::Scalar);

    /// Returns the instruction set if this machine has it.
    pub fn new(set: InstructionSet) -> Option<Self> {
        (set <= InstructionSet::detect()).then_some(Cpu(set))
    }

    /// Returns the best instruction set of this machine.
    pub fn best() -> Self {
        Cpu(InstructionSet::detect())
    }

    /// Returns all instruction sets of this machine, the baseline first.
    pub fn available() -> impl Iterator<Item = Cpu> {
        InstructionSet::ALL.into_iter().filter_map(Cpu::new)
    }

    /// Returns the instruction set.
    pub fn set(self) -> InstructionSet {
        self.0
    }

    /// Returns the name of the instruction set.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for set in InstructionSet::ALL {
            assert_eq!(set.name().parse(), Ok(set));
        }
        assert!("sse".parse::<InstructionSet>().unwrap_err().contains("'sse'"));
    }

    #[test]
    fn the_baseline_is_always_available() {
        assert_eq!(Cpu::available().next(), Some(Cpu::SCALAR));
        assert_eq!(Cpu::available().last(), Some(Cpu::best()));
    }
}
