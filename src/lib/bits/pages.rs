//! Huge pages for randomly accessed tables.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes of a huge page. Arrays of fewer bytes gain nothing from them.
const HUGE_PAGE: usize = 2 << 20;
/// Advice must start at a page boundary.
const PAGE: usize = 4096;

/// Advises the system to back a large array, spare capacity included, with huge pages. Random reads of a table in 4 KiB pages miss the TLB nearly
/// every time, and each miss costs as much as a cache miss. Affects time only; best called before the array is filled.
pub(crate) fn advise_huge_pages<T>(array: &Vec<T>) {
    advise_huge_range(array.as_ptr() as usize, array.capacity() * size_of::<T>());
}

/// Advises the system to back an allocation at `start` with huge pages, if it is large. No allocation is at 0, nor is any then advised.
#[inline]
pub(crate) fn advise_huge_range(start: usize, bytes: usize) {
    if bytes < HUGE_PAGE || start == 0 {
        return;
    }
    let (first, end) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
    if end.saturating_sub(first) >= HUGE_PAGE {
        advise(first, end - first);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: usize, length: usize) {
    // SAFETY: the pages belong to a live array, and the advice does not change their content. A refusal does not matter.
    unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _length: usize) {}

/// Bytes in memory of their own. It begins with a huge page, which an allocation does not: its header is in the first page.
#[derive(Debug)]
pub(crate) struct HugeBuffer {
    map: MmapMut,
    length: usize,
}

impl HugeBuffer {
    /// Returns zeros, at least one.
    pub fn new(length: usize) -> io::Result<Self> {
        // The system puts a mapping of this size at the start of a huge page.
        let map = MmapMut::map_anon(length.next_multiple_of(HUGE_PAGE))?;
        // A last page that would be less than half full is not worth clearing.
        advise_huge_range(map.as_ptr() as usize, (length + HUGE_PAGE / 2) / HUGE_PAGE * HUGE_PAGE);
        Ok(HugeBuffer { map, length })
    }
}

impl Deref for HugeBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map[..self.length]
    }
}

impl DerefMut for HugeBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_any_length_can_be_filled() {
        for length in [1, HUGE_PAGE / 2, HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE + 1, 3 * HUGE_PAGE - 1]
        {
            let mut buffer = HugeBuffer::new(length).unwrap();
            assert_eq!(*buffer, *vec![0; length]);
            buffer.fill(7);
            assert_eq!(*buffer, *vec![7; length]);
        }
    }
}
