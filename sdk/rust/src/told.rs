// SPDX-License-Identifier: MIT
//! What a future records around a poll, and what the futures inside of it record meanwhile.
//!
//! The straight path is for a task that waits for nothing that was recorded. This path is inline and short; the other
//! cases are in functions of their own.
#![allow(unsafe_code)]

use std::cell::Cell as Word;
use std::panic::Location;
use std::sync::Arc;
use std::task::{Poll, Waker};

use crate::probe::{self, point, resource};
use crate::waker::{Cell, Rest, Target};
use crate::worker::{self, FIRST_TASK};

thread_local! {
    /// The innermost traced future that this thread polls.
    static TOP: Word<*const Frame<'static>> = const { Word::new(std::ptr::null()) };
    /// What the task waits for that this thread polls, and that the runtime's hooks record.
    static TASK: Waits = const { Waits::new() };
}

/// What a future waits for, as the futures inside of it record during a poll.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wait {
    pub(crate) resource: u64,
    pub(crate) site: u32,
    /// CLOCK_MONOTONIC in nanoseconds; 0: none.
    pub(crate) deadline: u64,
}

/// The waits that are recorded during one poll.
pub(crate) struct Waits {
    nr: Word<u32>,
    first: Word<Wait>,
}

impl Waits {
    const fn new() -> Self {
        Self { nr: Word::new(0), first: Word::new(Wait { resource: 0, site: 0, deadline: 0 }) }
    }

    /// Records a wait of what is polled.
    pub(crate) fn note(&self, wait: Wait) {
        if self.nr.get() == 0 {
            self.first.set(wait);
        }
        self.nr.set(self.nr.get() + 1);
    }

    /// Returns how many waits have been recorded so far.
    pub(crate) fn nr(&self) -> u32 {
        self.nr.get()
    }

    /// Records a wait of what is polled. The wait lies around the waits that were recorded after the first
    /// `nr_before`. If the outer wait is a timer, a child inside stays the resource of the wait, and the timer only
    /// ends the wait; otherwise the outer wait replaces the inner wait.
    pub(crate) fn note_around(&self, wait: Wait, nr_before: u32) {
        if nr_before != 0 || self.nr.get() != 1 {
            return self.note(wait);
        }
        let inside = self.first.get();
        let is_timer = wait.resource >> 56 == u64::from(resource::TIMER);
        let deadline = match (inside.deadline, wait.deadline) {
            (0, only) | (only, 0) => only,
            (one, other) => one.min(other),
        };
        self.first.set(Wait { deadline, ..if is_timer { inside } else { wait } });
    }

    /// Forgets the waits that were recorded after the first `nr_before`: they are over.
    pub(crate) fn forget(&self, nr_before: u32) {
        self.nr.set(nr_before);
    }

    /// Returns what is waited for, if anything was recorded, and whether something else may end the wait, too.
    pub(crate) fn all(&self) -> Option<(Wait, bool)> {
        match self.nr.get() {
            0 => None,
            nr => Some((self.first.get(), nr != 1)),
        }
    }
}

/// Calls `look` with the waits of the task that this thread polls, if the runtime's hooks record the task and no traced
/// future lies between.
pub(crate) fn with_task<R>(look: impl FnOnce(Option<&Waits>) -> R) -> R {
    match worker::present_task() {
        0 => look(None),
        _ => TASK.with(|waits| look(Some(waits))),
    }
}

/// One poll of a traced future, on the stack of the thread that polls.
pub(crate) struct Frame<'a> {
    cell: &'a Arc<Cell>,
    target: &'a Target,
    pub(crate) coro: u64,
    before: *const Frame<'static>,
    current_before: u64,
    pub(crate) waits: Waits,
    /// The poll has ended normally, not by a panic.
    is_polled: Word<bool>,
}

impl<'a> Frame<'a> {
    #[inline]
    pub(crate) fn new(coro: u64, cell: &'a Arc<Cell>) -> Self {
        Self {
            cell,
            target: cell.target(),
            coro,
            before: TOP.with(Word::get),
            current_before: probe::current_attached(),
            waits: Waits::new(),
            is_polled: Word::new(false),
        }
    }

