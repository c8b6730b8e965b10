// SPDX-License-Identifier: MIT
//! Traced forms of tokio's locks and semaphore.
//!
//! Tokio serves waiters in turn: a task that is woken has been handed the lock or the permit already, whether or not
//! the task is polled. A wait that is not over at once is therefore a child of its own, whose wake is recorded as a
//! hand-over. If the task never polls the child again, the report still shows which task was given the lock.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use tokio::sync::{AcquireError, Mutex, MutexGuard, Semaphore, SemaphorePermit, TryAcquireError, TryLockError};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::future::{PollTrace, TracedFuture};
use crate::probe::{self, resource};
use crate::resource::{on, Held, Resource};
use crate::with_tokio::Place;

/// Waits for the resource that the wake hands over. The resource is then held if `is_given` says that the output
/// contains it.
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

/// Defines a lock's guard, and the functions that replace the methods of the lock which return a guard.
macro_rules! lock {
    (
        $guard:ident of $inner:ident $(, and of $mutable:ident,)? from $lock:ident, a $resource:ident;
        $traced:ident = $wait:ident, $traced_try:ident = $try:ident, $traced_blocking:ident = $blocking:ident
    ) => {
        #[doc = concat!("A [`", stringify!($inner), "`] that tells its end.")]
        pub struct $guard<'a, T: ?Sized> {
            // Dropped in this order: the release is recorded before another task can have the lock.
            _held: Held,
            guard: $inner<'a, T>,
        }

        impl<T: ?Sized> Deref for $guard<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.guard
            }
        }

        $(impl<T: ?Sized> $mutable for $guard<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                &mut self.guard
            }
        })?

        impl<'a, T: ?Sized> $guard<'a, T> {
            fn taken(lock: &'a $lock<T>, guard: $inner<'a, T>, place: Place) -> Self {
                Self { _held: Held::of(Resource::$resource(lock), probe::current(), place), guard }
            }
        }

        #[doc = concat!("[`", stringify!($lock), "::", stringify!($wait), "`], which tells who waits and who holds it.")]
        #[track_caller]
        pub fn $traced<T: ?Sized>(lock: &$lock<T>) -> impl Future<Output = $guard<'_, T>> {
            let place = Location::caller();
            async move {
                if let Ok(guard) = lock.$try() {
                    return $guard::taken(lock, guard, place);
                }
                match wait_for(Resource::$resource(lock), place, lock.$wait(), |_| true).await {
                    (guard, Some(held)) => $guard { _held: held, guard },
                    (guard, None) => $guard::taken(lock, guard, place),
                }
            }
        }

        #[doc = concat!("[`", stringify!($lock), "::", stringify!($try), "`], which tells who holds it.")]
        #[track_caller]
        pub fn $traced_try<T: ?Sized>(lock: &$lock<T>) -> Result<$guard<'_, T>, TryLockError> {
            let place = Location::caller();
            lock.$try().map(|guard| $guard::taken(lock, guard, place))
        }

        #[doc = concat!("[`", stringify!($lock), "::", stringify!($blocking), "`], which tells that the thread waits.")]
        #[track_caller]
        pub fn $traced_blocking<T: ?Sized>(lock: &$lock<T>) -> $guard<'_, T> {
            let place = Location::caller();
            if let Ok(guard) = lock.$try() {
                return $guard::taken(lock, guard, place);
            }
            let guard = block_for(Resource::$resource(lock), place, || lock.$blocking());
            $guard::taken(lock, guard, place)
        }
    };
}

/// Runs `wait`, during which the thread waits for the resource with all that runs on the thread.
fn block_for<R>(resource: Resource, place: Place, wait: impl FnOnce() -> R) -> R {
    if !probe::is_attached() {
        return wait();
    }
    let site = probe::site_of(place, None);
    probe::block(resource.handle(), -1, site);
    let result = wait();
    probe::block_done(site);
    result
}

lock! {
    TracedMutexGuard of MutexGuard, and of DerefMut, from Mutex, a lock;
    traced_lock = lock, traced_try_lock = try_lock, traced_blocking_lock = blocking_lock
}

lock! {
    TracedReadGuard of RwLockReadGuard from RwLock, a semaphore;
    traced_read = read, traced_try_read = try_read, traced_blocking_read = blocking_read
}

lock! {
    TracedWriteGuard of RwLockWriteGuard, and of DerefMut, from RwLock, a semaphore;
    traced_write = write, traced_try_write = try_write, traced_blocking_write = blocking_write
}

/// A semaphore's permit that records when it is given back.
#[derive(Debug)]
pub struct TracedPermit<'a> {
    // Dropped in this order: the release is recorded before another task can have the permit.
    _held: Held,
    _permit: SemaphorePermit<'a>,
}

/// `semaphore.acquire()`, which records who waits and who has a permit.
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

/// `semaphore.try_acquire()`, which records who has a permit.
#[track_caller]
pub fn traced_try_acquire(semaphore: &Semaphore) -> Result<TracedPermit<'_>, TryAcquireError> {
    let place = Location::caller();
    let permit = semaphore.try_acquire()?;
    Ok(TracedPermit { _held: Held::of(Resource::semaphore(semaphore), probe::current(), place), _permit: permit })
}
