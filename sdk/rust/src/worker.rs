// SPDX-License-Identifier: MIT
//! What the probe knows of the calling thread: whether its wakes go into a slot from which no other thread may take,
//! and which future it polls.

use std::cell::Cell as Word;
#[cfg(any(test, feature = "tokio"))]
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::probe::{self, resource};

/// The number of threads that can have a slot at the same time; further threads are recorded as having none.
const SLOTS: usize = 256;

/// How many futures in a row a worker runs out of its slot. A future that the last of these futures spawns or wakes
/// goes where other workers may take it.
const IN_A_ROW: u32 = 3;

/// Ids of tasks that a runtime's hooks record begin here: above all ids that this process hands out, and below the ids
/// that another process can name.
pub(crate) const FIRST_TASK: u64 = 1 << 33;

/// Returns the task that this thread polls, if the runtime's hooks recorded that; 0: none.
pub(crate) fn present_task() -> u64 {
    let coro = probe::current();
    if coro >= FIRST_TASK {
        coro
    } else {
        0
    }
}

/// What lies in a worker's slot. The runtime may move the content to a place where other workers find it: the thread
/// that polls the future takes it out of the slot.
#[repr(align(64))]
struct Slot {
    holds: AtomicU64,
    /// How many futures in a row will have come out of the slot, including the one that lies in it.
    nr_in_a_row: AtomicU32,
    #[cfg_attr(not(any(test, feature = "tokio")), allow(dead_code))]
    is_owned: AtomicBool,
}

#[allow(clippy::declare_interior_mutable_const)] // the initial value of each element of the array
const EMPTY: Slot = Slot { holds: AtomicU64::new(0), nr_in_a_row: AtomicU32::new(0), is_owned: AtomicBool::new(false) };

static ALL: [Slot; SLOTS] = [EMPTY; SLOTS];

/// A slot's number, from 1 on, which a thread owns as long as it lives.
#[cfg(any(test, feature = "tokio"))]
struct Owned(u32);

#[cfg(any(test, feature = "tokio"))]
impl Owned {
    fn any() -> Option<Self> {
        let free = |slot: &Slot| !slot.is_owned.swap(true, Ordering::Acquire);
        let number = ALL.iter().position(free)? + 1;
        Some(Self(number as u32))
    }
}

#[cfg(any(test, feature = "tokio"))]
impl Drop for Owned {
    fn drop(&mut self) {
        QUEUE.with(|queue| queue.set(0));
        SLOT.with(|slot| slot.set(0));
        let slot = slot_of(self.0);
        slot.holds.store(0, Ordering::Relaxed);
        slot.is_owned.store(false, Ordering::Release);
    }
}

#[cfg(any(test, feature = "tokio"))]
thread_local! {
    static OWNED: RefCell<Option<Owned>> = const { RefCell::new(None) };
}

thread_local! {
    /// The queue of futures that this thread wakes and that only this thread can take; 0: none.
    static QUEUE: Word<u64> = const { Word::new(0) };
    /// The thread's slot; 0: none.
    static SLOT: Word<u32> = const { Word::new(0) };
    /// The future that this thread took out of its slot last, and how many futures in a row had then come out of the
    /// slot.
    static TAKEN: Word<(u64, u32)> = const { Word::new((0, 0)) };
    /// The future that is about to yield; 0: none.
    static YIELDS: Word<u64> = const { Word::new(0) };
}

/// This thread has a slot from here on: the thread is a worker of a runtime that runs what a task has woken next, and
/// lets no other worker take it.
#[cfg(any(test, feature = "tokio"))]
pub(crate) fn slot_open() {
    let owned = Owned::any();
    let number = owned.as_ref().map_or(0, |owned| owned.0);
    OWNED.with(|own| drop(own.replace(owned)));
    SLOT.with(|slot| slot.set(number));
    let queue = if number == 0 { 0 } else { probe::handle(resource::QUEUE, probe::task_new()) };
    QUEUE.with(|own| own.set(queue));
}

/// Records that the future that this thread polls is about to yield: its wake waits in this thread alone.
#[cfg(feature = "tokio")]
pub(crate) fn yield_begin() {
    YIELDS.with(|yields| yields.set(probe::current()));
}

/// Returns whether the future that has just been polled announced that it yields.
#[inline]
pub(crate) fn is_yielding(coro: u64) -> bool {
    YIELDS.with(Word::get) == coro
}

/// Returns the queue in which the future that has just been polled waits, if the future only yields and this thread
/// alone can resume it.
#[inline]
pub(crate) fn take_yield(coro: u64) -> Option<u64> {
    let is_yield = YIELDS.with(|yields| yields.get() == coro && yields.replace(0) != 0);
    let queue = QUEUE.with(Word::get);
    (is_yield && queue != 0).then_some(queue)
}

