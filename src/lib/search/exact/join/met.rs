//! Who was met before.

/// Bits for each that is met: few get the bit of another one.
const ROOM: usize = 16;

/// Which places were met: a bit for each, which it shares with others where there are many places.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// A power of two of bits.
    words: Vec<u64>,
}

impl Met {
    /// Nobody was met of so many places. Not more than `most` will be: that is all the room that is needed.
    pub(super) fn clear(&mut self, most: usize, places: usize) {
        let bits = most.saturating_mul(ROOM).min(places).next_power_of_two();
        self.words.clear();
        self.words.resize(bits.div_ceil(u64::BITS as usize), 0);
    }

    /// Whether a place was met before, or one that shares its bit. If it `counts`, it is met from now on.
    #[inline(always)]
    pub(super) fn was_met(&mut self, place: u32, counts: bool) -> bool {
        let bit = place % u64::BITS;
        let at = (place / u64::BITS) as usize & (self.words.len() - 1);
        let word = &mut self.words[at];
        let was_met = *word >> bit & 1 == 1;
        *word |= u64::from(counts) << bit;
        was_met
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whoever_counted_was_met_and_nobody_else_where_there_is_room(
            places in prop::collection::vec((0u32..5000, any::<bool>()), 1..60), most in 0usize..60,
        ) {
            let mut met = Met::default();
            for room in [usize::MAX, most] {
                met.clear(room, 5000);
                let mut known = std::collections::HashSet::new();
                for (place, counts) in &places {
                    let was_met = met.was_met(*place, *counts);
                    prop_assert!(was_met >= known.contains(place));
                    prop_assert!(room < 5000 || was_met == known.contains(place));
                    if *counts {
                        known.insert(place);
                    }
                }
            }
        }
    }
}
