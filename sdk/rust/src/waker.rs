// SPDX-License-Identifier: MIT
//! The waker that a traced future passes on: it records the wake, and then calls the executor's own waker.
//!
//! A [`Cell`] holds the executor's waker and the state of the future that was polled with it. Two kinds of wakers lead
//! to the same cell: a *plain* waker, with which the future is polled, and a *wait's* waker, which [`crate::on`] and a
//! traced child pass to the futures that they wrap. Clones of the plain waker are counted separately: while such a
//! clone exists, something that was not recorded may wake the future, so the recorded waits are not all of its waits.
//!
//! The state consists of counts and bits that wakers change, each with one locked instruction. The thread that polls
//! clears them by a plain store when a poll begins, and reads them after the suspension has been written. A wake that
//! this thread does not see then was written after the suspension.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::probe::{self, outcome, resource};
use crate::worker;

/// The future is not polled any more.
const DONE: u64 = 1;
/// The future yielded, and was recorded as ready: the wake that follows is not recorded.
const YIELDED: u64 = 2;
/// The bits above count how often the future was woken since its last poll began: by others, and by itself while it was
/// polled. The wakes are counted because an addition is one locked instruction that returns the previous value, whereas
/// setting a bit would take a loop.
const BY_OTHERS: u64 = 1 << 2;
const BY_ITSELF: u64 = 1 << 32;
const ANY_BY_OTHERS: u64 = BY_ITSELF - BY_OTHERS;
const ANY_BY_ITSELF: u64 = !(BY_ITSELF - 1);

const ONE_WAIT: u64 = 1;
const ONE_PLAIN: u64 = 1 << 32 | 1;

/// The result of a poll that ended without a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// The future was not woken during the poll.
    Idle,
    /// Another party woke the future during the poll: its executor polls it again.
    Woken,
    /// The future woke itself: it only yielded.
    Yielded,
}

/// The state of a future, shared by all wakers with which it is polled.
pub(crate) struct Target {
    coro: u64,
    /// The resource (a handle) that a wake hands over to the future; 0: none.
    grant: u64,
    /// A root is polled by an executor, to which the wakes go; a child is polled by the future around it.
    is_root: bool,
    state: AtomicU64,
    /// Written by the thread that polls, and read by the thread that drops the last waker.
    is_suspended: AtomicBool,
    /// Whether it was recorded that the grant has been handed over.
    is_granted: AtomicBool,
    /// Whether a waker was cloned since its last poll began.
    has_taken: AtomicBool,
    /// The worker's slot in which the future lies; 0: none.
    slot: AtomicU32,
    /// The number of clones of the wakers: the plain clones in the upper half, all clones in the lower half.
    clones: AtomicU64,
}

pub(crate) struct Cell {
    /// The cell that holds the target, in cells made after the first one.
    first: Option<Arc<Cell>>,
    target: Target,
    inner: Waker,
}

impl Target {
    fn new(coro: u64, grant: u64, is_root: bool) -> Self {
        Self {
            coro,
            grant,
            is_root,
            state: AtomicU64::new(0),
            is_suspended: AtomicBool::new(false),
            is_granted: AtomicBool::new(false),
            has_taken: AtomicBool::new(false),
            slot: AtomicU32::new(0),
            clones: AtomicU64::new(0),
        }
    }

    /// Returns the outcome of a wake; None: the future was recorded as ready before.
    #[inline]
    fn notify(&self, wake: u64) -> Option<u8> {
        match self.state.fetch_add(wake, Ordering::AcqRel) {
            0 => Some(outcome::QUEUED),
            YIELDED => None,
            state if state & DONE != 0 => Some(outcome::NO_TARGET),
            _ => Some(outcome::ALREADY_QUEUED),
        }
    }

    #[inline]
    fn tell_wake(&self) {
        let waker = probe::current();
        if waker != self.coro || !self.is_root {
            self.tell_wake_by(waker);
        } else if let Some(told) = self.notify(BY_ITSELF) {
            probe::wake_itself(waker, told);
        }
    }

    #[inline(never)]
    fn tell_wake_by(&self, waker: u64) {
        let told = match self.notify(if waker == self.coro { BY_ITSELF } else { BY_OTHERS }) {
            Some(told) if probe::is_attached() => told,
            _ => return,
        };
        let is_queued = told == outcome::QUEUED;
        if self.is_root {
            probe::wake(waker, probe::handle(resource::COROUTINE, self.coro), 0, told);
            // If the future is being polled, the worker that polls it queues it again.
            if is_queued && waker != 0 && self.is_suspended.load(Ordering::Acquire) {
                self.lie_in_slot(worker::tell_slot(self.coro, waker));
            }
        } else if self.grant != 0 && is_queued {
            self.is_granted.store(true, Ordering::Release);
            probe::hand_over(waker, self.grant, self.coro, 0);
        } else if is_queued {
            // The future around the child is woken next, and recorded as woken.
            probe::wake(waker, probe::handle(resource::COROUTINE, self.coro), 0, outcome::PASSED_ON);
        }
    }

