// SPDX-License-Identifier: MIT
//! Futures that tell where they wait, who woke them, and when they ran.
//!
//! Of each poll, the resumption is written before the inner future is polled, and the suspension after it: a future that
//! is woken meanwhile is polled again by its executor, and cannot be before `poll` has returned.
#![allow(unsafe_code)]

use std::cell::Cell as Word;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::probe::{self, life, point, resource};
use crate::waker::{Cell, Rest};
use crate::worker;

thread_local! {
    /// The innermost traced future that this thread polls.
    static TOP: Word<*const Frame<'static>> = const { Word::new(std::ptr::null()) };
}

/// What a future waits for, as those inside of it tell during a poll.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wait {
    pub(crate) resource: u64,
    pub(crate) site: u32,
    /// CLOCK_MONOTONIC in nanoseconds; 0: none.
    pub(crate) deadline: u64,
}

/// One poll of a traced future, on the stack of the thread that polls.
pub(crate) struct Frame<'a> {
    cell: &'a Arc<Cell>,
    coro: u64,
    before: *const Frame<'static>,
    current_before: u64,
    nr_waits: Word<u32>,
    wait: Word<Wait>,
}

impl Frame<'_> {
    /// # Safety
    /// The frame stays where it is until it is dropped.
    unsafe fn enter(&self) {
        TOP.with(|top| top.set((self as *const Frame<'_>).cast()));
    }

    /// Tells a wait of the future that is polled.
    pub(crate) fn note(&self, wait: Wait) {
        if self.nr_waits.get() == 0 {
            self.wait.set(wait);
        }
        self.nr_waits.set(self.nr_waits.get() + 1);
    }

    /// The waker for a wait that is told, where `waker` is the one that the future was polled with.
    pub(crate) fn waker_for_wait(&self, waker: &Waker) -> Option<crate::waker::Borrowed<'_>> {
        self.cell.plain().will_wake(waker).then(|| self.cell.wait())
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        TOP.with(|top| top.set(self.before));
        probe::current_set(self.current_before);
    }
}

/// Calls `look` with the innermost traced future that this thread polls, if there is one.
pub(crate) fn with_top<R>(look: impl FnOnce(Option<&Frame<'_>>) -> R) -> R {
    let top = TOP.with(Word::get);
    // SAFETY: a frame takes itself out before it ends (its drop), also where a poll panics; so the pointer is to one
    // that lives, on this thread's own stack.
    look(unsafe { top.as_ref() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Unseen,
    Running,
    Suspended,
    Done,
}

/// The probe of one future, for executors and combinators that own their poll loop. [`TracedFuture`] is made of it.
pub struct PollTrace {
    coro: u64,
    place: &'static Location<'static>,
    name: Option<&'static str>,
    /// The place's number, which is never another one's in this process; 0: not asked for yet.
    site: u32,
    cell: Option<Arc<Cell>>,
    parent: u64,
    grant: u64,
    phase: Phase,
    point: u8,
}

impl PollTrace {
    /// A probe whose future was made at the caller's place.
    #[track_caller]
    pub fn new() -> Self {
        Self::at(Location::caller(), None)
    }

    pub(crate) fn at(place: &'static Location<'static>, name: Option<&'static str>) -> Self {
        let mut trace = Self {
            coro: 0,
            place,
            name,
            site: 0,
            cell: None,
            parent: 0,
            grant: 0,
            phase: Phase::Unseen,
            point: point::INITIAL,
        };
        if probe::is_attached() {
            trace.begin();
        }
        trace
    }

    /// What the future is handed by the one that wakes it.
    #[cfg(feature = "tokio")]
    pub(crate) fn granting(mut self, resource: u64) -> Self {
        self.grant = resource;
        self
    }

    #[cold]
    fn begin(&mut self) {
        self.coro = probe::coro_new();
        let site = self.site();
        probe::create(self.coro, 0, site);
    }

    /// The number by which reports name the future, for the program's own log; 0 while it has none.
    pub fn id(&self) -> u64 {
        self.coro
    }

    /// Whether events of this future are recorded.
    pub fn is_enabled(&self) -> bool {
        self.coro != 0 && probe::is_attached()
    }

    #[inline]
    fn site(&mut self) -> u32 {
        if self.site == 0 {
            self.site = probe::site_of(self.place, self.name);
        }
        self.site
    }

    /// The future is polled, on this thread.
    pub fn on_resume(&mut self) {
        if self.coro == 0 && probe::is_attached() {
            self.begin();
        }
        if self.phase != Phase::Running && self.phase != Phase::Done {
            probe::resume(self.coro, self.point);
            self.phase = Phase::Running;
        }
    }

    /// The poll has ended without a result.
    pub fn on_pending<F>(&mut self, _future: Pin<&mut F>) {
        self.on_pending_addr(0);
    }

    /// [`PollTrace::on_pending`], of a future whose frame lies at this address. The address is not needed any more: ids
    /// tell futures apart.
    pub fn on_pending_addr(&mut self, _address: u64) {
        if self.phase == Phase::Done {
            return;
        }
        self.on_resume();
        let site = self.site();
        probe::suspend(self.coro, 0, site, point::AWAIT);
        self.note_suspended(point::AWAIT);
    }

    /// The poll has ended with the result.
    pub fn on_ready(&mut self) {
        if self.phase == Phase::Done {
            return;
        }
        self.phase = Phase::Done;
        probe::return_(self.coro);
    }

    /// The future is not polled any more.
    pub fn mark_dead(&mut self) {
        if self.coro != 0 && probe::is_attached() {
            self.tell_end();
        }
        self.coro = 0;
        self.phase = Phase::Done;
    }

    fn note_suspended(&mut self, point: u8) {
        self.phase = Phase::Suspended;
        self.point = point;
    }

    fn tell_end(&mut self) {
        if let Some(cell) = &self.cell {
            cell.target().finish();
        }
        self.give_back();
        let told = match self.phase {
            Phase::Unseen => life::UNSEEN,
            Phase::Suspended => life::SUSPENDED,
            Phase::Running | Phase::Done => life::DONE,
        };
        probe::destroy(self.coro, told);
    }

    /// What it was handed and never took goes back: what it waits with does so when it is dropped.
    fn give_back(&self) {
        if !self.take_grant() {
            return;
        }
        if self.grant >> 56 != u64::from(resource::LOCK) {
            probe::acquire(self.coro, self.grant, 0);
        }
        probe::release(self.coro, self.grant, 0);
    }

    /// Whether a wake has handed over what it waits for, and nobody has taken that yet.
    pub(crate) fn take_grant(&self) -> bool {
        self.cell.as_ref().map_or(false, |cell| cell.target().take_grant())
    }

    /// The cell for a poll with this waker. A child's wakes go to the future around it, as a wait that is told.
    #[inline]
    fn cell_for(&mut self, waker: &Waker, outer: Option<&Frame<'_>>) -> Arc<Cell> {
        let around = outer.and_then(|frame| frame.waker_for_wait(waker));
        let wanted: &Waker = around.as_deref().unwrap_or(waker);
        self.parent = if around.is_some() { outer.map_or(0, |frame| frame.coro) } else { 0 };
        match self.cell.take() {
            Some(cell) if cell.is_for(wanted) => cell,
            Some(cell) => Cell::with_waker(&cell, wanted.clone()),
            None => Cell::new(self.coro, self.grant, around.is_none(), wanted.clone()),
        }
    }

    /// Polls with all that has to be told around it.
    #[inline]
    fn poll<T>(&mut self, context: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        if self.coro == 0 {
            self.begin();
        }
        with_top(|outer| {
            let cell = self.cell_for(context.waker(), outer);
            let frame = Frame {
                coro: self.coro,
                before: TOP.with(Word::get),
                current_before: probe::current(),
                nr_waits: Word::new(0),
                wait: Word::default(),
                cell: &cell,
            };
            worker::slot_take(self.coro);
            frame.cell.target().run();
            probe::resume(self.coro, self.point);
            self.phase = Phase::Running;
            // SAFETY: the frame is not moved before this function ends.
            unsafe { frame.enter() };
            let polled = poll(&mut Context::from_waker(&frame.cell.plain()));
            match polled {
                Poll::Ready(_) => self.tell_ready(&frame),
                Poll::Pending => self.tell_pending(&frame, outer),
            }
            drop(frame);
            self.cell = Some(cell);
            polled
        })
    }

    fn tell_ready(&mut self, frame: &Frame<'_>) {
        frame.cell.target().finish();
        probe::return_(self.coro);
        if self.parent != 0 {
            probe::await_done(self.parent, self.coro);
        }
        self.phase = Phase::Done;
    }

    #[inline]
    fn tell_pending(&mut self, frame: &Frame<'_>, outer: Option<&Frame<'_>>) {
        let target = frame.cell.target();
        let yields_to = worker::take_yield(self.coro).filter(|_| self.parent == 0);
        let is_yield = yields_to.is_some() || target.is_woken_by_itself();
        let point = if is_yield { point::YIELD } else { point::AWAIT };
        let is_first = self.phase == Phase::Running && self.point == point::INITIAL;
        if self.parent != 0 && is_first {
            let site = self.site();
            probe::await_(self.parent, self.coro, site);
        }
        self.suspend(frame, point, target.has_plain_clones());
        if let Some(queue) = yields_to {
            probe::enqueue_private(self.coro, queue);
        }
        if target.rest(yields_to.is_some()) == Rest::Woken && self.parent == 0 {
            probe::enqueue(self.coro, probe::handle(resource::QUEUE, 0));
        }
        self.note_suspended(point);
        if let (Some(outer), true) = (outer, self.parent != 0) {
            let child = probe::handle(resource::COROUTINE, self.coro);
            outer.note(Wait { resource: child, site: self.site(), deadline: frame.wait.get().deadline });
        }
    }

    /// Writes the suspension: for the wait that was told, or for something.
    #[inline]
    fn suspend(&mut self, frame: &Frame<'_>, point: u8, has_others: bool) {
        let wait = frame.wait.get();
        match frame.nr_waits.get() {
            0 => {
                let site = self.site();
                probe::suspend(self.coro, 0, site, point);
            }
            1 if wait.deadline != 0 => {
                probe::suspend_until(self.coro, wait.resource, wait.site, point, wait.deadline);
            }
            1 if !has_others => probe::suspend(self.coro, wait.resource, wait.site, point),
            _ => probe::suspend_for_more(self.coro, wait.resource, wait.site, point),
        }
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

/// A future that tells what it does; made by [`TraceFutureExt::traced`]. `Send` where the inner one is.
#[must_use = "futures do nothing unless they are polled"]
pub struct TracedFuture<F> {
    // Dropped in this order: what the inner one gives back is told before its end.
    inner: F,
    trace: PollTrace,
}

impl<F> TracedFuture<F> {
    /// A future that was made at the caller's place.
    #[track_caller]
    pub fn new(inner: F) -> Self {
        Self { inner, trace: PollTrace::new() }
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn with(inner: F, trace: PollTrace) -> Self {
        Self { inner, trace }
    }

    /// Whether it was handed what it waited for, which is then taken from it; and its id.
    #[cfg(feature = "tokio")]
    pub(crate) fn grant(&self) -> (bool, u64) {
        (self.trace.take_grant(), self.trace.coro)
    }

    /// Names it, in reports, beside its place.
    pub fn named(self, name: &str) -> Self {
        if self.trace.is_enabled() {
            probe::name_coro(self.trace.coro, probe::intern(name));
        }
        self
    }

    /// It is meant to live as long as the process: it is not reported for waiting.
    pub fn daemon(self) -> Self {
        probe::daemon(self.trace.coro);
        self
    }

    /// It may wait for any length of time: it is not reported for that.
    pub fn expect_idle(self) -> Self {
        probe::expect_idle(self.trace.coro);
        self
    }

    /// The number by which reports name it; 0 while it has none.
    pub fn id(&self) -> u64 {
        self.trace.coro
    }

    /// The inner future; the traced one has come to its end.
    pub fn into_inner(self) -> F {
        self.inner
    }

    /// Its probe.
    pub fn trace_mut(&mut self) -> &mut PollTrace {
        &mut self.trace
    }
}

impl<F: Future> Future for TracedFuture<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is pinned with the whole and never moved; `trace` is not pinned by anything.
        let (inner, trace) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.inner), &mut this.trace)
        };
        if !probe::is_attached() {
            return inner.poll(context);
        }
        trace.poll(context, |context| inner.poll(context))
    }
}

/// The same as [`TraceFutureExt::traced`].
#[track_caller]
pub fn trace_future<F: Future>(future: F) -> TracedFuture<F> {
    TracedFuture::new(future)
}

/// `future.traced()`.
pub trait TraceFutureExt: Future + Sized {
    /// Tells what the future does: its creation at this place, its polls, its wakes and wakers, its end.
    ///
    /// Around a task, it tells of the task; around a future that is awaited in one, it is a child, and its place that of
    /// the await.
    #[track_caller]
    fn traced(self) -> TracedFuture<Self> {
        TracedFuture::new(self)
    }
}

impl<F: Future> TraceFutureExt for F {}
