// SPDX-License-Identifier: MIT
//! Traced forms of tokio's mutex, semaphore and channel.
//!
//! Tokio's waiters are served in turn: who is woken has been handed the lock or the permit already, polled or not. So a
//! wait that is not over at once is a child of its own: the wake of it is a hand-over, and where its task never polls it
//! again, everybody can see who was given what.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use tokio::sync::mpsc::{self, error::SendError, error::TryRecvError};
use tokio::sync::{AcquireError, Mutex, MutexGuard, Semaphore, SemaphorePermit};

use crate::future::{PollTrace, TracedFuture};
use crate::probe::{self, resource};
use crate::resource::{on, Held, Resource};

type Place = &'static Location<'static>;

/// Waits for what its waker hands it, and holds it then, where `is_given` says that it was.
async fn wait_for<F: Future>(
    resource: Resource,
    place: Place,
    future: F,
    is_given: fn(&F::Output) -> bool,
) -> (F::Output, Option<Held>) {
    let trace = PollTrace::at(place, None).granting(resource.handle());
    let mut child = Box::pin(TracedFuture::with(on(resource, future).at(place), trace));
    let output = child.as_mut().await;
    if !is_given(&output) {
        return (output, None);
    }
    let holder = probe::current();
    let (is_handed, coro) = child.grant();
    let is_lock = resource.handle() >> 56 == u64::from(resource::LOCK);
    let held = if is_handed && is_lock {
        probe::hand_over(coro, resource.handle(), holder, probe::site_of(place, None));
        Held::handed(resource, holder, place)
    } else {
        Held::of(resource, holder, place)
    };
    (output, Some(held))
}

/// A mutex's guard that tells its end.
pub struct TracedMutexGuard<'a, T: ?Sized> {
    // Dropped in this order: the release is told before another one can have the lock.
    _held: Held,
    guard: MutexGuard<'a, T>,
}

impl<T: ?Sized> Deref for TracedMutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T: ?Sized> DerefMut for TracedMutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// `mutex.lock()`, which tells who waits and who holds it.
#[track_caller]
pub fn traced_lock<T: ?Sized>(mutex: &Mutex<T>) -> impl Future<Output = TracedMutexGuard<'_, T>> {
    let place = Location::caller();
    async move {
        let resource = Resource::lock(mutex);
        if let Ok(guard) = mutex.try_lock() {
            return TracedMutexGuard { _held: Held::of(resource, probe::current(), place), guard };
        }
        match wait_for(resource, place, mutex.lock(), |_| true).await {
            (guard, Some(held)) => TracedMutexGuard { _held: held, guard },
            (guard, None) => TracedMutexGuard { _held: Held::of(resource, probe::current(), place), guard },
        }
    }
}

/// A semaphore's permit that tells its end.
#[derive(Debug)]
pub struct TracedPermit<'a> {
    // Dropped in this order: the release is told before another one can have the permit.
    _held: Held,
    _permit: SemaphorePermit<'a>,
}

/// `semaphore.acquire()`, which tells who waits and who has a permit.
#[track_caller]
pub fn traced_acquire(semaphore: &Semaphore) -> impl Future<Output = Result<TracedPermit<'_>, AcquireError>> {
    let place = Location::caller();
    async move {
        let resource = Resource::semaphore(semaphore);
        if let Ok(permit) = semaphore.try_acquire() {
            let held = Held::of(resource, probe::current(), place);
            return Ok(TracedPermit { _held: held, _permit: permit });
        }
        let (permit, held) = wait_for(resource, place, semaphore.acquire(), Result::is_ok).await;
        let held = held.unwrap_or_else(|| Held::none(resource, place));
        permit.map(|permit| TracedPermit { _held: held, _permit: permit })
    }
}

/// The two things that tasks wait for at a channel: room, and items.
#[derive(Debug, Default)]
struct Ends {
    room: u8,
    items: u8,
    nr_waiting_for_items: AtomicU32,
    nr_waiting_for_room: AtomicU32,
}

impl Ends {
    fn room(&self) -> Resource {
        Resource::channel(&self.room)
    }

    fn items(&self) -> Resource {
        Resource::channel(&self.items)
    }
}

/// Counts one that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicU32);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn tell_taken(taken: Resource, given: Resource, nr_waiting: &AtomicU32, place: Place) {
    if probe::is_attached() {
        let (site, coro) = (probe::site_of(place, None), probe::current());
        probe::acquire(coro, taken.handle(), site);
        probe::notify(coro, given.handle(), nr_waiting.load(Ordering::Relaxed).min(1), site);
    }
}

/// The sender of a [`traced_channel`].
#[derive(Debug)]
pub struct TracedSender<T> {
    sender: mpsc::Sender<T>,
    ends: Arc<Ends>,
}

/// The receiver of a [`traced_channel`].
#[derive(Debug)]
pub struct TracedReceiver<T> {
    receiver: mpsc::Receiver<T>,
    ends: Arc<Ends>,
}

/// `mpsc::channel`, which tells who waits for room, who for an item, and what was put in.
pub fn traced_channel<T>(capacity: usize) -> (TracedSender<T>, TracedReceiver<T>) {
    let (sender, receiver) = mpsc::channel(capacity);
    let ends = Arc::new(Ends::default());
    (TracedSender { sender, ends: Arc::clone(&ends) }, TracedReceiver { receiver, ends })
}

impl<T> Clone for TracedSender<T> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), ends: Arc::clone(&self.ends) }
    }
}

impl<T> TracedSender<T> {
    /// `mpsc::Sender::send`.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> + '_
    where
        T: Send,
    {
        let place = Location::caller();
        async move {
            let reserved = match self.sender.try_reserve() {
                Ok(permit) => Ok(permit),
                Err(_) => {
                    let _waiting = Waiting::new(&self.ends.nr_waiting_for_room);
                    on(self.ends.room(), self.sender.reserve()).at(place).await
                }
            };
            let Ok(permit) = reserved else {
                return Err(SendError(value));
            };
            tell_taken(self.ends.room(), self.ends.items(), &self.ends.nr_waiting_for_items, place);
            permit.send(value);
            Ok(())
        }
    }

    /// The untraced sender.
    pub fn get_ref(&self) -> &mpsc::Sender<T> {
        &self.sender
    }
}

impl<T> TracedReceiver<T> {
    /// `mpsc::Receiver::recv`.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Option<T>> + '_ {
        let place = Location::caller();
        async move {
            let item = match self.receiver.try_recv() {
                Ok(item) => Some(item),
                Err(TryRecvError::Disconnected) => None,
                Err(TryRecvError::Empty) => {
                    let _waiting = Waiting::new(&self.ends.nr_waiting_for_items);
                    on(self.ends.items(), self.receiver.recv()).at(place).await
                }
            };
            if item.is_some() {
                tell_taken(self.ends.items(), self.ends.room(), &self.ends.nr_waiting_for_room, place);
            }
            item
        }
    }

    /// The untraced receiver.
    pub fn get_mut(&mut self) -> &mut mpsc::Receiver<T> {
        &mut self.receiver
    }
}
