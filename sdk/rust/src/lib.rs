// SPDX-License-Identifier: MIT
//! Tells corotracer what a program's coroutines do: where they wait, who wakes them, what they hold.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod layout;
mod memory;
pub mod probe;
mod system;

/// Attaches to the engine that started this program (`corotracer run`). Call it once, early in `main`, before threads.
///
/// True: events are recorded from now on. False: nobody asked, or the machine refused; the program then runs untraced,
/// and an engine that comes later (`corotracer attach`) still finds it. Never blocks or prints; keeps errno. In a forked
/// child it attaches anew.
pub fn init_tracer() -> bool {
    probe::attach()
}

/// [`init_tracer`]; and where no engine started this program, its latest events are kept in the file `path`, in at most
/// `bytes` (0: 16 MiB). `%p` in the path stands for the process id.
pub fn init_recorder(path: &str, bytes: u64) -> bool {
    probe::record_flight(path, bytes)
}

/// True while events are recorded. A load and a branch.
#[inline]
pub fn tracer_enabled() -> bool {
    probe::is_attached()
}
