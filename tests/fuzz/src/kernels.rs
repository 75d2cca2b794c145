//! Kernels of `bits` on all instruction sets, against plain loops.

use std::fmt::Debug;

use nearsig::bits::cpu::Cpu;
use nearsig::bits::groups::EqualGroups;
use nearsig::bits::lookup::LookupDot;
use nearsig::bits::panel::{self, PANEL, Panel};
use nearsig::bits::planes::BitPlanes;
use nearsig::bits::products::{AddBlocks, AddGroups, BLOCK, Factor, GROUP, Packed, REACHED};
use nearsig::bits::scaled_add::add_scaled;
use nearsig::bits::transpose::transpose;
use nearsig::bits::{distance, distance_within};
use nearsig::signature::{Levels, QuantizedVectors, SignatureSet, levels};

use super::content::Choices;
use super::scratch;

/// Runs one kernel, selected by the first byte, on data of the rest.
///
/// All instruction sets give the result of the plain loop.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    match choices.byte() % 9 {
        0 => check_distances(&mut choices),
        1 => check_lookups(&mut choices),
        2 => check_products(&mut choices),
        3 => check_groups_of_products(&mut choices),
        4 => check_sums(&mut choices),
        5 => check_panel(&mut choices),
        6 => check_planes(&mut choices),
        7 => check_levels(&mut choices),
        _ => check_equal_groups(&mut choices),
    }
}

/// Checks that every instruction set gives the expected result.
fn agree<T: PartialEq + Debug>(expected: &T, run: impl Fn(Cpu) -> T) {
    for cpu in Cpu::available() {
        assert_eq!(&run(cpu), expected, "{}", cpu.name());
    }
}

fn words(choices: &mut Choices, max: usize) -> Vec<u64> {
    let count = (choices.rest.len() / 8).min(max);
    (0..count).map(|_| choices.word()).collect()
}

fn check_distances(choices: &mut Choices) {
    let max = choices.word() as u32 % 600;
    let all = words(choices, 64);
    let (left, right) = all.split_at(all.len() / 2);
    let right = &right[..left.len()];
    let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1;
    let expected = (0..64 * left.len()).filter(|at| bit(left, *at) != bit(right, *at)).count();
    assert_eq!(distance(left, right), expected as u32);
    let within = (expected as u32 <= max).then_some(expected as u32);
    assert_eq!(distance_within(left, right, max), within);
}

fn check_lookups(choices: &mut Choices) {
    let size = usize::from(choices.byte()) + 2;
    let seed = choices.word();
    let table: Vec<u16> = (0..size as u32).map(|at| seed.rotate_left(5 * at) as u16).collect();
    let count = choices.rest.len() / 3;
    let mut indexes = Vec::new();
    let mut components = Vec::new();
    for _ in 0..count {
        indexes.push(u32::from(choices.byte()) % (size as u32 - 1));
        components.push(u16::from_le_bytes([choices.byte(), choices.byte()]));
    }
    let mut expected = 0u64;
    for (index, component) in indexes.iter().zip(&components) {
        expected += u64::from(table[*index as usize]) * u64::from(*component);
    }
    agree(&expected, |cpu| {
        cpu.run(LookupDot { table: &table[..], indexes: &indexes, components: &components })
    });
    let floats = |numbers: &[u16]| numbers.iter().map(|n| f32::from(*n)).collect::<Vec<f32>>();
    let (table, components) = (floats(&table), floats(&components));
    agree(&(expected as f64), |cpu| {
        cpu.run(LookupDot { table: &table[..], indexes: &indexes, components: &components })
    });
}

/// Maximum weight and length: their product, twice, is below 2³¹.
const MAX_PACKED: u32 = 32_001;

fn packed(choices: &mut Choices) -> u32 {
    let half = |choices: &mut Choices| {
        u32::from(u16::from_le_bytes([choices.byte(), choices.byte()])) % (MAX_PACKED + 1)
    };
    half(choices) << 16 | half(choices)
}

fn factor(choices: &mut Choices) -> Factor {
    let own = Packed(packed(choices));
    let min = choices.word() as u32 % MAX_PACKED + 1;
    Factor { own, min, sum: choices.word() as u32 % 1_024_000_001 }
}

