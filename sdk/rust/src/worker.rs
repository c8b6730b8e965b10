// SPDX-License-Identifier: MIT
//! What the calling thread is: whether its wakes go into a slot that no other thread may take from, and which future it
//! polls.

use std::cell::Cell as Word;

use crate::probe::{self, resource};

thread_local! {
    /// The queue in which what this thread wakes can be taken by itself alone; 0: there is none.
    static SLOT: Word<u64> = const { Word::new(0) };
    /// What lies in it.
    static IN_SLOT: Word<u64> = const { Word::new(0) };
    /// The future that is about to yield; 0: none.
    static YIELDS: Word<u64> = const { Word::new(0) };
}

/// This thread has such a slot from here on: a worker of a runtime that runs what a task has woken next, and lets no
/// other worker have it.
#[cfg(feature = "tokio")]
pub(crate) fn slot_open() {
    SLOT.with(|slot| slot.set(probe::handle(resource::QUEUE, probe::task_new())));
}

/// The future that this thread polls is about to yield: its wake waits in this thread alone.
#[cfg(feature = "tokio")]
pub(crate) fn yield_begin() {
    YIELDS.with(|yields| yields.set(probe::current()));
}

/// Whether the future that has just been polled said that it yields.
#[inline]
pub(crate) fn is_yielding(coro: u64) -> bool {
    YIELDS.with(Word::get) == coro
}

/// Whether the future that has just been polled only yields, and this thread alone can let it go on: the queue where it
/// waits for that.
#[inline]
pub(crate) fn take_yield(coro: u64) -> Option<u64> {
    let is_yield = YIELDS.with(|yields| yields.get() == coro && yields.replace(0) != 0);
    let queue = SLOT.with(Word::get);
    (is_yield && queue != 0).then_some(queue)
}

/// A future was woken by the one that this thread polls. What lay in the slot before goes where others may take it.
pub(crate) fn tell_slot(coro: u64, waker: u64) {
    let queue = SLOT.with(Word::get);
    if queue == 0 || coro == waker {
        return;
    }
    let before = IN_SLOT.with(|slot| slot.replace(coro));
    if before != 0 && before != coro {
        probe::enqueue(before, probe::handle(resource::QUEUE, 0));
    }
    probe::enqueue_private(coro, queue);
}

/// The future is polled: it is in no slot any more.
#[inline]
pub(crate) fn slot_take(coro: u64) {
    IN_SLOT.with(|slot| {
        if slot.get() == coro {
            slot.set(0);
        }
    });
}