    /// The future lies in this slot from here on, unless it has come to its end meanwhile.
    fn lie_in_slot(&self, number: u32) {
        self.slot.store(number, Ordering::SeqCst);
        if self.state.load(Ordering::SeqCst) & DONE != 0 {
            self.leave_slot();
        }
    }

    #[inline]
    fn leave_slot(&self) {
        let number = self.slot.load(Ordering::SeqCst);
        if number != 0 {
            self.slot.store(0, Ordering::Relaxed);
            worker::slot_leave(number, self.coro);
        }
    }

    /// The last waker is gone, and the future waits: nothing can wake the future any more.
    fn tell_forgotten(&self) {
        let is_waiting = self.is_suspended.load(Ordering::Acquire) && self.state.load(Ordering::Acquire) == 0;
        if self.is_root && is_waiting && probe::is_attached() {
            let target = probe::handle(resource::COROUTINE, self.coro);
            probe::wake(probe::current(), target, 0, outcome::DROPPED);
        }
    }

    /// Records that the future was polled, and kept no waker.
    #[cold]
    fn tell_no_waker(&self) {
        if self.is_root && probe::is_attached() {
            probe::tell_no_waker(self.coro, self.has_taken.load(Ordering::Relaxed));
        }
    }

    /// The future is polled from here on.
    #[inline]
    pub(crate) fn run(&self) {
        self.leave_slot();
        self.is_suspended.store(false, Ordering::Relaxed);
        self.has_taken.store(false, Ordering::Relaxed);
        self.state.store(0, Ordering::Release);
    }

    /// Returns whether the future has woken itself since its poll began.
    #[inline]
    pub(crate) fn is_woken_by_itself(&self) -> bool {
        self.state.load(Ordering::Relaxed) & ANY_BY_ITSELF != 0
    }

    /// The future waits from here on, unless it was woken; if it yields (`is_yield`), it was recorded as ready. Call
    /// this after the suspension has been written.
    #[inline]
    pub(crate) fn rest(&self, is_yield: bool) -> Rest {
        if is_yield {
            self.state.fetch_or(YIELDED, Ordering::AcqRel);
        }
        self.is_suspended.store(true, Ordering::Release);
        match self.state.load(Ordering::Acquire) {
            state if state & ANY_BY_ITSELF != 0 => Rest::Yielded,
            state if state & ANY_BY_OTHERS != 0 => Rest::Woken,
            _ => {
                if self.clones.load(Ordering::Relaxed) == 0 && !is_yield {
                    self.tell_no_waker();
                }
                Rest::Idle
            }
        }
    }

    /// The future is not polled any more.
    pub(crate) fn finish(&self) {
        self.state.store(DONE, Ordering::SeqCst);
        self.leave_slot();
    }

    /// Returns whether a wake has handed over the grant since the last call.
    pub(crate) fn take_grant(&self) -> bool {
        self.is_granted.swap(false, Ordering::AcqRel)
    }

    /// Returns whether something that was not recorded may wake the future.
    pub(crate) fn has_plain_clones(&self) -> bool {
        self.clones.load(Ordering::Relaxed) >> 32 != 0
    }
}

impl Cell {
    /// Makes the first cell of a future, whose wakes are recorded from here on.
    pub(crate) fn new(coro: u64, grant: u64, is_root: bool, inner: Waker) -> Arc<Self> {
        Arc::new(Self { first: None, target: Target::new(coro, grant, is_root), inner })
    }

    /// Makes a cell for a future that is polled with another waker than before.
    pub(crate) fn with_waker(before: &Arc<Self>, inner: Waker) -> Arc<Self> {
        let first = before.first.as_ref().unwrap_or(before);
        Arc::new(Self { first: Some(Arc::clone(first)), target: Target::new(0, 0, false), inner })
    }

    #[inline]
    pub(crate) fn target(&self) -> &Target {
        match &self.first {
            Some(first) => &first.target,
            None => &self.target,
        }
    }

    /// Returns whether `waker` does the same as the waker that the cell holds.
    #[inline]
    pub(crate) fn is_for(&self, waker: &Waker) -> bool {
        self.inner.will_wake(waker)
    }

    /// Returns the waker to poll with, for as long as the cell is borrowed.
    #[inline]
    pub(crate) fn plain<'a>(self: &'a Arc<Self>) -> Borrowed<'a> {
        Borrowed::new(self, &PLAIN)
    }

    /// Returns the waker for a recorded wait.
    #[inline]
    pub(crate) fn wait<'a>(self: &'a Arc<Self>) -> Borrowed<'a> {
        Borrowed::new(self, &WAIT)
    }
}

/// A waker that does not count as a clone, because the cell is borrowed.
pub(crate) struct Borrowed<'a> {
    waker: ManuallyDrop<Waker>,
    cell: PhantomData<&'a Arc<Cell>>,
}

impl<'a> Borrowed<'a> {
    #[inline]
    fn new(cell: &'a Arc<Cell>, table: &'static RawWakerVTable) -> Self {
        // SAFETY: the table's functions take a pointer of `Arc::into_raw`, as this pointer is. The waker owns none of
        // the Arc's counts: the waker is never dropped, and does not outlive the borrow.
        let waker = unsafe { Waker::from_raw(RawWaker::new(Arc::as_ptr(cell).cast(), table)) };
        Self { waker: ManuallyDrop::new(waker), cell: PhantomData }
    }
}

