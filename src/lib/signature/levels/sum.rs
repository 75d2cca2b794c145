//! Sums of weighted rows with bits: a register holds one binary digit of as many sums as it has bits.

use super::lane::Lane;

/// Binary digits of a weight: sizes up to 63.
pub(super) const WEIGHT_DIGITS: usize = 6;
/// Binary digits of a sum: each of 2^32 terms, more than a vocabulary has, adds at most 3 · 63 < 2^8.
const SUM_DIGITS: usize = 40;
/// Rows that are added together.
const TOGETHER: usize = 8;

/// A row's components, from 0 to 3: the lower binary digits, then the higher.
pub(super) type Row<L> = [L; 2];

/// For each binary digit of the weights, which terms have it, as numbers among the document's terms; filled up to whole groups with the number
/// after the last, whose row is all 0.
#[derive(Default)]
pub(super) struct DigitLists {
    lists: [Vec<u32>; WEIGHT_DIGITS],
    /// The sum of all sizes.
    total: u64,
}

impl DigitLists {
    /// Takes the weights of a document.
    pub fn set(&mut self, weights: &[i16]) {
        self.total = weights.iter().map(|weight| u64::from(weight.unsigned_abs())).sum();
        for (digit, list) in self.lists.iter_mut().enumerate() {
            list.resize(weights.len() + TOGETHER, 0);
            let mut count = 0;
            // Every number is written and stays if it is not written over: no branch for the processor to guess.
            for (number, weight) in weights.iter().enumerate() {
                list[count] = number as u32;
                count += usize::from(weight.unsigned_abs() >> digit & 1);
            }
            let end = count.next_multiple_of(TOGETHER);
            list.truncate(end);
            list[count..].fill(weights.len() as u32);
        }
    }

    /// Where Σ w·(2u − 3) is at least 0, which is where twice Σ w·u is at least three times Σ w. `rows` has the u of each term and, last, 0.
    #[inline(always)]
    pub fn at_least_zero<L: Lane>(&self, rows: &[Row<L>]) -> L {
        // So many digits hold 3 Σ w, the largest possible sum; no carry goes beyond.
        let digits = (u64::BITS - (3 * self.total).leading_zeros()) as usize;
        let mut sum = [L::zero(); SUM_DIGITS];
        for (digit, list) in self.lists.iter().enumerate() {
            // What one list adds up to has few digits, so that carries end soon.
            let list_digits = (usize::BITS - (3 * list.len()).leading_zeros()) as usize;
            let mut list_sum = [L::zero(); SUM_DIGITS];
            for group in list.as_chunks::<TOGETHER>().0 {
                add(&mut list_sum, list_digits, |at| &rows[group[at] as usize]);
            }
            add_sum(&mut sum[digit..digits.max(digit)], &list_sum);
        }
        at_least(&sum[..digits], (3 * self.total).div_ceil(2))
    }
}

/// Adds eight rows to sums of so many digits: the carries of each digit go into the next together, so that a row costs about two
/// full additions.
#[inline(always)]
fn add<'a, L: Lane + 'a>(sum: &mut [L], digits: usize, row: impl Fn(usize) -> &'a Row<L>) {
    let (sum, rest) = sum.split_first_chunk_mut::<5>().expect("sums have more digits than weights");
    let [mut ones, mut twos, mut fours, mut eights, mut sixteens] = *sum;
    let (mut carry, mut fours_carries) = (L::zero(), [L::zero(); 4]);
    for at in 0..4 {
        let ([low, high], [other_low, other_high]) = (row(2 * at), row(2 * at + 1));
        let (from_ones, from_twos);
        (ones, from_ones) = ones.add(*low, *other_low);
        (twos, from_twos) = twos.add(*high, *other_high);
        if at % 2 == 0 {
            (carry, fours_carries[at]) = (from_ones, from_twos);
        } else {
            let from_both;
            (twos, from_both) = twos.add(carry, from_ones);
            let (left, right);
            (fours, left) = fours.add(fours_carries[at - 1], from_twos);
            fours_carries[at] = left;
            right = from_both;
            fours_carries[at - 1] = right;
        }
    }
    let from_fours;
    (fours, from_fours) = fours.add(fours_carries[0], fours_carries[2]);
    let (from_eights, last);
    (eights, from_eights) = eights.add(fours_carries[1], fours_carries[3]);
    (eights, last) = (eights.xor(from_fours), eights.and(from_fours));
    let mut over;
    (sixteens, over) = sixteens.add(from_eights, last);
    *sum = [ones, twos, fours, eights, sixteens];
    for place in rest.iter_mut().take(digits.saturating_sub(5)) {
        (*place, over) = (place.xor(over), place.and(over));
    }
}

/// Adds sums to sums; both have all the digits they need in those of the first.
#[inline(always)]
fn add_sum<L: Lane>(sum: &mut [L], other: &[L]) {
    let mut carry = L::zero();
    for (place, other) in sum.iter_mut().zip(other) {
        (*place, carry) = place.add(*other, carry);
    }
}

/// Where the sums, the lowest digit first, are at least `least`: decided by the highest digit in which the two differ.
#[inline(always)]
fn at_least<L: Lane>(sum: &[L], least: u64) -> L {
    // From the lowest digit on; equal numbers are at least as large, and `not 0` starts as such.
    let mut is_at_least = None;
    for (digit, place) in sum.iter().enumerate() {
        is_at_least = match (is_at_least, least >> digit & 1) {
            // All digits so far are 0 in `least`: anything is at least that.
            (None, 0) => None,
            (None, _) => Some(*place),
            (Some(so_far), 0) => Some(place.or(so_far)),
            (Some(so_far), _) => Some(place.and(so_far)),
        };
    }
    is_at_least.unwrap_or_else(L::zero)
}
