// SPDX-License-Identifier: MIT
//! Resources: what futures wait for, hold, and hand to each other.
#![allow(unsafe_code)]

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::probe::{self, resource};
use crate::system;
use crate::told::{with_task, with_top, Wait, Waits};

/// A lock, a channel, or another thing that one future waits for and another future gives. The identity of a resource
/// is compared, never dereferenced.
///
/// The order of events matters: call [`release`](Resource::release) and [`notify`](Resource::notify) before the next
/// owner can be seen, and [`acquire`](Resource::acquire) after the future has got the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resource(u64);

fn address_of<T: ?Sized>(of: &T) -> u64 {
    of as *const T as *const u8 as u64
}

impl Resource {
    /// A lock, which one future at a time holds; identified by the address of the object.
    pub fn lock<T: ?Sized>(of: &T) -> Self {
        Self(probe::handle(resource::LOCK, address_of(of)))
    }

    /// A condition that futures wait for.
    pub fn condition<T: ?Sized>(of: &T) -> Self {
        Self(probe::handle(resource::CONDITION, address_of(of)))
    }

    /// One end of a channel: its room, or its items.
    pub fn channel<T: ?Sized>(of: &T) -> Self {
        Self(probe::handle(resource::CHANNEL, address_of(of)))
    }

    /// A semaphore, or a lock that several futures may hold at the same time.
    pub fn semaphore<T: ?Sized>(of: &T) -> Self {
        Self(probe::handle(resource::SEMAPHORE, address_of(of)))
    }

    /// An event that happens once, or a flag.
    pub fn event<T: ?Sized>(of: &T) -> Self {
        Self(probe::handle(resource::EVENT, address_of(of)))
    }

    /// A timer, identified by a number.
    pub fn timer(number: u64) -> Self {
        Self(probe::handle(resource::TIMER, number))
    }

    /// A queue of ready futures, identified by a number.
    pub fn queue(number: u64) -> Self {
        Self(probe::handle(resource::QUEUE, number))
    }

    /// An open descriptor.
    pub fn descriptor(number: i32) -> Self {
        Self(probe::descriptor(number, 0))
    }

    /// Another future, identified by its [`id`](crate::TracedFuture::id).
    pub fn future(id: u64) -> Self {
        Self(probe::handle(resource::COROUTINE, id))
    }

    /// Any other resource, identified by a number.
    pub fn other(number: u64) -> Self {
        Self(probe::handle(resource::OTHER, number))
    }

    /// The handle, as the calls of [`crate::probe`] take it.
    pub fn handle(self) -> u64 {
        self.0
    }

    /// Names the resource in reports. Each call takes one of the 65,536 names that a process has.
    pub fn name(self, name: &str) {
        if probe::is_attached() {
            probe::name_resource(self.0, probe::intern(name));
        }
    }

    /// The future that runs here holds the resource from now on, until [`release`](Resource::release).
    #[track_caller]
    pub fn acquire(self) {
        if probe::is_attached() {
            probe::acquire(probe::current(), self.0, probe::site_here(None));
        }
    }

    /// The future that runs here gives the resource back, and the resource is free.
    #[track_caller]
    pub fn release(self) {
        if probe::is_attached() {
            probe::release(probe::current(), self.0, probe::site_here(None));
        }
    }

    /// The future that runs here holds the resource until the returned value is dropped, on whatever thread.
    #[track_caller]
    pub fn hold(self) -> Held {
        Held::of(self, probe::current(), Location::caller())
    }

    /// The future that runs here gives the resource to the future with this id; the resource is never free in between.
    #[track_caller]
    pub fn hand_over(self, receiver: u64) {
        if probe::is_attached() {
            probe::hand_over(probe::current(), self.0, receiver, probe::site_here(None));
        }
    }

    /// The resource's waiters are notified, and `nr_woken` waiters were found. A notification that finds no waiter (0)
    /// is worth recording.
    #[track_caller]
    pub fn notify(self, nr_woken: u32) {
        if probe::is_attached() {
            probe::notify(probe::current(), self.0, nr_woken, probe::site_here(None));
        }
    }
}