impl std::ops::Deref for Borrowed<'_> {
    type Target = Waker;

    #[inline]
    fn deref(&self) -> &Waker {
        &self.waker
    }
}

static PLAIN: RawWakerVTable = RawWakerVTable::new(plain_clone, plain_wake, wake_by_ref, plain_drop);
static WAIT: RawWakerVTable = RawWakerVTable::new(wait_clone, wait_wake, wake_by_ref, wait_drop);

/// # Safety
/// `data` is a pointer of `Arc::into_raw`, and one of the Arc's counts lives during the call.
unsafe fn cell<'a>(data: *const ()) -> &'a Cell {
    unsafe { &*data.cast::<Cell>() }
}

unsafe fn clone(data: *const (), amount: u64, table: &'static RawWakerVTable) -> RawWaker {
    unsafe {
        let target = cell(data).target();
        target.clones.fetch_add(amount, Ordering::Relaxed);
        target.has_taken.store(true, Ordering::Relaxed);
        Arc::increment_strong_count(data.cast::<Cell>());
        RawWaker::new(data, table)
    }
}

unsafe fn wake_by_ref(data: *const ()) {
    unsafe {
        let cell = cell(data);
        cell.target().tell_wake();
        cell.inner.wake_by_ref();
    }
}

unsafe fn drop_clone(data: *const (), amount: u64) {
    unsafe {
        let target = cell(data).target();
        let left = target.clones.fetch_sub(amount, Ordering::AcqRel) - amount;
        if left == 0 {
            target.tell_forgotten();
        }
        Arc::decrement_strong_count(data.cast::<Cell>());
    }
}

unsafe fn plain_clone(data: *const ()) -> RawWaker {
    unsafe { clone(data, ONE_PLAIN, &PLAIN) }
}

unsafe fn wait_clone(data: *const ()) -> RawWaker {
    unsafe { clone(data, ONE_WAIT, &WAIT) }
}

unsafe fn plain_wake(data: *const ()) {
    unsafe {
        wake_by_ref(data);
        drop_clone(data, ONE_PLAIN);
    }
}

unsafe fn wait_wake(data: *const ()) {
    unsafe {
        wake_by_ref(data);
        drop_clone(data, ONE_WAIT);
    }
}

unsafe fn plain_drop(data: *const ()) {
    unsafe {
        drop_clone(data, ONE_PLAIN);
    }
}

unsafe fn wait_drop(data: *const ()) {
    unsafe {
        drop_clone(data, ONE_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Wake;

    /// Counts the calls of an executor's waker.
    #[derive(Default)]
    struct Count(AtomicU64);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn cell() -> (Arc<Count>, Arc<Cell>) {
        let count = Arc::new(Count::default());
        let cell = Cell::new(7, 0, true, Waker::from(Arc::clone(&count)));
        (count, cell)
    }

    #[test]
    fn wakes_reach_the_executor() {
        let (count, cell) = cell();
        let plain = (*cell.plain()).clone();
        let wait = (*cell.wait()).clone();
        plain.wake_by_ref();
        wait.clone().wake();
        std::thread::spawn(move || plain.wake()).join().unwrap();
        drop(wait);
        assert_eq!(count.0.load(Ordering::Relaxed), 3);
        assert_eq!(Arc::strong_count(&cell), 1);
        assert_eq!(cell.target().clones.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn clones_are_told_apart() {
        let (_, cell) = cell();
        let wait = (*cell.wait()).clone();
        assert!(!cell.target().has_plain_clones());
        let plain = (*cell.plain()).clone();
        assert!(cell.target().has_plain_clones() && !plain.will_wake(&wait));
        drop((plain, wait));
        assert!(!cell.target().has_plain_clones());
    }

    #[test]
    fn outlives_the_future() {
        let (count, cell) = cell();
        let later = Cell::with_waker(&cell, Waker::from(Arc::clone(&count)));
        let waker = (*later.plain()).clone();
        drop((cell, later));
        waker.wake();
        assert_eq!((count.0.load(Ordering::Relaxed), Arc::strong_count(&count)), (1, 1));
    }

    #[test]
    fn a_wake_has_an_outcome() {
        let (_, cell) = cell();
        let target = cell.target();
        target.run();
        assert_eq!(target.notify(BY_OTHERS), Some(outcome::QUEUED));
        assert_eq!(target.notify(BY_ITSELF), Some(outcome::ALREADY_QUEUED));
        assert!(target.rest(false) == Rest::Yielded);
        target.run();
        assert!(target.rest(true) == Rest::Idle);
        assert_eq!(target.notify(BY_OTHERS), None);
        assert_eq!(target.notify(BY_OTHERS), Some(outcome::ALREADY_QUEUED));
        assert!(target.rest(false) == Rest::Woken);
        target.finish();
        assert_eq!(target.notify(BY_OTHERS), Some(outcome::NO_TARGET));
    }
}
