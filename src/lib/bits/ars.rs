//! Counter-based random bits: ARS of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), with its seven rounds.
//!
//! A block of 128 bits is the encrypted counter: rounds of AES whose round keys are the key plus multiples of a constant, instead of the key
//! schedule of AES. The authors found that five rounds pass BigCrush of TestU01 and chose seven for safety. This is the portable
//! implementation; [`random_blocks`](super::random_blocks) uses AES instructions.

/// Rounds of AES; the last does not mix columns.
pub const ROUNDS: usize = 7;
/// Difference of consecutive keys, in two halves: the golden ratio and √3 − 1, from the paper.
const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
/// Second half of the key: the purpose of these bits, in ASCII.
const PURPOSE: u64 = u64::from_le_bytes(*b"levels\0\0");

/// Round keys of one seed, the first for the counter itself. The low half comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundKeys(pub(super) [[u64; 2]; ROUNDS + 1]);

impl RoundKeys {
    /// Returns the keys of a seed.
    pub fn new(seed: u64) -> Self {
        Self::from_key([seed, PURPOSE])
    }

    fn from_key(mut key: [u64; 2]) -> Self {
        RoundKeys(std::array::from_fn(|_| {
            let this = key;
            key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
            this
        }))
    }

    /// Encrypts a counter to which the first key has been added.
    pub(super) fn encrypt(&self, mut state: [u64; 2]) -> [u64; 2] {
        for key in &self.0[1..ROUNDS] {
            state = xor(round(state), *key);
        }
        xor(last_round(state), self.0[ROUNDS])
    }
}

fn xor(left: [u64; 2], right: [u64; 2]) -> [u64; 2] {
    [left[0] ^ right[0], left[1] ^ right[1]]
}

/// Returns the product in the field of 256 elements of AES.
const fn product(mut left: u8, mut right: u8) -> u8 {
    let mut sum = 0;
    while right != 0 {
        if right & 1 == 1 {
            sum ^= left;
        }
        // x⁸ is x⁴ + x³ + x + 1 there.
        left = (left << 1) ^ (0x1B & (left >> 7).wrapping_neg());
        right >>= 1;
    }
    sum
}

/// Substitution of AES: the inverse in the field (the 254th power), then an affine map of its bits.
const SUBSTITUTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut inverse, mut power) = (1, 0);
        while power < 254 {
            inverse = product(inverse, byte as u8);
            power += 1;
        }
        let mapped = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4);
        table[byte] = mapped ^ 0x63;
        byte += 1;
    }
    table
};

/// Contribution of a byte in the first row to its column: the substitute times 2, 1, 1, 3. Those of the other rows are rotated by bytes.
const COLUMNS: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let substitute = SUBSTITUTES[byte];
        let column = [product(substitute, 2), substitute, substitute, product(substitute, 3)];
        table[byte] = u32::from_le_bytes(column);
        byte += 1;
    }
    table
};

/// Combines `cell(row, byte)` over the bytes of each column after shifting rows.
#[inline(always)]
fn columns(state: [u64; 2], cell: impl Fn(u32, u8) -> u32) -> [u64; 2] {
    let state = u128::from(state[1]) << 64 | u128::from(state[0]);
    let column = |number: u32| {
        (0..4).fold(0, |sum, row| {
            sum ^ cell(row, (state >> (8 * ((5 * row + 4 * number) % 16))) as u8)
        })
    };
    let pair = |first: u32| u64::from(column(first)) | u64::from(column(first + 1)) << 32;
    [pair(0), pair(2)]
}

/// Substitution, shifted rows, mixed columns.
fn round(state: [u64; 2]) -> [u64; 2] {
    columns(state, |row, byte| COLUMNS[usize::from(byte)].rotate_left(8 * row))
}

/// Substitution and shifted rows.
fn last_round(state: [u64; 2]) -> [u64; 2] {
    columns(state, |row, byte| u32::from(SUBSTITUTES[usize::from(byte)]) << (8 * row))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(hexadecimal: &str) -> [u64; 2] {
        let number = u128::from_str_radix(hexadecimal, 16).unwrap().swap_bytes();
        [number as u64, (number >> 64) as u64]
    }

    #[test]
    fn rounds_match_aes() {
        // FIPS 197, appendix B: the state at the start of round 1, its key, and the state at the start of round 2.
        let start = state("193de3bea0f4e22b9ac68d2ae9f84808");
        let key = state("a0fafe1788542cb123a339392a6c7605");
        assert_eq!(xor(round(start), key), state("a49c7ff2689f352b6b5bea43026a5049"));
        // The same for round 10, the last.
        let start = state("eb40f21e592e38848ba113e71bc342d2");
        let key = state("d014f9a8c9ee2589e13f0cc8b6630ca6");
        assert_eq!(xor(last_round(start), key), state("3925841d02dc09fbdc118597196a0b32"));
    }

    #[test]
    fn keys_differ_by_the_constants() {
        let keys = RoundKeys::from_key([0, u64::MAX]);
        assert_eq!(keys.0[1], [WEYL[0], WEYL[1] - 1]);
        assert_eq!(keys.0[2], [WEYL[0].wrapping_mul(2), WEYL[1].wrapping_mul(2) - 1]);
    }

    #[test]
    fn blocks_have_golden_values() {
        let keys = RoundKeys::new(2007);
        assert_eq!(keys.encrypt(xor(keys.0[0], [0, 0])), GOLDEN[0]);
        assert_eq!(keys.encrypt(xor(keys.0[0], [123_456, 7])), GOLDEN[1]);
    }

    // Computed by a separate implementation, from the description above.
    const GOLDEN: [[u64; 2]; 2] =
        [[0x7f52d15a2aa21a27, 0x4224f60ab2b15331], [0x95cf2f1b84fc74ca, 0x2eeb1c353befee6d]];
}
