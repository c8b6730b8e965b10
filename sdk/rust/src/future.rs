// SPDX-License-Identifier: MIT
//! Futures that record where they wait, who woke them, and when they ran.
//!
//! The resumption is written before the inner future is polled, and the suspension after the poll. If the future is
//! woken during the poll, its executor polls the future again, which cannot happen before `poll` has returned.
#![allow(unsafe_code)]

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::probe::{self, life, point, resource};
use crate::told::{with_top, Frame, Phase, Told};
use crate::waker::Cell;
use crate::worker;

/// The probe of one future, for executors and combinators that have their own poll loop. [`TracedFuture`] uses this
/// probe.
pub struct PollTrace {
    told: Told,
    /// The cell with the waker of the last poll.
    cell: Option<Arc<Cell>>,
    grant: u64,
    /// The worker's slot in which the future has lain since it was spawned; 0: none.
    slot: u32,
}

impl PollTrace {
    /// Makes a probe for a future that was made at the caller's place.
    #[track_caller]
    pub fn new() -> Self {
        Self::at(Location::caller(), None)
    }

    pub(crate) fn at(place: &'static Location<'static>, name: Option<&'static str>) -> Self {
        let mut trace = Self { told: Told::new(place, name), cell: None, grant: 0, slot: 0 };
        if probe::is_attached() {
            trace.told.begin();
        }
        trace
    }

    /// Sets the resource that a wake of the future hands over.
    #[cfg(feature = "tokio")]
    pub(crate) fn granting(mut self, resource: u64) -> Self {
        self.grant = resource;
        self
    }

    /// An executor is about to get the future, on this thread: the future is ready from here on.
    #[cfg(feature = "tokio")]
    pub(crate) fn tell_spawned(&mut self) {
        if self.is_enabled() {
            self.slot = worker::tell_spawned(self.told.coro, probe::current(), true);
        }
    }

    /// Takes the future out of its slot: it is polled, or has come to its end.
    fn leave_slot(&mut self) {
        if self.slot != 0 {
            worker::slot_leave(self.slot, self.told.coro);
            self.slot = 0;
        }
    }

    /// The number by which reports name the future, for the program's own log; 0 while the future has no number.
    pub fn id(&self) -> u64 {
        self.told.coro
    }

    /// Whether events of this future are recorded.
    pub fn is_enabled(&self) -> bool {
        self.told.coro != 0 && probe::is_attached()
    }

    /// The future is about to be polled, on this thread.
    pub fn on_resume(&mut self) {
        if self.told.coro == 0 && probe::is_attached() {
            self.told.begin();
        }
        if self.told.phase != Phase::Running && self.told.phase != Phase::Done {
            probe::resume(self.told.coro, self.told.point);
            self.told.phase = Phase::Running;
        }
    }

    /// The poll has ended without a result.
    pub fn on_pending<F>(&mut self, _future: Pin<&mut F>) {
        self.on_pending_addr(0);
    }

    /// Does what [`PollTrace::on_pending`] does, for a future whose frame lies at this address. The address is no
    /// longer used: ids tell futures apart.
    pub fn on_pending_addr(&mut self, _address: u64) {
        if self.told.phase == Phase::Done {
            return;
        }
        self.on_resume();
        let site = self.told.site();
        probe::suspend(self.told.coro, 0, site, point::AWAIT);
        self.told.note_suspended(point::AWAIT);
    }

    /// The poll has ended with the result.
    pub fn on_ready(&mut self) {
        if self.told.phase == Phase::Done {
            return;
        }
        self.told.phase = Phase::Done;
        probe::return_(self.told.coro);
    }

    /// A panic ended the poll, and the future with it.
    #[cfg(feature = "tokio")]
    pub(crate) fn on_panic(&mut self) {
        if self.told.phase == Phase::Running {
            self.told.phase = Phase::Done;
            probe::return_failed(self.told.coro, 0);
        }
    }

    /// The future will not be polled any more.
    pub fn mark_dead(&mut self) {
        if self.told.coro != 0 && probe::is_attached() {
            self.tell_end();
        }
        self.told.coro = 0;
        self.told.phase = Phase::Done;
    }

    fn tell_end(&mut self) {
        self.leave_slot();
        if let Some(cell) = &self.cell {
            cell.target().finish();
        }
        self.give_back();
        let told = match self.told.phase {
            Phase::Unseen => life::UNSEEN,
            Phase::Suspended => life::SUSPENDED,
            Phase::Running | Phase::Done => life::DONE,
        };
        probe::destroy(self.told.coro, told);
    }

    /// Records that the future gives back a resource that it was handed and never took. The wait for the resource
    /// really gives it back when that wait is dropped.
    fn give_back(&self) {
        if !self.take_grant() {
            return;
        }
        if self.grant >> 56 != u64::from(resource::LOCK) {
            probe::acquire(self.told.coro, self.grant, 0);
        }
        probe::release(self.told.coro, self.grant, 0);
    }

    /// Returns whether a wake has handed over the resource that the future waits for, and nobody has taken the grant
    /// yet.
    pub(crate) fn take_grant(&self) -> bool {
        self.cell.as_ref().map_or(false, |cell| cell.target().take_grant())
    }

