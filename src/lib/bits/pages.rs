//! Huge pages for randomly accessed tables.

/// Arrays of fewer bytes gain nothing from huge pages.
const MIN_BYTES: usize = 2 << 20;
/// Advice must start at a page boundary.
const PAGE: usize = 4096;

/// Advises the system to back a large array, spare capacity included, with huge pages. Random reads of a table in 4 KiB pages miss the TLB nearly
/// every time, and each miss costs as much as a cache miss. Affects time only; best called before the array is filled.
pub(crate) fn advise_huge_pages<T>(array: &Vec<T>) {
    let start = array.as_ptr() as usize;
    let end = (start + array.capacity() * size_of::<T>()) / PAGE * PAGE;
    let start = start.next_multiple_of(PAGE);
    if end.saturating_sub(start) >= MIN_BYTES {
        advise(start, end - start);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: usize, length: usize) {
    // SAFETY: the pages belong to a live array, and the advice does not change their content. A refusal does not matter.
    unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _length: usize) {}