/// Returns the sum after a product was added, in 64 bits.
fn naive_sum(factor: &Factor, other: u32, sum: u32) -> u32 {
    let [own, other] = [factor.own.0, other].map(|p| (u64::from(p & 0xffff), u64::from(p >> 16)));
    let total = u64::from(sum & !REACHED) + own.0 * other.0;
    let rest = (own.1 * other.1).min(u64::from(factor.min) * own.1.max(other.1));
    let is_reached = sum & REACHED != 0 || total + rest >= u64::from(factor.sum);
    total.min(factor.sum.into()) as u32 | if is_reached { REACHED } else { 0 }
}

fn sums(choices: &mut Choices, count: usize, max: u32) -> Vec<u32> {
    let seed = choices.word();
    let sum = |at: usize| {
        let bits = seed.rotate_left(at as u32 * 11).wrapping_mul(2 * at as u64 + 1);
        ((bits >> 32) as u32 % (max + 1)) | if bits.is_multiple_of(5) { REACHED } else { 0 }
    };
    (0..count).map(sum).collect()
}

fn check_products(choices: &mut Choices) {
    let factor = factor(choices);
    let before = sums(choices, 2 * BLOCK, factor.sum);
    let others: Vec<u32> = before.iter().map(|_| packed(choices)).collect();
    let sum = |(other, sum): (&u32, &u32)| naive_sum(&factor, *other, *sum);
    let expected: Vec<u32> = others.iter().zip(&before).map(sum).collect();
    agree(&expected, |cpu| {
        let mut sums = before.clone();
        let (blocks, places) = (others.as_chunks().0, sums.as_chunks_mut().0);
        cpu.run(AddBlocks { factor, blocks, sums: places });
        sums
    });
}

fn check_groups_of_products(choices: &mut Choices) {
    let factor = factor(choices);
    let before = sums(choices, 256, factor.sum);
    let end = u32::from(choices.byte());
    let mut number = 0;
    let mut words = Vec::new();
    while !choices.rest.is_empty() && words.len() < 8 * GROUP {
        number += u64::from(choices.byte() % 4) + 1;
        words.push(number << 32 | u64::from(packed(choices)));
    }
    // Numbers go on ascending to the end of the group.
    while words.len() % GROUP != 0 {
        number += 1;
        words.push(number << 32);
    }
    let mut expected = before.clone();
    let mut groups = 0;
    for group in words.chunks(GROUP).filter(|group| (group[0] >> 32) as u32 <= end) {
        groups += usize::from(((group[0] >> 32) as u32) < end);
        for word in group.iter().filter(|word| ((**word >> 32) as u32) < end) {
            let place = &mut expected[(word >> 32) as usize];
            *place = naive_sum(&factor, *word as u32, *place);
        }
    }
    agree(&(expected, groups), |cpu| {
        let mut sums = before.clone();
        let groups = words.as_chunks().0;
        let added = cpu.run(AddGroups { factor, groups, end, sums: &mut sums });
        (sums, added)
    });
}

fn check_sums(choices: &mut Choices) {
    let factor = f64::from_bits(choices.word());
    let count = choices.rest.len() / 12;
    let values: Vec<f32> = (0..count).map(|_| f32::from_bits(choices.word() as u32)).collect();
    let before: Vec<f64> = (0..count).map(|_| f64::from(choices.byte())).collect();
    // A number that is not one has many spellings.
    let bits = |sums: &[f64]| -> Vec<Option<u64>> {
        sums.iter().map(|sum| (!sum.is_nan()).then_some(sum.to_bits())).collect()
    };
    let mut expected = before.clone();
    for (sum, value) in expected.iter_mut().zip(&values) {
        *sum += factor * f64::from(*value);
    }
    agree(&bits(&expected), |cpu| {
        let mut sums = before.clone();
        add_scaled(&mut sums, factor, &values, cpu);
        bits(&sums)
    });
}

fn check_panel(choices: &mut Choices) {
    const ROWS: usize = 20;
    let width = usize::from(choices.byte()) % 150 + 1;
    let seed = choices.word();
    let component = |at: usize| {
        let bits = seed.rotate_left(at as u32 * 13).wrapping_mul(2 * at as u64 + 1);
        (bits >> 48) as i16 / 2
    };
    let rows: Vec<i16> = (0..ROWS * width).map(component).collect();
    let mut table = vec![0; rows.len()];
    panel::arrange(&rows, width, &mut table);
    let (mut terms, mut weights) = (Vec::new(), Vec::new());
    while choices.rest.len() > 2 {
        terms.push(u32::from(choices.byte()) % ROWS as u32);
        weights.push(i16::from_le_bytes([choices.byte(), choices.byte()]) / 2);
    }
    for first in (0..width).step_by(PANEL) {
        let columns = PANEL.min(width - first);
        let mut expected = 0;
        for column in 0..columns {
            let product = |(term, weight): (&u32, &i16)| {
                i64::from(*weight) * i64::from(rows[*term as usize * width + first + column])
            };
            let sum: i64 = terms.iter().zip(&weights).map(product).sum();
            expected |= u64::from(sum >= 0) << (PANEL - 1 - column);
        }
        let panel = Panel::new(&table, ROWS, width, first);
        assert_eq!(panel.width(), columns);
        agree(&expected, |cpu| panel.signs(&terms, &weights, 1 << 14, cpu));
    }
}