    /// Returns whether the future has a cell, is polled by an executor (as in the last poll), and with the same waker.
    #[inline]
    fn has_cell_for(&self, waker: &Waker) -> bool {
        self.told.parent == 0 && self.cell.as_ref().map_or(false, |cell| cell.is_for(waker))
    }

    /// Makes the cell for a poll with this waker. The wakes of a child go to the future around the child, as a recorded
    /// wait of that future.
    #[inline(never)]
    fn make_cell_for(&mut self, waker: &Waker, outer: Option<&Frame<'_>>) {
        let around = outer.and_then(|frame| frame.waker_for_wait(waker));
        let wanted: &Waker = around.as_deref().unwrap_or(waker);
        // Inside of a recorded wait, the waker is the wait's own waker already.
        let is_child = around.is_some() || outer.map_or(false, |frame| frame.is_waited_with(waker));
        self.told.parent = if is_child { outer.map_or(0, |frame| frame.coro) } else { 0 };
        self.cell = Some(match self.cell.take() {
            Some(cell) if cell.is_for(wanted) => cell,
            Some(cell) => Cell::with_waker(&cell, wanted.clone()),
            None => {
                self.leave_slot();
                Cell::new(self.told.coro, self.grant, !is_child, wanted.clone())
            }
        });
    }

    /// Polls the future, and records the resumption before the poll and the result after the poll.
    #[inline]
    fn poll<T>(
        &mut self,
        pass: u32,
        context: &mut Context<'_>,
        poll: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.told.coro == 0 {
            self.told.begin();
        }
        with_top(|outer| {
            if outer.is_some() || !self.has_cell_for(context.waker()) {
                self.make_cell_for(context.waker(), outer);
            }
        });
        let cell = match &self.cell {
            Some(cell) => cell,
            None => return poll(context),
        };
        let frame = Frame::new(self.told.coro, cell);
        self.told.tell_resumed(pass, &frame);
        // SAFETY: the frame is not moved before this function ends.
        unsafe { frame.enter() };
        let polled = poll(&mut Context::from_waker(&cell.plain()));
        self.told.tell_polled(&polled, &frame);
        polled
    }
}

impl Default for PollTrace {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for PollTrace {
    fn drop(&mut self) {
        self.mark_dead();
    }
}

/// A future that records what it does; made by [`TraceFutureExt::traced`]. `Send` if the inner future is `Send`.
#[must_use = "futures do nothing unless they are polled"]
pub struct TracedFuture<F> {
    // Dropped in this order: what the inner future gives back is recorded before the future's end.
    inner: F,
    trace: PollTrace,
}

impl<F> TracedFuture<F> {
    /// Wraps a future that was made at the caller's place.
    #[track_caller]
    pub fn new(inner: F) -> Self {
        let traced = Self { inner, trace: PollTrace::new() };
        if is_never_ready::<F>() {
            return traced.expect_idle();
        }
        traced
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn with(inner: F, trace: PollTrace) -> Self {
        Self { inner, trace }
    }

    /// Returns whether the future was handed the resource that it waited for (the grant is taken by this call), and the
    /// future's id.
    #[cfg(feature = "tokio")]
    pub(crate) fn grant(&self) -> (bool, u64) {
        (self.trace.take_grant(), self.trace.told.coro)
    }

    /// Gives the future a name, which reports show beside its place.
    pub fn named(self, name: &str) -> Self {
        if self.trace.is_enabled() {
            probe::name_coro(self.trace.told.coro, probe::intern(name));
        }
        self
    }

    /// Marks the future as one that is meant to live as long as the process: its waiting is not reported.
    pub fn daemon(self) -> Self {
        probe::daemon(self.trace.told.coro);
        self
    }

    /// Marks the future as one that may wait for any length of time: its waiting is not reported.
    pub fn expect_idle(self) -> Self {
        probe::expect_idle(self.trace.told.coro);
        self
    }

    /// The number by which reports name the future; 0 while the future has no number.
    pub fn id(&self) -> u64 {
        self.trace.told.coro
    }

    /// Returns the inner future. The traced future ends here.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// The future's probe.
    pub fn trace_mut(&mut self) -> &mut PollTrace {
        &mut self.trace
    }
}

impl<F: Future> Future for TracedFuture<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned together with the whole and never moved; `trace` is not pinned.
        let (inner, trace) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.inner), &mut this.trace)
        };
        let pass = probe::present_pass();
        if pass == 0 {
            return inner.poll(context);
        }
        trace.poll(pass, context, |context| inner.poll(context))
    }
}

/// Returns whether the type itself says that the future will never be ready.
fn is_never_ready<F>() -> bool {
    std::any::type_name::<F>().starts_with("core::future::pending::Pending<")
}

/// Does the same as [`TraceFutureExt::traced`].
#[track_caller]
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}

/// Adds `future.traced()`.
pub trait TraceFutureExt: Future + Sized {
    /// Records what the future does: its creation at this place, its polls, its wakes and wakers, its end.
    ///
    /// A traced future that is spawned stands for the task. A traced future that is awaited in a task is a child of the
    /// task, and the child's place is the place of the await.
    #[track_caller]
    fn traced(self) -> TracedFuture<Self> {
        TracedFuture::new(self)
    }
}

impl<F: Future> TraceFutureExt for F {}
