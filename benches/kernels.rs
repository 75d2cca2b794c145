//! Rates of the kernels of `bits` and `search` on one thread, beside the ceilings of the machine, as CSV.
//!
//! ```text
//! cargo bench --bench kernels [SIGNATURES]
//! ```
//!
//! Ceilings are measured in the same run: logical vector operations and counted words per second, on data in registers or in L1.

use std::hint::black_box;
use std::time::Instant;

use nearsig::Session;
use nearsig::bits::cpu::Cpu;
use nearsig::bits::vector::{BitVector, Kernel};
use nearsig::bits::{distance, distance_within};
use nearsig::search::{AllPairsMethod, full, scan};
use nearsig::signature::SignatureSet;

/// Bits per signature.
const BITS: usize = 1024;
/// Default number of signatures.
const SIGNATURES: usize = 32_768;
/// Maximum distances: 80 %, 90 % and 95 % of 1024 bits.
const DISTANCES: [u32; 3] = [204, 102, 51];
/// Runs per kernel; the best counts.
const REPEATS: usize = 3;

fn main() {
    let wanted = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let set = random_signatures(wanted.unwrap_or(SIGNATURES));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    println!("cpu,kernel,threads,signatures,most,unit,per_second");
    pool.install(|| Cpu::available().for_each(|cpu| measure(cpu, &set)));
}

fn measure(cpu: Cpu, set: &SignatureSet) {
    let all = set.len() as f64 * (set.len() as f64 - 1.0) / 2.0;
    let session = Session::silent().with_cpu(cpu);
    let row = |kernel: &str, most: u32, unit: &str, rate: f64| {
        println!("{},{kernel},1,{},{most},{unit},{rate:.3e}", cpu.name(), set.len());
    };
    row("ceiling: vector logic", 0, "operations", best(|| cpu.run(Logic)));
    row("ceiling: counted words", 0, "words", best(|| cpu.run(Count)));
    let few = set.len().min(4096);
    row("distance", 0, "pairs", best(|| cpu.run(Pairs { set, few, most: None })));
    for most in DISTANCES {
        let pairs = Pairs { set, few, most: Some(most) };
        row("distance_within", most, "pairs", best(|| cpu.run(pairs)));
        let scan = || {
            black_box(scan::pairs(
                set,
                0..set.len(),
                most,
                scan::ScanPlan::new(set, most),
                &session,
            ));
            all
        };
        row("scan", most, "pairs", best(scan));
        let join = || {
            black_box(full::pairs(set, most, AllPairsMethod::Join, &session));
            all
        };
        if most == DISTANCES[2] {
            row("join", most, "pairs", best(join));
        }
    }
}

/// Returns the best rate of work that returns its amount.
fn best(mut work: impl FnMut() -> f64) -> f64 {
    let rates = (0..REPEATS).map(|_| {
        let start = Instant::now();
        let done = work();
        done / start.elapsed().as_secs_f64()
    });
    rates.fold(0.0, f64::max)
}

/// Returns unrelated signatures.
fn random_signatures(count: usize) -> SignatureSet {
    let mut set = SignatureSet::new(BITS);
    let mut state = 2007u64;
    // SplitMix64 (Steele, Lea, Flood 2014).
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    for _ in 0..count {
        set.push(&std::array::from_fn::<u64, { BITS / 64 }, _>(|_| next()));
    }
    set
}

/// Logical operations on registers, in twelve independent chains.
struct Logic;

impl Kernel for Logic {
    type Output = f64;

    #[inline(always)]
    fn run<V: BitVector>(self) -> f64 {
        const CHAINS: usize = 12;
        const ROUNDS: usize = 20_000_000;
        let mut chains = [V::splat(black_box(false)); CHAINS];
        let (one, other) = (V::splat(black_box(true)), V::splat(black_box(false)));
        for _ in 0..ROUNDS {
            for chain in &mut chains {
                *chain = chain.xor(one);
            }
            // Keeps the compiler from cancelling two exclusive ors.
            for chain in &mut chains {
                *chain = chain.or(other);
            }
        }
        let end = chains.into_iter().fold(one, |all, chain| all.xor(chain));
        black_box(end.is_zero());
        (ROUNDS * CHAINS * 2) as f64
    }
}

/// Bit counts of words in L1.
struct Count;

impl Kernel for Count {
    type Output = f64;

    #[inline(always)]
    fn run<V: BitVector>(self) -> f64 {
        const ROUNDS: usize = 200_000;
        let words: Vec<u64> = (0..2048u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for _ in 0..ROUNDS {
            let sum: u32 = black_box(&words).iter().map(|word| word.count_ones()).sum();
            black_box(sum);
        }
        (ROUNDS * words.len()) as f64
    }
}

/// All pairs of the first few signatures.
#[derive(Clone, Copy)]
struct Pairs<'a> {
    set: &'a SignatureSet,
    few: usize,
    most: Option<u32>,
}

impl Kernel for Pairs<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: BitVector>(self) -> f64 {
        let mut near = 0u64;
        for one in 0..self.few {
            for other in one + 1..self.few {
                let (left, right) = (self.set.get(one), self.set.get(other));
                near += match self.most {
                    Some(most) => u64::from(distance_within(left, right, most).is_some()),
                    None => u64::from(distance(left, right)),
                };
            }
        }
        black_box(near);
        (self.few * (self.few - 1) / 2) as f64
    }
}