fn check_planes(choices: &mut Choices) {
    let row_words = usize::from(choices.byte()) % 3 + 1;
    let positions: Vec<usize> =
        (0..choices.byte() % 33).map(|_| usize::from(choices.byte()) % (64 * row_words)).collect();
    let mut bits = words(choices, 256);
    if let Some(block) = bits.first_chunk::<64>() {
        let mut turned = *block;
        transpose(&mut turned);
        for (row, word) in block.iter().enumerate() {
            assert!((0..64).all(|column| word >> column & 1 == turned[column] >> row & 1));
        }
    }
    bits.truncate(bits.len() / row_words * row_words);
    let mut gathered = vec![0u32; bits.len() / row_words];
    let planes = BitPlanes::new(&bits, row_words);
    planes.gather(&positions, &mut gathered, |place, key, _| *place = key);
    for (row, key) in bits.chunks_exact(row_words).zip(gathered) {
        let mut expected = 0;
        for (at, position) in positions.iter().enumerate() {
            let bit = row[position / 64] >> (63 - position % 64) & 1;
            expected |= (bit as u32) << (31 - at);
        }
        assert_eq!(key, expected);
    }
}

/// Signs vectors: random blocks and bit-sliced sums of all instruction sets, against dot products.
fn check_levels(choices: &mut Choices) {
    let bits = [64, 4, 100, 128, 512, 700][usize::from(choices.byte()) % 6];
    let seed = choices.word();
    let mut vectors = QuantizedVectors::new(levels::STEPS);
    while choices.rest.len() > 1 && vectors.len() < 4 {
        let mut term = 0;
        let (mut indexes, mut values) = (Vec::new(), Vec::new());
        for _ in 0..choices.byte() % 64 {
            term += u32::from(choices.byte()) + 1;
            indexes.push(term);
            values.push(f32::from(choices.byte() as i8) + 0.5);
        }
        vectors.push(&indexes, &values);
    }
    let words = SignatureSet::words_for(bits);
    let mut expected = vec![0; words * vectors.len()];
    let plain = Levels::new(seed, bits, 300, Cpu::SCALAR);
    for (document, signature) in expected.chunks_exact_mut(words).enumerate() {
        let (terms, weights) = vectors.get(document);
        let rows: Vec<Vec<i8>> = terms.iter().map(|term| plain.row(*term)).collect();
        for bit in 0..bits {
            let product =
                |(row, weight): (&Vec<i8>, &i16)| i64::from(row[bit]) * i64::from(*weight);
            let sum: i64 = rows.iter().zip(weights).map(product).sum();
            signature[bit / 64] |= u64::from(sum >= 0) << (63 - bit % 64);
        }
    }
    agree(&expected, |cpu| {
        let mut signatures = vec![0; expected.len()];
        let planes = Levels::new(seed, bits, 300, cpu);
        let parts = [vectors.clone()];
        scratch::session().install(|| planes.sign(&parts, &mut [&mut signatures[..]]));
        signatures
    });
}

fn check_equal_groups(choices: &mut Choices) {
    let items: Vec<Option<u8>> = choices.rest.iter().map(|b| (*b > 9).then_some(b % 50)).collect();
    let hash = |item: usize| items[item].map(|value| u64::from(value % 7));
    let groups = EqualGroups::find(items.len(), hash, |one, other| items[one] == items[other]);
    let mut seen = 0;
    for group in 0..groups.len() {
        let members = groups.members(group);
        seen += members.len();
        assert!(members.is_sorted_by(|a, b| a < b));
        let value = items[groups.first(group)];
        let is_it = |item: &usize| items[*item] == value;
        let expected = (0..items.len()).filter(is_it).map(|item| item as u32);
        assert!(expected.eq(members.iter().copied()) && value.is_some());
    }
    assert_eq!(seen, items.iter().flatten().count());
}
