// SPDX-License-Identifier: MIT
//! Tokio: one call on the runtime's builder, and traced forms of the things that tasks wait for.
//!
//! ```
//! let mut builder = tokio::runtime::Builder::new_multi_thread();
//! let runtime = corotracer::with_tokio::trace_runtime(&mut builder).enable_all().build().unwrap();
//! runtime.block_on(async { corotracer::with_tokio::spawn(async {}).await.unwrap() });
//! ```
//!
//! [`trace_runtime`] records what the workers do. With `--cfg tokio_unstable` it also records every task. On stable,
//! the recorded tasks are those that are spawned by [`spawn`], or as `tokio::spawn(future.traced())`. These two ways
//! also record the wakes of a task, which tokio's hooks do not see. A task that is recorded in both ways has two
//! numbers: the task then waits for the end of the traced future.
//!
//! The other functions and types replace the methods and types after which they are named: `traced_lock(&mutex).await`
//! replaces `mutex.lock().await`. Their events let a report say which task holds what, and what was handed to which
//! task.

mod blocking;
mod channels;
mod held;
mod join;
mod notify;
#[cfg(tokio_unstable)]
mod tasks;

use std::cell::Cell;
use std::future::Future;
use std::panic::Location;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::time::{Instant, Sleep, Timeout};

pub use self::blocking::spawn_blocking;
pub use self::channels::{traced_broadcast, traced_channel, traced_oneshot, traced_unbounded_channel, traced_watch};
pub use self::channels::{TracedBroadcastReceiver, TracedBroadcastSender, TracedReceiver, TracedSender};
pub use self::channels::{TracedOneshotReceiver, TracedOneshotSender, TracedWatchReceiver, TracedWatchSender};
pub use self::channels::{TracedUnboundedReceiver, TracedUnboundedSender};
pub use self::held::{traced_acquire, traced_lock, traced_read, traced_write};
pub use self::held::{traced_blocking_lock, traced_blocking_read, traced_blocking_write};
pub use self::held::{traced_try_acquire, traced_try_lock, traced_try_read, traced_try_write};
pub use self::held::{TracedMutexGuard, TracedPermit, TracedReadGuard, TracedWriteGuard};
pub use self::join::{spawn, TracedJoinHandle, TracedJoinSet};
pub use self::notify::TracedNotify;
use crate::future::{TraceFutureExt, TracedFuture};
use crate::resource::{on, On, Resource};
use crate::{probe, worker};

type Place = &'static Location<'static>;

/// Traces the runtime that this builder makes: its workers, the times when they sleep, and with `tokio_unstable` its
/// tasks.
///
/// Sets the builder's hooks `on_thread_start`, `on_thread_park` and `on_thread_unpark` (and with `tokio_unstable` the
/// hooks for tasks). A program that has hooks of its own calls [`thread_start`], [`thread_park`] and [`thread_unpark`]
/// in its hooks instead.
pub fn trace_runtime(builder: &mut Builder) -> &mut Builder {
    builder.on_thread_start(thread_start).on_thread_park(thread_park).on_thread_unpark(thread_unpark);
    #[cfg(tokio_unstable)]
    tasks::trace(builder);
    builder
}

/// The kernel keeps this many bytes of a thread's name.
const NAME_BYTES: usize = 15;

thread_local! {
    static HAS_TOLD_WORKERS: Cell<bool> = const { Cell::new(false) };
}

/// Records how many workers the present runtime has. If more threads than that run tasks, each further thread replaces
/// a worker that blocks in place.
fn tell_workers() {
    if !probe::is_attached() || HAS_TOLD_WORKERS.with(|has| has.replace(true)) {
        return;
    }
    if let Ok(runtime) = Handle::try_current() {
        let current = std::thread::current();
        let name: String = current.name().unwrap_or_default().chars().take(NAME_BYTES).collect();
        probe::counter(runtime.metrics().num_workers() as i64, probe::intern(&(name + " workers")));
    }
}

/// For a program's own hook: a thread of the runtime begins.
pub fn thread_start() {
    worker::slot_open();
    tell_workers();
}

/// For a program's own hook: this worker goes to sleep.
pub fn thread_park() {
    if probe::is_attached() {
        tell_workers();
        probe::park(0, probe::site_here(Some("tokio worker")));
    }
}

/// For a program's own hook: this worker is awake again.
pub fn thread_unpark() {
    probe::unpark(0);
}

/// Returns whether tokio's own hooks record each task that is spawned, and the slot in which the task lies.
fn is_spawn_told() -> bool {
    #[cfg(tokio_unstable)]
    return tasks::is_traced();
    #[cfg(not(tokio_unstable))]
    false
}

/// `tokio::time::sleep`, which records when the sleep will end.
#[track_caller]
pub fn traced_sleep(duration: Duration) -> On<Sleep> {
    let deadline = Instant::now() + duration;
    on(Resource::timer(0), tokio::time::sleep_until(deadline)).until(deadline.into_std())
}

/// `tokio::time::timeout`. The future is recorded as a child, and the wait for the child as one that ends at the
/// time-out.
#[track_caller]
pub fn traced_timeout<F: Future>(duration: Duration, future: F) -> On<Timeout<TracedFuture<F>>> {
    let deadline = Instant::now() + duration;
    on(Resource::timer(0), tokio::time::timeout_at(deadline, future.traced())).until(deadline.into_std())
}

/// `tokio::task::yield_now`, which records that only this worker can resume the task: the wake is put off until the
/// worker has looked for events of the operating system.
pub async fn traced_yield() {
    worker::yield_begin();
    tokio::task::yield_now().await;
}
