//! Bit-sliced sums of weighted rows: a register holds one binary digit of as many sums as it has bits.
//!
//! A weight up to 63 is the sum of one or two odd numbers up to 7, each times a power of two: 1.7 terms on average, where its binary digits
//! would have 2.9 ones. Rows are added per (odd number, power), and the four sums of the odd numbers are multiplied and added at the end.

use super::vector::BitVector;

/// Binary digits of a weight: absolute values up to 63.
pub const WEIGHT_DIGITS: usize = 6;
/// Binary digits of a sum: each of at most 2^32 rows adds at most 3 · 63 < 2^8.
const SUM_DIGITS: usize = 40;
/// Additional digits, always 0, so that short sums need no special case.
const EXTRA_DIGITS: usize = WEIGHT_DIGITS + MIN_DIGITS;
/// Odd factors of the parts of a weight.
const ODDS: [usize; 4] = [1, 3, 5, 7];
/// Lists of rows: one per odd number and power of two.
const LISTS: usize = ODDS.len() * WEIGHT_DIGITS;
/// Rows added at once.
const GROUP: usize = 4;
/// Digits that adding rows always touches.
const MIN_DIGITS: usize = 5;
/// Strides by which weights are distributed to lists.
const STRIDES: usize = 8;

/// The lists of each weight; `LISTS`, which is never read, if one is enough.
const LISTS_OF: [[u8; 2]; 1 << WEIGHT_DIGITS] = {
    let mut lists = [[LISTS as u8; 2]; 1 << WEIGHT_DIGITS];
    let mut second = 0;
    // Later entries overwrite earlier ones: the last second list is the one that is never read.
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

/// Returns the multiplicity of the rows in a list.
const fn size_of_list(list: usize) -> usize {
    if list == LISTS { 0 } else { ODDS[list / WEIGHT_DIGITS] << (list % WEIGHT_DIGITS) }
}

/// Components of a row, from 0 to 3: the lower binary digits, then the higher.
pub type DigitRow<V> = [V; 2];

/// Rows by list. Lists are padded to whole groups with the number after the last row, whose components are all 0.
#[derive(Default)]
pub struct WeightLists {
    /// The lists, `capacity` numbers each.
    numbers: Vec<u32>,
    capacity: usize,
    /// End of each list in the numbers.
    ends: [usize; LISTS + 1],
    /// Number of rows.
    rows: usize,
    /// Sum of all absolute weights.
    total: u64,
}

impl WeightLists {
    /// Replaces the weights, one per row.
    pub fn set(&mut self, weights: &[i16]) {
        self.rows = weights.len();
        self.total = weights.iter().map(|weight| u64::from(weight.unsigned_abs())).sum();
        self.capacity = (weights.len() + GROUP).max(self.capacity);
        // The list that is never read gets some numbers twice.
        self.numbers.resize(self.capacity * (LISTS + 2), 0);
        let numbers = &mut self.numbers[..];
        let mut ends = std::array::from_fn(|list| list * self.capacity);
        let mut put = |number: usize, weight: i16| {
            for list in LISTS_OF[usize::from(weight.unsigned_abs())] {
                let end = &mut ends[usize::from(list)];
                numbers[*end] = number as u32;
                *end += 1;
            }
        };
        // Neighbors often have similar weights and share a list; the second would wait for the first. The order within a list is free.
        let stride = weights.len() / STRIDES;
        for first in 0..stride {
            for number in (0..STRIDES).map(|step| first + step * stride) {
                put(number, weights[number]);
            }
        }
        (STRIDES * stride..weights.len()).for_each(|number| put(number, weights[number]));
        for end in ends {
            numbers[end..end + GROUP].fill(self.rows as u32);
        }
        self.ends = ends;
    }

    /// Returns a list in groups, and its length.
    #[inline(always)]
    fn list(&self, list: usize) -> (&[[u32; GROUP]], usize) {
        let count = self.ends[list] - list * self.capacity;
        let numbers = &self.numbers[list * self.capacity..][..count.next_multiple_of(GROUP)];
        (numbers.as_chunks().0, count)
    }

    /// Returns the lanes in which Σ w·(2u − 3) is at least 0, that is, twice Σ w·u is at least three times Σ w. `rows` holds the u of each row
    /// and a last row of 0; `sums` is a scratch buffer.
    #[inline(always)]
    pub fn at_least_zero<V: BitVector>(&self, rows: &[DigitRow<V>], sums: &mut DigitSums<V>) -> V {
        assert_eq!(rows.len(), self.rows + 1);
        // The digits of 3 Σ w, the largest possible sum; no carry goes beyond.
        let digits = (u64::BITS - (3 * self.total).leading_zeros()) as usize;
        for (odd, sum) in sums.iter_mut().enumerate() {
            self.add_lists(odd, rows, &mut sum[..digits + EXTRA_DIGITS]);
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

    /// Sums the rows in the lists of one odd number, each times its power of two.
    #[inline(always)]
    fn add_lists<V: BitVector>(&self, odd: usize, rows: &[DigitRow<V>], sum: &mut [V]) {
        // From the lowest power up: its lowest digit is final, the others carry over to the next power, which starts one digit higher.
        sum.fill(V::splat(false));
        let mut max = 0;
        for power in 0..WEIGHT_DIGITS {
            let (groups, count) = self.list(odd * WEIGHT_DIGITS + power);
            max = max / 2 + 3 * count;
            let digits = (usize::BITS - max.leading_zeros()) as usize;
            add(&mut sum[power..][..digits.max(MIN_DIGITS)], groups, rows);
        }
    }
}

/// Sums of rows per odd number, the lowest binary digit first.
pub type DigitSums<V> = [[V; SUM_DIGITS + EXTRA_DIGITS]; ODDS.len()];

/// Returns sums of 0.
#[inline(always)]
pub fn zero_sums<V: BitVector>() -> DigitSums<V> {
    [[V::splat(false); SUM_DIGITS + EXTRA_DIGITS]; ODDS.len()]
}

/// Adds rows to sums that have enough digits. The carries of each digit enter the next together, so that a row costs about two full additions.
#[inline(always)]
fn add<V: BitVector>(sum: &mut [V], groups: &[[u32; GROUP]], rows: &[DigitRow<V>]) {
    let (low, rest) =
        sum.split_first_chunk_mut::<MIN_DIGITS>().expect("a sum has at least MIN_DIGITS digits");
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

/// Adds four rows to sums of four digits and returns the carry.
#[inline(always)]
fn add_four<V: BitVector>(sum: &mut [V; 4], group: &[u32; GROUP], rows: &[DigitRow<V>]) -> V {
    // SAFETY: the lists hold numbers up to that of the last row; `at_least_zero` checks the number of rows.
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
fn carry_on<V: BitVector>(sum: &mut [V], mut carry: V) {
    for place in sum {
        (*place, carry) = place.half_add(carry);
    }
}

/// Adds sums to sums. The result fits the digits of the first.
#[inline(always)]
fn add_sum<V: BitVector>(sum: &mut [V], other: &[V]) {
    let mut carry = V::splat(false);
    for (place, other) in sum.iter_mut().zip(other) {
        (*place, carry) = place.full_add(*other, carry);
    }
}

/// Returns the lanes in which the sums, lowest digit first, are at least `min`: the highest digit that differs decides.
#[inline(always)]
fn at_least<V: BitVector>(sum: &[V], min: u64) -> V {
    // From the lowest digit up, starting from equality. Where `min` has a 1, both must hold, else one is enough.
    let both_or_one = |so_far: V, (digit, place): (usize, &V)| {
        let one = V::splat(min >> digit & 1 == 0);
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