    /// # Safety
    /// The frame must not move until it is dropped.
    #[inline]
    pub(crate) unsafe fn enter(&self) {
        TOP.with(|top| top.set((self as *const Frame<'_>).cast()));
    }

    /// Returns whether the waker is that of a recorded wait of the future that is polled.
    pub(crate) fn is_waited_with(&self, waker: &Waker) -> bool {
        self.cell.wait().will_wake(waker)
    }

    /// Returns the waker for a recorded wait, if `waker` is the waker with which the future was polled.
    pub(crate) fn waker_for_wait(&self, waker: &Waker) -> Option<crate::waker::Borrowed<'_>> {
        self.cell.plain().will_wake(waker).then(|| self.cell.wait())
    }
}

impl Frame<'_> {
    /// Records that a panic ends the poll, and the future with it.
    #[cold]
    fn tell_failed(&self) {
        self.target.finish();
        probe::return_failed(self.coro, 0);
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        if !self.is_polled.get() {
            self.tell_failed();
        }
        TOP.with(|top| top.set(self.before));
        probe::current_set(self.current_before);
    }
}

/// Calls `look` with the innermost traced future that this thread polls, if there is one.
pub(crate) fn with_top<R>(look: impl FnOnce(Option<&Frame<'_>>) -> R) -> R {
    let top = TOP.with(Word::get);
    // SAFETY: a frame removes itself in its drop, also if a poll panics. The pointer therefore refers to a living
    // frame, on this thread's own stack.
    look(unsafe { top.as_ref() })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Unseen,
    Running,
    Suspended,
    Done,
}

/// What has been recorded of a future: its identity, and how far it has come.
pub(crate) struct Told {
    pub(crate) coro: u64,
    place: &'static Location<'static>,
    name: Option<&'static str>,
    /// The number of the place, which no other place of this process has; 0: not asked for yet.
    site: u32,
    /// The future that polls this future; 0: an executor polls it.
    pub(crate) parent: u64,
    pub(crate) phase: Phase,
    /// The point at which the future was suspended last.
    pub(crate) point: u8,
}

impl Told {
    pub(crate) fn new(place: &'static Location<'static>, name: Option<&'static str>) -> Self {
        Self { coro: 0, place, name, site: 0, parent: 0, phase: Phase::Unseen, point: point::INITIAL }
    }

    #[cold]
    pub(crate) fn begin(&mut self) {
        self.coro = probe::coro_new();
        let site = self.site();
        probe::create(self.coro, 0, site);
    }

    #[cold]
    #[inline(never)]
    fn ask_site(&mut self) {
        self.site = probe::site_of(self.place, self.name);
    }

    #[inline(always)]
    pub(crate) fn site(&mut self) -> u32 {
        if self.site == 0 {
            self.ask_site();
        }
        self.site
    }

    /// Records that the future is polled, in this frame.
    #[inline(always)]
    pub(crate) fn tell_resumed(&mut self, pass: u32, frame: &Frame<'_>) {
        frame.target.run();
        probe::resume_in(pass, self.coro, self.point);
        self.phase = Phase::Running;
    }

    /// Records the result of a poll.
    #[inline(always)]
    pub(crate) fn tell_polled<T>(&mut self, polled: &Poll<T>, frame: &Frame<'_>) {
        frame.is_polled.set(true);
        if polled.is_ready() {
            self.tell_ready(frame);
        } else if self.parent != 0 || frame.waits.nr() != 0 || worker::is_yielding(self.coro) {
            self.tell_pending(frame);
        } else {
            self.tell_idle(frame);
        }
    }

    #[inline(never)]
    fn tell_ready(&mut self, frame: &Frame<'_>) {
        frame.target.finish();
        probe::return_(self.coro);
        // A child that was ready at its first poll was never awaited.
        if self.parent != 0 && self.point != point::INITIAL {
            probe::await_done(self.parent, self.coro);
        }
        self.phase = Phase::Done;
    }

    /// Records that the future waits for something of which nothing was recorded.
    #[inline(always)]
    fn tell_idle(&mut self, frame: &Frame<'_>) {
        let target = frame.target;
        let point = if target.is_woken_by_itself() { point::YIELD } else { point::AWAIT };
        let site = self.site();
        probe::suspend(self.coro, 0, site, point);
        if target.rest(false) == Rest::Woken {
            probe::enqueue(self.coro, probe::handle(resource::QUEUE, 0));
        }
        self.note_suspended(point);
        self.note_in_task(frame);
    }

    #[inline(never)]
    fn tell_pending(&mut self, frame: &Frame<'_>) {
        let target = frame.target;
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
        self.note_in(frame);
    }

    /// The wait of whatever polls this future, for this future's end. A time at which this future's own wait ends is
    /// also the end of that wait, unless something else is waited for beside it.
    fn wait_for_this(&mut self, frame: &Frame<'_>) -> Wait {
        let deadline = match frame.waits.all() {
            Some((wait, false)) => wait.deadline,
            _ => 0,
        };
        Wait { resource: probe::handle(resource::COROUTINE, self.coro), site: self.site(), deadline }
    }

    /// Records, if another future or a recorded task polls this future, that it waits for this future.
    fn note_in(&mut self, frame: &Frame<'_>) {
        if self.parent == 0 {
            return self.note_in_task(frame);
        }
        let wait = self.wait_for_this(frame);
        // SAFETY: the frame of the future around lives as long as this poll, on this thread's stack.
        if let Some(outer) = unsafe { frame.before.as_ref() } {
            outer.waits.note(wait);
        }
    }

    /// Records, if this future is polled straight by a task that its runtime's hooks record, that the task waits for
    /// this future.
    #[inline(always)]
    fn note_in_task(&mut self, frame: &Frame<'_>) {
        if frame.current_before >= FIRST_TASK {
            let wait = self.wait_for_this(frame);
            TASK.with(|waits| waits.note(wait));
        }
    }

    #[inline]
    pub(crate) fn note_suspended(&mut self, point: u8) {
        self.phase = Phase::Suspended;
        self.point = point;
    }

    /// Writes the suspension: for the recorded wait, or for something that is not known.
    fn suspend(&mut self, frame: &Frame<'_>, point: u8, has_others: bool) {
        match frame.waits.all() {
            None => {
                let site = self.site();
                probe::suspend(self.coro, 0, site, point);
            }
            Some((wait, false)) if wait.deadline != 0 => {
                probe::suspend_until(self.coro, wait.resource, wait.site, point, wait.deadline);
            }
            Some((wait, false)) if !has_others => probe::suspend(self.coro, wait.resource, wait.site, point),
            Some((wait, _)) => probe::suspend_for_more(self.coro, wait.resource, wait.site, point),
        }
    }
}
