// SPDX-License-Identifier: MIT
#![doc = include_str!("../README.md")]
#![deny(unsafe_code, unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

mod annotate;
mod future;
mod layout;
mod memory;
pub mod probe;
mod resource;
#[cfg(any(test, all(feature = "tokio", tokio_unstable)))]
mod shelf;
mod system;
mod told;
mod waker;
#[cfg(feature = "tokio")]
pub mod with_tokio;
#[cfg(feature = "tracing")]
pub mod with_tracing;
mod worker;

pub use annotate::{counter, current_id, dump, log, log_number, log_text, name_current, name_thread, park, phase};
pub use annotate::{region, task_begin, task_end, task_set, unpark, Region};
pub use future::{trace_future, PollTrace, TraceFutureExt, TracedFuture};
pub use resource::{on, Held, On, Resource};

/// Attaches to the engine that started this program (`corotracer run`). Call it once, early in `main`, before threads
/// start.
///
/// True: events are recorded from now on. False: no engine asked for events, or the machine refused memory; the program
/// then runs untraced, and an engine that comes later (`corotracer attach`) can still find the program. Never blocks or
/// prints; keeps errno. A call in a forked child attaches the child.
pub fn init_tracer() -> bool {
    probe::attach()
}

/// Attaches as [`init_tracer`] does. If no engine started this program, its latest events are kept in the file `path`,
/// in at most `bytes` bytes (0: 16 MiB). `%p` in the path stands for the process id.
pub fn init_recorder(path: &str, bytes: u64) -> bool {
    probe::record_flight(path, bytes)
}

/// True while events are recorded. Costs a load and a branch.
#[inline]
pub fn tracer_enabled() -> bool {
    probe::is_attached()
}
