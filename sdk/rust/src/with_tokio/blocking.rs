// SPDX-License-Identifier: MIT
//! The traced form of `spawn_blocking`.
//!
//! A closure is recorded as a coroutine that runs once, and as one that may keep its thread: it is marked as blocking.

use tokio::task::JoinHandle;

use crate::future::PollTrace;
use crate::probe;
use crate::resource::{on, Resource};
use crate::with_tokio::join::TracedJoinHandle;

/// What is recorded around the closure; dropped when the closure ends, panics, or is dropped before it began.
struct Blocking(PollTrace);

impl Blocking {
    /// Marks the closure, if anything of it is recorded: when it is made, or when it runs if a recording began between.
    fn tell(&self) {
        if self.0.is_enabled() {
            probe::blocking(self.0.id());
        }
    }

    fn run<R>(mut self, work: impl FnOnce() -> R) -> R {
        let before = probe::current();
        let was_told = self.0.id() != 0;
        self.0.on_resume();
        if !was_told {
            self.tell();
        }
        let running = Running { trace: &mut self.0, before };
        let result = work();
        running.end();
        result
    }
}

/// The closure runs, on this thread.
struct Running<'a> {
    trace: &'a mut PollTrace,
    before: u64,
}

impl Running<'_> {
    fn end(self) {
        self.trace.on_ready();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.trace.on_panic();
        }
        probe::current_set(self.before);
    }
}

/// `tokio::task::spawn_blocking`; an await of the handle records which closure is waited for.
///
/// Reports show the closure at the place of this call. They do not mind how long the closure keeps its thread, and name
/// closures for which the pool has no thread left.
#[track_caller]
pub fn spawn_blocking<F, R>(work: F) -> TracedJoinHandle<R>
where
    F: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
{
    let blocking = Blocking(PollTrace::new());
    let id = blocking.0.id();
    blocking.tell();
    let handle: JoinHandle<R> = tokio::task::spawn_blocking(move || blocking.run(work));
    TracedJoinHandle::of(on(Resource::future(id), handle), id)
}
