//! The greedy algorithm for minimal edit scripts (Myers 1986).

/// Returns whether at most `max_edits` insertions and deletions turn one text into the other. Expected time is the length of the texts plus the
/// square of `max_edits`; memory is 16 bytes per edit.
pub(super) fn reaches_within(left: &[u32], right: &[u32], max_edits: usize) -> bool {
    // Diagonal k (characters taken of the left text minus those of the right one) is at position k + offset.
    let offset = max_edits + 1;
    let mut furthest = vec![0usize; 2 * offset + 1];
    for edits in 0..=max_edits {
        for diagonal in (offset - edits..=offset + edits).step_by(2) {
            let (below, above) = (furthest[diagonal - 1], furthest[diagonal + 1]);
            let is_insertion =
                diagonal == offset - edits || (diagonal != offset + edits && below < above);
            let start = if is_insertion { above } else { below + 1 };
            let end = slide(left, right, start, start + offset - diagonal);
            furthest[diagonal] = end;
            if end >= left.len() && end + offset - diagonal >= right.len() {
                return true;
            }
        }
    }
    false
}

/// Returns where the equal characters from these places on end in the left text.
fn slide(left: &[u32], right: &[u32], from: usize, other: usize) -> usize {
    let (Some(rest), Some(others)) = (left.get(from..), right.get(other..)) else { return from };
    from + rest.iter().zip(others).take_while(|(one, other)| one == other).count()
}
