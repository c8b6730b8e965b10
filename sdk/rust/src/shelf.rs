// SPDX-License-Identifier: MIT
//! Remembers in which worker's slot each new task lies, for runtimes that cannot keep a word of ours with a task. The
//! lower part of the task's id selects the shelf.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::worker;

const SHELVES: usize = 1024;

/// A shelf holds the task's id, and below the id the number of the slot; 0: the shelf is free.
const NUMBER_BITS: u32 = 16;

#[allow(clippy::declare_interior_mutable_const)] // the initial value of each element of the array
const FREE: AtomicU64 = AtomicU64::new(0);
static LIES: [AtomicU64; SHELVES] = [FREE; SHELVES];

fn shelf_of(coro: u64) -> &'static AtomicU64 {
    &LIES[coro as usize % SHELVES]
}

/// Records where a new task lies. `spawner` is the future that spawned the task and that this thread polls (0: none). A
/// task whose shelf is taken by another task is not kept track of.
pub(crate) fn tell_spawned(coro: u64, spawner: u64) {
    let shelf = shelf_of(coro);
    let is_mine = shelf.compare_exchange(0, coro << NUMBER_BITS, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    let number = worker::tell_spawned(coro, spawner, is_mine);
    if is_mine {
        shelf.store(if number == 0 { 0 } else { coro << NUMBER_BITS | u64::from(number) }, Ordering::Relaxed);
    }
}

/// Takes a task out of its slot: the task is polled, or has ended.
pub(crate) fn leave_slot(coro: u64) {
    let shelf = shelf_of(coro);
    let lies = shelf.load(Ordering::Relaxed);
    if lies >> NUMBER_BITS == coro {
        shelf.store(0, Ordering::Relaxed);
        worker::slot_leave((lies & ((1 << NUMBER_BITS) - 1)) as u32, coro);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_meet_leave_nothing_behind() {
        const FIRST: u64 = 7 << 20;
        const SECOND: u64 = FIRST + SHELVES as u64;
        worker::slot_open();
        tell_spawned(FIRST, 1);
        assert_eq!(worker::slot_holds(), FIRST);
        tell_spawned(SECOND, 1);
        assert_eq!(worker::slot_holds(), 0);
        leave_slot(SECOND);
        leave_slot(FIRST);
        tell_spawned(SECOND, 1);
        assert_eq!(worker::slot_holds(), SECOND);
        leave_slot(FIRST);
        assert_eq!(worker::slot_holds(), SECOND);
        leave_slot(SECOND);
        assert_eq!(worker::slot_holds(), 0);
    }
}
