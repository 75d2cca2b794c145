//! Huge pages for randomly accessed tables.

/// Arrays of fewer bytes gain nothing from huge pages.
const MIN_BYTES: usize = 2 << 20;
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
    if bytes < MIN_BYTES || start == 0 {
        return;
    }
    let (first, end) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
    if end.saturating_sub(first) >= MIN_BYTES {
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
