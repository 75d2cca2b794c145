//! Sums of weighted rows with bits: a register holds one binary digit of as many sums as it has bits.
//!
//! A weight up to 63 is one or two odd numbers up to 7, each times a power of two: 1.7 on average, where its binary digits would be 2.9 ones.
//! So rows are added by (odd number, power), and the four sums of the odd numbers are multiplied and put together at the end.

use crate::bits::vector::Vector;

/// Binary digits of a weight: sizes up to 63.
pub(super) const WEIGHT_DIGITS: usize = 6;
/// Binary digits of a sum: each of 2^32 terms, more than a vocabulary has, adds at most 3 · 63 < 2^8.
const SUM_DIGITS: usize = 40;
/// Digits after those, always 0: short sums too are worked on in so many.
const MORE_DIGITS: usize = WEIGHT_DIGITS + LEAST_DIGITS;
/// The odd numbers that weights are put together of.
const ODDS: [usize; 4] = [1, 3, 5, 7];
/// Lists of terms: one for each odd number and power of two.
const LISTS: usize = ODDS.len() * WEIGHT_DIGITS;
/// Rows that are added together.
const TOGETHER: usize = 4;
/// Digits that adding rows touches in any case.
const LEAST_DIGITS: usize = 5;
/// Parts of a document whose terms are put into lists by turns.
const APART: usize = 8;

/// For each weight the lists in which it stands; `LISTS`, which nobody reads, if one is enough.
const LISTS_OF: [[u8; 2]; 1 << WEIGHT_DIGITS] = {
    let mut lists = [[LISTS as u8; 2]; 1 << WEIGHT_DIGITS];
    let mut second = 0;
    // What comes later is written over what came before: the last second list is the one that nobody reads.
    while second <= LISTS {
        let mut first = LISTS;
        while first > 0 {
            first -= 1;
            let size = size_of_list(first) + size_of_list(second);
            if size < lists.len() {
                lists[size] = [first as u8, second as u8];
            }
        }
        second += 1;
    }
    lists
};

/// How often the rows of a list's terms count.
const fn size_of_list(list: usize) -> usize {
    if list == LISTS { 0 } else { ODDS[list / WEIGHT_DIGITS] << (list % WEIGHT_DIGITS) }
}

/// A row's components, from 0 to 3: the lower binary digits, then the higher.
pub(super) type Row<V> = [V; 2];

/// Which terms of a document are in which list, as numbers among its terms; lists are filled up to whole groups with the number after the last, whose
/// row is all 0.
#[derive(Default)]
pub(super) struct TermLists {
    /// The lists, `room` numbers for each.
    numbers: Vec<u32>,
    room: usize,
    /// Where each list ends in the numbers.
    ends: [usize; LISTS + 1],
    /// The document's terms.
    terms: usize,
    /// The sum of all sizes.
    total: u64,
}

impl TermLists {
    /// Takes the weights of a document.
    pub fn set(&mut self, weights: &[i16]) {
        self.terms = weights.len();
        self.total = weights.iter().map(|weight| u64::from(weight.unsigned_abs())).sum();
        self.room = (weights.len() + TOGETHER).max(self.room);
        // The list that nobody reads gets some numbers twice.
        self.numbers.resize(self.room * (LISTS + 2), 0);
        let numbers = &mut self.numbers[..];
        let mut ends = std::array::from_fn(|list| list * self.room);
        let mut put = |number: usize, weight: i16| {
            for list in LISTS_OF[usize::from(weight.unsigned_abs())] {
                let end = &mut ends[usize::from(list)];
                numbers[*end] = number as u32;
                *end += 1;
            }
        };
        // Neighbours often have similar weights and so the same list: one would wait for the other. In a list any order is right.
        let apart = weights.len() / APART;
        for first in 0..apart {
            for number in (0..APART).map(|step| first + step * apart) {
                put(number, weights[number]);
            }
        }
        (APART * apart..weights.len()).for_each(|number| put(number, weights[number]));
        for end in ends {
            numbers[end..end + TOGETHER].fill(self.terms as u32);
        }
        self.ends = ends;
    }

    /// A list, in groups, and how many terms are in it.
    #[inline(always)]
    fn list(&self, list: usize) -> (&[[u32; TOGETHER]], usize) {
        let count = self.ends[list] - list * self.room;
        let numbers = &self.numbers[list * self.room..][..count.next_multiple_of(TOGETHER)];
        (numbers.as_chunks().0, count)
    }

    /// Where Σ w·(2u − 3) is at least 0, which is where twice Σ w·u is at least three times Σ w. `rows` has the u of each term and, last, 0; what
    /// is in `sums` does not matter.
    #[inline(always)]
    pub fn at_least_zero<V: Vector>(&self, rows: &[Row<V>], sums: &mut Sums<V>) -> V {
        assert_eq!(rows.len(), self.terms + 1);
        // So many digits hold 3 Σ w, the largest possible sum; no carry goes beyond.
        let digits = (u64::BITS - (3 * self.total).leading_zeros()) as usize;
        for (odd, sum) in sums.iter_mut().enumerate() {
            self.add_lists(odd, rows, &mut sum[..digits + MORE_DIGITS]);
        }
        let [sum, threes, fives, sevens] = sums.each_mut().map(|sum| &mut sum[..digits]);
        // s₁ + 3 s₃ + 5 s₅ + 7 s₇ = s₁ + s₅ + 3 (s₃ + s₇) + 4 (s₅ + s₇).
        add_sum(sum, fives);
        add_sum(threes, sevens);
        add_sum(fives, sevens);
        add_sum(sum, threes);
        add_sum(&mut sum[1.min(digits)..], threes);
        add_sum(&mut sum[2.min(digits)..], fives);
        at_least(sum, (3 * self.total).div_ceil(2))
    }

