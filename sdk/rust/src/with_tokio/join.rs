// SPDX-License-Identifier: MIT
//! Traced forms of the things that wait for a task's end: `spawn` with its handle, and `JoinSet`.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::{AbortHandle, JoinError, JoinHandle, JoinSet};

use crate::future::{TraceFutureExt, TracedFuture};
use crate::resource::{on, On, Resource};
use crate::with_tokio::channels::Side;
use crate::with_tokio::{is_spawn_told, Place};

/// Records where a new task lies until a worker takes the task.
fn ready<F: Future>(mut future: TracedFuture<F>) -> TracedFuture<F> {
    if !is_spawn_told() {
        future.trace_mut().tell_spawned();
    }
    future
}

/// The [`JoinHandle`] of a traced task: a task that awaits the handle waits for the traced task. Reports show the wait
/// at the place of the spawn.
#[derive(Debug)]
pub struct TracedJoinHandle<T> {
    handle: On<JoinHandle<T>>,
    is_told: bool,
}

/// `tokio::spawn(future.traced())`; an await of the handle records which task is waited for.
#[track_caller]
pub fn spawn<F>(future: F) -> TracedJoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let traced = ready(future.traced());
    let id = traced.id();
    TracedJoinHandle::of(on(Resource::future(id), tokio::spawn(traced)), id)
}

impl<T> TracedJoinHandle<T> {
    /// The handle of the coroutine `id`; 0: nothing is recorded of it.
    pub(super) fn of(handle: On<JoinHandle<T>>, id: u64) -> Self {
        Self { handle, is_told: id != 0 }
    }

    /// The untraced handle.
    pub fn into_inner(self) -> JoinHandle<T> {
        self.handle.into_inner()
    }
}

impl<T> Future for TracedJoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.is_told {
            return Pin::new(self.handle.get_mut()).poll(context);
        }
        Pin::new(&mut self.handle).poll(context)
    }
}

impl<T> Deref for TracedJoinHandle<T> {
    type Target = JoinHandle<T>;

    fn deref(&self) -> &JoinHandle<T> {
        self.handle.get_ref()
    }
}

/// Notifies the set of a task's end, also if the task panics or is cancelled.
struct Ending {
    ends: Arc<Side>,
    place: Place,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.ends.tell_given(self.ends.event(), 1, self.place);
    }
}

/// [`JoinSet`], whose tasks are traced, and which records who waits for one of the tasks to end.
#[derive(Debug)]
pub struct TracedJoinSet<T> {
    set: JoinSet<T>,
    ends: Arc<Side>,
}

impl<T> Default for TracedJoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> TracedJoinSet<T> {
    /// `JoinSet::new`.
    pub fn new() -> Self {
        Self { set: JoinSet::new(), ends: Arc::default() }
    }
}

impl<T: 'static> TracedJoinSet<T> {
    /// `JoinSet::spawn`.
    #[track_caller]
    pub fn spawn<F>(&mut self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        let ending = Ending { ends: Arc::clone(&self.ends), place: Location::caller() };
        let task = async move {
            let _ending = ending;
            future.await
        };
        self.set.spawn(ready(task.traced()))
    }

    /// `JoinSet::join_next`.
    #[track_caller]
    pub fn join_next(&mut self) -> impl Future<Output = Option<Result<T, JoinError>>> + '_ {
        let place = Location::caller();
        async move { self.ends.wait(self.ends.event(), place, self.set.join_next()).await }
    }
}

impl<T> Deref for TracedJoinSet<T> {
    type Target = JoinSet<T>;

    fn deref(&self) -> &JoinSet<T> {
        &self.set
    }
}

impl<T> DerefMut for TracedJoinSet<T> {
    fn deref_mut(&mut self) -> &mut JoinSet<T> {
        &mut self.set
    }
}