/// A resource that is held. Drop this value before the next owner can have the resource.
#[derive(Debug)]
#[must_use = "the resource is given back when this is dropped"]
pub struct Held {
    resource: Resource,
    holder: u64,
    place: &'static Location<'static>,
    is_told: bool,
}

impl Held {
    pub(crate) fn of(resource: Resource, holder: u64, place: &'static Location<'static>) -> Self {
        if probe::is_attached() {
            probe::acquire(holder, resource.0, probe::site_of(place, None));
        }
        Self { resource, holder, place, is_told: true }
    }

    /// A resource that the holder was handed: `holder` holds the resource without an acquire of its own.
    #[cfg(feature = "tokio")]
    pub(crate) fn handed(resource: Resource, holder: u64, place: &'static Location<'static>) -> Self {
        Self { resource, holder, place, is_told: true }
    }

    /// No resource is held.
    #[cfg(feature = "tokio")]
    pub(crate) fn none(resource: Resource, place: &'static Location<'static>) -> Self {
        Self { resource, holder: 0, place, is_told: false }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_told && probe::is_attached() {
            probe::release(self.holder, self.resource.0, probe::site_of(self.place, None));
        }
    }
}

/// A future that waits for a resource; made by [`on`].
#[derive(Debug)]
#[must_use = "futures do nothing unless they are polled"]
pub struct On<F> {
    inner: F,
    resource: Resource,
    place: &'static Location<'static>,
    deadline: u64,
}

/// `on(resource, future).await`: while `future` is pending, the traced future around it waits for this resource, at
/// this place.
///
/// If the traced future is also polled for other reasons (`select!`, `join!`), reports say that it waits for more than
/// this resource.
#[track_caller]
pub fn on<F: Future>(resource: Resource, future: F) -> On<F> {
    On { inner: future, resource, place: Location::caller(), deadline: 0 }
}

/// The instant as CLOCK_MONOTONIC in nanoseconds.
fn monotonic(instant: Instant) -> u64 {
    let now = system::nanoseconds(system::CLOCK_MONOTONIC);
    let ahead = instant.checked_duration_since(Instant::now()).unwrap_or(Duration::ZERO);
    now.saturating_add(u64::try_from(ahead.as_nanos()).unwrap_or(u64::MAX))
}

impl<F> On<F> {
    /// The wait ends by itself at `deadline`, so it is never reported as lost.
    pub fn until(mut self, deadline: Instant) -> Self {
        if probe::is_attached() {
            self.deadline = monotonic(deadline);
        }
        self
    }

    /// The inner future.
    pub fn get_ref(&self) -> &F {
        &self.inner
    }

    /// The inner future.
    pub fn get_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    /// The inner future.
    pub fn into_inner(self) -> F {
        self.inner
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn place(&self) -> &'static Location<'static> {
        self.place
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn at(mut self, place: &'static Location<'static>) -> Self {
        self.place = place;
        self
    }
}

/// Polls, and records the wait if the poll has no result.
fn noting<T>(waits: &Waits, wait: &mut dyn FnMut() -> Wait, poll: impl FnOnce() -> Poll<T>) -> Poll<T> {
    let nr_before = waits.nr();
    let polled = poll();
    if polled.is_pending() {
        waits.note_around(wait(), nr_before);
    } else {
        waits.forget(nr_before);
    }
    polled
}

impl<F: Future> Future for On<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned with the whole and never moved.
        let this = unsafe { self.get_unchecked_mut() };
        let (resource, place, deadline) = (this.resource.0, this.place, this.deadline);
        // SAFETY: the same as above.
        let mut inner = unsafe { Pin::new_unchecked(&mut this.inner) };
        if !probe::is_attached() {
            return inner.poll(context);
        }
        let mut wait = || Wait { resource, site: probe::site_of(place, None), deadline };
        if let Some(polled) = with_task(|task| Some(noting(task?, &mut wait, || inner.as_mut().poll(context)))) {
            return polled;
        }
        with_top(|frame| match frame.and_then(|frame| Some((frame, frame.waker_for_wait(context.waker())?))) {
            Some((frame, waker)) => noting(&frame.waits, &mut wait, || inner.poll(&mut Context::from_waker(&waker))),
            None => inner.poll(context),
        })
    }
}