    /// The sum of the rows in the lists of one odd number, each row as often as its power of two says.
    #[inline(always)]
    fn add_lists<V: Vector>(&self, odd: usize, rows: &[Row<V>], sum: &mut [V]) {
        // From the lowest power on: its lowest digit is one of the sum, the others are carried on to the next power. So it needs no
        // more than to begin one place further.
        sum.fill(V::splat(false));
        let mut most = 0;
        for power in 0..WEIGHT_DIGITS {
            let (groups, count) = self.list(odd * WEIGHT_DIGITS + power);
            most = most / 2 + 3 * count;
            let digits = (usize::BITS - most.leading_zeros()) as usize;
            add(&mut sum[power..][..digits.max(LEAST_DIGITS)], groups, rows);
        }
    }
}

/// What rows add up to, for each odd number, the lowest binary digit first.
pub(super) type Sums<V> = [[V; SUM_DIGITS + MORE_DIGITS]; ODDS.len()];

/// Sums of nothing.
#[inline(always)]
pub(super) fn none<V: Vector>() -> Sums<V> {
    [[V::splat(false); SUM_DIGITS + MORE_DIGITS]; ODDS.len()]
}

/// Adds rows to sums, whose digits are enough: the carries of each digit go into the next together, so that a row costs about two full additions.
#[inline(always)]
fn add<V: Vector>(sum: &mut [V], groups: &[[u32; TOGETHER]], rows: &[Row<V>]) {
    let (low, rest) =
        sum.split_first_chunk_mut::<LEAST_DIGITS>().expect("the caller has more digits");
    let [ones, twos, fours, eights, mut sixteens] = *low;
    let mut sum = [ones, twos, fours, eights];
    let (pairs, last) = groups.as_chunks::<2>();
    for [one, other] in pairs {
        let (from_one, from_other) =
            (add_four(&mut sum, one, rows), add_four(&mut sum, other, rows));
        let over;
        (sixteens, over) = from_one.full_add(from_other, sixteens);
        carry_on(rest, over);
    }
    for group in last {
        let over;
        (sixteens, over) = add_four(&mut sum, group, rows).half_add(sixteens);
        carry_on(rest, over);
    }
    let [ones, twos, fours, eights] = sum;
    *low = [ones, twos, fours, eights, sixteens];
}

/// Adds four rows to sums of four digits; returns what is carried beyond.
#[inline(always)]
fn add_four<V: Vector>(sum: &mut [V; 4], group: &[u32; TOGETHER], rows: &[Row<V>]) -> V {
    // SAFETY: the lists hold numbers of terms, and one more; so many rows there are.
    let [a, b, c, d] = group.map(|number| unsafe { rows.get_unchecked(number as usize) });
    let [ones, twos, fours, eights] = sum;
    let (from_ones, from_ones_too, from_twos, from_twos_too, from_carries);
    (*ones, from_ones) = a[0].full_add(b[0], *ones);
    (*ones, from_ones_too) = c[0].full_add(d[0], *ones);
    (*twos, from_twos) = a[1].full_add(b[1], *twos);
    (*twos, from_twos_too) = c[1].full_add(d[1], *twos);
    (*twos, from_carries) = from_ones.full_add(from_ones_too, *twos);
    let (from_fours, from_fours_too, over);
    (*fours, from_fours) = from_twos.full_add(from_twos_too, *fours);
    (*fours, from_fours_too) = fours.half_add(from_carries);
    (*eights, over) = from_fours.full_add(from_fours_too, *eights);
    over
}

/// Adds one digit to sums.
#[inline(always)]
fn carry_on<V: Vector>(sum: &mut [V], mut carry: V) {
    for place in sum {
        (*place, carry) = place.half_add(carry);
    }
}

/// Adds sums to sums; both have all the digits they need in those of the first.
#[inline(always)]
fn add_sum<V: Vector>(sum: &mut [V], other: &[V]) {
    let mut carry = V::splat(false);
    for (place, other) in sum.iter_mut().zip(other) {
        (*place, carry) = place.full_add(*other, carry);
    }
}

/// Where the sums, the lowest digit first, are at least `least`: decided by the highest digit in which the two differ.
#[inline(always)]
fn at_least<V: Vector>(sum: &[V], least: u64) -> V {
    // From the lowest digit on; equal numbers are at least as large. Where `least` has a 1, both must hold, else one is enough.
    let both_or_one = |so_far: V, (digit, place): (usize, &V)| {
        let one = V::splat(least >> digit & 1 == 0);
        so_far.and(*place).or(so_far.or(*place).and(one))
    };
    sum.iter().enumerate().fold(V::splat(true), both_or_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_sum_of_their_lists() {
        for (weight, lists) in LISTS_OF.iter().enumerate() {
            let sizes = lists.map(|list| size_of_list(usize::from(list)));
            assert_eq!(sizes.iter().sum::<usize>(), weight);
            let is_one_enough = (0..LISTS).any(|list| size_of_list(list) == weight);
            assert_eq!(sizes[1] == 0, is_one_enough || weight == 0, "{weight}");
        }
    }
}
