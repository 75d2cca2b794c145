//! Cache prefetching.

/// Bytes per cache line.
const LINE: usize = 64;

/// Prefetches a value that does not cross more cache lines than its size requires. Affects time only.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    (0..size_of::<T>())
        .step_by(LINE)
        .for_each(|at| prefetch_line(std::ptr::from_ref(value).cast(), at));
}

/// Prefetches a whole slice.
#[inline(always)]
pub(crate) fn prefetch_all<T>(list: &[T]) {
    let start = list.as_ptr().cast::<i8>();
    let before = start as usize % LINE;
    let start = start.wrapping_sub(before);
    (0..before + size_of_val(list)).step_by(LINE).for_each(|at| prefetch_line(start, at));
}

#[inline(always)]
fn prefetch_line(start: *const i8, at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it accepts any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, at);
}
