//! The process of an executable, where the standard library decides otherwise: closed standard streams, exhausted memory, signals.
//!
//! [`executable!`](crate::executable!) sets all of it up. None of it concerns programs that use the library.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Cursor, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
#[cfg(unix)]
use signal_hook::{flag, low_level};

use crate::bits::pages::advise_huge_range;
use crate::error::is_fallible;
use crate::files::streams::StandardStream;

/// Defines `main`, the memory allocator and the start of an executable: of a type that implements
/// [`Executable`](crate::executable::Executable), or of `nearsig` itself (`overview`).
#[macro_export]
macro_rules! executable {
    (overview) => {
        $crate::executable!(@main $crate::cli::overview());
    };
    ($task:ty) => {
        $crate::executable!(@main $crate::cli::execute::<$task>());
    };
    (@main $main:expr) => {
        #[global_allocator]
        static ALLOCATOR: $crate::cli::ExecutableAllocator = $crate::cli::ExecutableAllocator;

        // The loader calls this before the standard library opens `/dev/null` as a closed stream.
        #[cfg(target_os = "linux")]
        #[used]
        #[unsafe(link_section = ".init_array")]
        static RECORD_STREAMS: extern "C" fn() = $crate::cli::record_closed_streams;

        fn main() -> std::process::ExitCode {
            $main
        }
    };
}

/// File descriptors of standard input, output and error.
const INPUT: libc::c_int = 0;
const OUTPUT: libc::c_int = 1;
const ERROR: libc::c_int = 2;

fn descriptor(stream: StandardStream) -> libc::c_int {
    match stream {
        StandardStream::Input => INPUT,
        StandardStream::Output => OUTPUT,
    }
}

/// Records the standard streams that are closed. Must run before `main`.
pub extern "C" fn record_closed_streams() {
    for stream in StandardStream::ALL {
        // SAFETY: a query of the flags of a descriptor, open or not.
        if unsafe { libc::fcntl(descriptor(stream), libc::F_GETFD) } == -1 {
            stream.record_closed();
        }
    }
}

/// Closes the streams again that were closed at the start, for an executable that replaces this one.
pub(super) fn close_closed_streams() {
    for stream in StandardStream::ALL.into_iter().filter(|stream| stream.is_closed()) {
        // SAFETY: the descriptor is that of /dev/null, which nothing in this process uses.
        unsafe { libc::close(descriptor(stream)) };
    }
}

/// The system's allocator, with huge pages for large arrays: the kernel clears and maps 2 MiB at once, not 4 KiB. Exhausted memory ends the process with one line and
/// exit code 1, instead of an abort, unless the caller handles it.
#[derive(Debug, Clone, Copy)]
pub struct ExecutableAllocator;

// SAFETY: all methods are those of the system's allocator, except that most do not return null.
unsafe impl GlobalAlloc for ExecutableAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator needs.
        allocated(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; every pointer is one of the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        allocated(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        allocated(unsafe { System.realloc(pointer, layout, bytes) }, bytes)
    }
}

#[inline]
fn allocated(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() && !is_fallible() {
        out_of_memory(bytes);
    }
    advise_huge_range(pointer as usize, bytes);
    pointer
}

/// The executable's name, for the message of exhausted memory.
static NAME: OnceLock<String> = OnceLock::new();

/// Sets the name of the executable.
pub(super) fn set_name(name: &str) {
    // The first name stays.
    let _ = NAME.set(name.to_string());
}

/// Ends the process. Allocates nothing; files that are not complete keep their temporary names, as after a kill.
#[cold]
fn out_of_memory(bytes: usize) -> ! {
    let name = NAME.get().map_or("nearsig", |name| name);
    let mut line = Cursor::new([0; 256]);
    // A name that does not fit is cut.
    let _ = writeln!(&mut line, "{name}: error: out of memory ({bytes} bytes requested)");
    let length = line.position() as usize;
    // SAFETY: the bytes are initialized, and neither function returns to code that could rely on the allocation.
    unsafe {
        libc::write(ERROR, line.get_ref().as_ptr().cast(), length);
        libc::_exit(1)
    }
}

/// Signals that arrive while outputs get their names.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct DeferredSignals {
    interruptible: Arc<AtomicBool>,
    /// The last signal, or 0.
    pending: Arc<AtomicUsize>,
}

#[cfg(unix)]
impl DeferredSignals {
    /// Lets interrupts, hangups and terminations end the process as by default while `interruptible` is true, and defers them while it is
    /// not. Signals that are ignored at the start, as by `nohup`, stay ignored. A file that exceeds a limit on sizes fails to be written; by
    /// default, its signal would end the process without a message.
    pub(super) fn register(interruptible: &Arc<AtomicBool>) -> io::Result<Self> {
        let (interruptible, pending) = (interruptible.clone(), Arc::<AtomicUsize>::default());
        for signal in [SIGINT, SIGHUP, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
            flag::register_conditional_default(signal, interruptible.clone())?;
            flag::register_usize(signal, pending.clone(), signal as usize)?;
        }
        if !is_ignored(libc::SIGXFSZ) {
            flag::register(libc::SIGXFSZ, Arc::default())?;
        }
        Ok(DeferredSignals { interruptible, pending })
    }

    /// Ends the process by a deferred signal, if there is one and it need not wait any longer.
    pub(super) fn deliver(&self) {
        self.deliver_to(|signal| drop(low_level::emulate_default_handler(signal)));
    }

    fn deliver_to(&self, end: impl FnOnce(libc::c_int)) {
        let signal = self.pending.load(Ordering::SeqCst);
        if signal != 0 && self.interruptible.load(Ordering::SeqCst) {
            end(signal as libc::c_int);
        }
    }
}

#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: an action of zeros is valid, and a query without a new action changes only it.
    let action = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action);
        action
    };
    action.sa_sigaction == libc::SIG_IGN
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn signals_wait_while_the_process_is_not_interruptible() {
        let interruptible = Arc::new(AtomicBool::new(false));
        let signals = DeferredSignals::register(&interruptible).unwrap();
        let delivered = |signals: &DeferredSignals| {
            let mut delivered = None;
            signals.deliver_to(|signal| delivered = Some(signal));
            delivered
        };
        low_level::raise(libc::SIGXFSZ).unwrap();
        let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        for signal in handled.collect::<Vec<_>>() {
            low_level::raise(signal).unwrap();
            assert_eq!(delivered(&signals), None);
            interruptible.store(true, Ordering::SeqCst);
            assert_eq!(delivered(&signals), Some(signal));
            interruptible.store(false, Ordering::SeqCst);
        }
        signals.pending.store(0, Ordering::SeqCst);
        interruptible.store(true, Ordering::SeqCst);
        assert_eq!(delivered(&signals), None);
    }
}
