//! What makes waiting for memory shorter: large pages.

/// Below this many bytes large pages gain nothing.
const LARGE: usize = 2 << 20;
/// Advice must begin at a page.
const PAGE: usize = 4096;

/// Asks the system to put a large array, also the part of it that is not used yet, into large pages. A table that is read here and there misses
/// the processor's few thousand page entries nearly every time where pages have 4 KiB, and each miss costs as much as one of the cache. Has no
/// effect but on time; best asked for before the array is filled.
pub(crate) fn in_large_pages<T>(array: &Vec<T>) {
    let start = array.as_ptr() as usize;
    let end = (start + array.capacity() * size_of::<T>()) / PAGE * PAGE;
    let start = start.next_multiple_of(PAGE);
    if end.saturating_sub(start) >= LARGE {
        advise(start, end - start);
    }
}

#[cfg(target_os = "linux")]
fn advise(start: usize, length: usize) {
    // SAFETY: the pages belong to an array that is alive; the advice does not change what is in them. That it can be refused does not matter.
    unsafe { libc::madvise(start as *mut libc::c_void, length, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_start: usize, _length: usize) {}
