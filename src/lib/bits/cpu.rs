//! Which vector instructions to use. Results never depend on it; only time does.

use std::str::FromStr;

/// A set of instructions for which hot loops have a version of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// What every processor of the architecture has (on 64-bit ARM that includes NEON, which the compiler uses by itself).
    Scalar,
    /// x86-64 with AVX2, BMI2 and POPCNT.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL and VPOPCNTDQ, on top of AVX2.
    Avx512,
}

impl Cpu {
    /// All that this machine can run, the plainest first.
    pub fn available() -> impl Iterator<Item = Cpu> {
        [Cpu::Scalar, Cpu::Avx2, Cpu::Avx512].into_iter().filter(|cpu| *cpu <= Cpu::best())
    }

    /// The fastest that this machine can run.
    pub fn best() -> Cpu {
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
                (true, true) => Cpu::Avx512,
                (true, false) => Cpu::Avx2,
                _ => Cpu::Scalar,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Cpu::Scalar
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Cpu::Scalar => "scalar",
            Cpu::Avx2 => "avx2",
            Cpu::Avx512 => "avx512",
        }
    }
}

impl FromStr for Cpu {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Cpu::Scalar, Cpu::Avx2, Cpu::Avx512];
        all.into_iter().find(|cpu| cpu.name() == text).ok_or_else(|| {
            format!("expected scalar, avx2 or avx512, found '{}'", text.escape_debug())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for cpu in [Cpu::Scalar, Cpu::Avx2, Cpu::Avx512] {
            assert_eq!(cpu.name().parse(), Ok(cpu));
        }
        assert!("sse".parse::<Cpu>().unwrap_err().contains("'sse'"));
    }

    #[test]
    fn the_plainest_is_always_there() {
        assert_eq!(Cpu::available().next(), Some(Cpu::Scalar));
        assert_eq!(Cpu::available().last(), Some(Cpu::best()));
    }
}