fn slot_of(number: u32) -> &'static Slot {
    &ALL[number as usize - 1]
}

/// Returns how many futures in a row have come out of this thread's slot, up to the future `poller`, which it polls.
fn nr_in_a_row(poller: u64) -> u32 {
    let (taken, nr) = TAKEN.with(Word::get);
    if taken == poller {
        nr
    } else {
        0
    }
}

/// Puts a future into this thread's slot, on behalf of `poller`, which the thread polls. Returns what lay in the slot
/// before (0: nothing), and the slot's number. None: there is no slot, or the slot is not used after this many futures
/// in a row.
fn put(coro: u64, poller: u64) -> Option<(u64, u32)> {
    let number = SLOT.with(Word::get);
    let nr_before = nr_in_a_row(poller);
    if number == 0 || nr_before >= IN_A_ROW {
        return None;
    }
    let slot = slot_of(number);
    slot.nr_in_a_row.store(nr_before + 1, Ordering::Relaxed);
    let before = slot.holds.swap(coro, Ordering::AcqRel);
    Some((if before == coro { 0 } else { before }, number))
}

/// Records that the future that this thread polls has woken a waiting future, or spawned a new one. The previous
/// content of the slot goes where other workers may take it. Returns the number of the slot, for [`slot_leave`]; 0: the
/// future lies in no slot.
pub(crate) fn tell_slot(coro: u64, poller: u64) -> u32 {
    if coro == poller {
        return 0;
    }
    let number = fill(coro, poller);
    if number != 0 {
        probe::enqueue_private(coro, QUEUE.with(Word::get));
    }
    number
}

/// Puts a future into the slot, and records where the previous content goes. Returns the number of the slot; 0: the
/// slot is not used.
fn fill(coro: u64, poller: u64) -> u32 {
    let (before, number) = match put(coro, poller) {
        Some(found) => found,
        None => return 0,
    };
    if before != 0 {
        probe::enqueue(before, probe::handle(resource::QUEUE, 0));
    }
    number
}

/// Records that a future was spawned on this thread, and is ready. If a future that the thread polls spawned it
/// (`spawner`; 0: none), the new future lies in the thread's slot; otherwise where every worker may take it. Returns
/// the number of the slot, for [`slot_leave`]; 0: the future lies in no slot. If nobody will record that the future
/// leaves the slot (`is_kept` is false), the future is recorded as lying where every worker may take it, and the slot
/// is left empty.
#[cfg(any(test, feature = "tokio"))]
pub(crate) fn tell_spawned(coro: u64, spawner: u64, is_kept: bool) -> u32 {
    let number = match spawner {
        0 => 0,
        _ if is_kept => tell_slot(coro, spawner),
        _ => {
            fill(0, spawner);
            0
        }
    };
    if number == 0 {
        probe::enqueue(coro, probe::handle(resource::QUEUE, 0));
    }
    number
}

/// Takes the future out of the slot if it still lies there: the future is polled, or has come to its end.
#[cold]
pub(crate) fn slot_leave(number: u32, coro: u64) {
    let slot = slot_of(number);
    let nr_in_a_row = slot.nr_in_a_row.load(Ordering::Relaxed);
    let is_left = slot.holds.compare_exchange(coro, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    if is_left && number == SLOT.with(Word::get) {
        TAKEN.with(|taken| taken.set((coro, nr_in_a_row)));
    }
}

/// Returns what this thread's slot holds.
#[cfg(test)]
pub(crate) fn slot_holds() -> u64 {
    slot_of(SLOT.with(Word::get)).holds.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_thread_polled_is_not_moved_on() {
        slot_open();
        let (before, number) = put(7, 1).unwrap();
        assert_eq!(before, 0);
        assert_eq!(put(8, 1), Some((7, number)));
        std::thread::spawn(move || slot_leave(number, 8)).join().unwrap();
        assert_eq!(put(9, 1), Some((0, number)));
        slot_leave(number, 8);
        assert_eq!(put(10, 1), Some((9, number)));
    }

    #[test]
    fn a_slot_is_used_three_times_in_a_row() {
        slot_open();
        for coro in 2..5 {
            let (_, number) = put(coro, coro - 1).unwrap();
            slot_leave(number, coro);
        }
        assert_eq!(put(5, 4), None);
        assert!(put(6, 9).is_some());
    }

    #[test]
    fn slots_are_given_back() {
        for _ in 0..SLOTS + 1 {
            let number = std::thread::spawn(|| {
                slot_open();
                put(7, 1).map(|(before, _)| before)
            });
            assert_eq!(number.join().unwrap(), Some(0));
        }
    }
}
