//! Searches of signatures against the comparison of every pair.

use nearsig::Session;
use nearsig::bits::cpu::Cpu;
use nearsig::search::pleb::{self, PlebSettings, Shift};
use nearsig::search::{AllPairsMethod, SignaturePair, full};
use nearsig::signature::{BITS_PER_WORD, SignatureSet};

use super::content::Choices;
use super::scratch;

const BITS: [usize; 8] = [64, 4, 28, 68, 128, 200, 320, 512];
/// Keeps the number of pairs small.
const MAX_SIGNATURES: usize = 60;

/// Searches signatures that the input spells, many near others.
///
/// Every method and instruction set finds the pairs that comparing all finds; PLEB finds some of them, and all with a beam of all.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let bits = choices.pick(&BITS);
    let max = u32::from(choices.byte()) * bits as u32 / 256;
    let seed = choices.byte();
    let beam = usize::from(choices.byte() % 8) + 1;
    let set = signatures(bits, &mut choices);
    let expected = every_pair(&set, max);
    for cpu in Cpu::available() {
        let session = scratch::session().clone().with_cpu(cpu);
        session.install(|| check_methods(&set, max, &expected, &session));
        let settings = PlebSettings {
            iterations: 3,
            skipped: 0,
            beam,
            shift: Shift::Transpositions(usize::from(seed)),
            seed: seed.into(),
            target_recall: None,
        };
        let all = |_, _| true;
        let some = session.install(|| pleb::pairs(&set, max, settings, &all, &session, |_| ()));
        assert!(some.iter().all(|pair| expected.contains(pair)), "PLEB finds a wrong pair");
        let settings = PlebSettings { beam: set.len().max(1), iterations: 1, ..settings };
        let found = session.install(|| pleb::pairs(&set, max, settings, &all, &session, |_| ()));
        assert_eq!(found, expected, "PLEB with the widest beam");
    }
}

/// Reads signatures: a byte selects a new one or an earlier one with some flipped bits.
fn signatures(bits: usize, choices: &mut Choices) -> SignatureSet {
    let mut set = SignatureSet::new(bits);
    while !choices.rest.is_empty() && set.len() < MAX_SIGNATURES {
        let kind = choices.byte();
        let mut words = vec![0; SignatureSet::words_for(bits)];
        if kind < 64 || set.is_empty() {
            // A word of the input fills the signature, differently in each place.
            let word = choices.word();
            for (at, place) in words.iter_mut().enumerate() {
                *place = word.rotate_left(7 * at as u32).wrapping_mul(2 * at as u64 + 1);
            }
        } else {
            words.copy_from_slice(set.get(usize::from(choices.byte()) % set.len()));
            for _ in 0..kind % 16 {
                let bit = usize::from(choices.byte()) * 4 % bits;
                words[bit / BITS_PER_WORD] ^= 1 << (BITS_PER_WORD - 1 - bit % BITS_PER_WORD);
            }
        }
        if !bits.is_multiple_of(BITS_PER_WORD) {
            // Bits past the length are 0.
            *words.last_mut().expect("a signature has a word") &=
                !(u64::MAX >> (bits % BITS_PER_WORD));
        }
        set.push(&words);
    }
    set
}

fn every_pair(set: &SignatureSet, max: u32) -> Vec<SignaturePair> {
    let mut pairs = Vec::new();
    for low in 0..set.len() {
        for high in low + 1..set.len() {
            let words = set.get(low).iter().zip(set.get(high));
            let distance = words.map(|(l, r)| (l ^ r).count_ones()).sum();
            if distance <= max {
                pairs.push(SignaturePair { low: low as u32, high: high as u32, distance });
            }
        }
    }
    pairs
}

fn check_methods(set: &SignatureSet, max: u32, expected: &[SignaturePair], session: &Session) {
    for method in [AllPairsMethod::Scan, AllPairsMethod::Join, AllPairsMethod::Auto] {
        assert_eq!(full::pairs(set, max, method, session), expected, "{method:?}");
    }
    for query in 0..set.len().min(3) {
        let found = full::matches(set, query, max, session);
        let other = |pair: &SignaturePair| {
            let [low, high] = [pair.low, pair.high].map(|number| number as usize);
            let other = if low == query { high } else { low };
            (low == query || high == query).then_some((other as u32, pair.distance))
        };
        let mut wanted: Vec<(u32, u32)> = expected.iter().filter_map(other).collect();
        wanted.sort();
        let found: Vec<(u32, u32)> = found.iter().map(|m| (m.other, m.similarity)).collect();
        assert_eq!(found, wanted, "the matches of {query}");
    }
}
