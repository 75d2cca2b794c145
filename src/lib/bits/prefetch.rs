//! Telling the processor what will be needed soon.

/// ByteVector that come from memory together.
const LINE: usize = 64;

/// Asks for a value that lies in no more lines than its size tells. Changes nothing but time.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    (0..size_of::<T>()).step_by(LINE).for_each(|at| ask(std::ptr::from_ref(value).cast(), at));
}

/// Asks for all of a list, wherever it begins.
#[inline(always)]
pub(crate) fn prefetch_all<T>(list: &[T]) {
    let start = list.as_ptr().cast::<i8>();
    let before = start as usize % LINE;
    let start = start.wrapping_sub(before);
    (0..before + size_of_val(list)).step_by(LINE).for_each(|at| ask(start, at));
}

#[inline(always)]
fn ask(start: *const i8, at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, and it accepts any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, at);
}
