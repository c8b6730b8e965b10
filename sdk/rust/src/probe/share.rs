// SPDX-License-Identifier: MIT
//! The chunks of a segment, shared out among its rings; and the instants that an overwriting segment notes.
//!
//! Rings that are drained take the chunks they need, up to the engine's budget, and use them again. Rings that overwrite
//! take chunks as long as there are any, and keep them: so the last eighth is for the first chunks of threads to come,
//! and when all are taken, each ring has a share: all chunks, divided by the rings there are. A ring that has more lays
//! one chunk at a time out for those that have less (P10).
#![allow(unsafe_code)]

use std::sync::atomic::{fence, AtomicU32, Ordering};

use crate::layout::{header, instant, orders, policy, ring, FEATURE_FLIGHT, RING_CHUNKS, RING_STRIDE};
use crate::memory::Base;
use crate::probe::clock;
use crate::probe::segment::{ORDERS_OFFSET, RING_OFFSET};
use crate::probe::state::{Thread, PROCESS};
use crate::system;

const BUDGET: u32 = RING_CHUNKS - 1;
const RESERVE_PART: u32 = 8;
const INSTANT_NS: u64 = 2000;

/// The orders that stand in a segment: for cold functions, whose thread may still have one of before.
pub fn orders_of(segment: Base) -> Base {
    // SAFETY: every segment begins with its header page and the orders' page.
    unsafe { segment.further(ORDERS_OFFSET) }
}

/// A ring's description; `index` is below the segment's `ring_max`, which the caller has made sure of.
pub fn ring_at(segment: Base, index: u32) -> Base {
    // SAFETY: every segment has room for so many rings.
    unsafe { segment.further(RING_OFFSET + u64::from(index) * RING_STRIDE as u64) }
}

/// Takes `amount` of what `used` counts, up to `limit`; None where that much is not left.
pub fn hand_out(used: &AtomicU32, amount: u32, limit: u32) -> Option<u32> {
    used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |present| {
        (present <= limit && limit - present >= amount).then(|| present + amount)
    })
    .ok()
}

pub fn chunk_budget(segment: Base) -> u32 {
    match orders_of(segment).half(orders::CHUNKS_PER_RING).load(Ordering::Relaxed) {
        0 => BUDGET,
        budget => budget.min(BUDGET),
    }
}

pub fn is_overwriting(segment: Base) -> bool {
    orders_of(segment).half(orders::POLICY).load(Ordering::Relaxed) == policy::OVERWRITE_OLDEST
}

/// How many rings there are, never more than there can be.
pub fn rings_used(segment: Base) -> u32 {
    segment.half(header::RINGS_USED).load(Ordering::Relaxed).min(PROCESS.ring_max.load(Ordering::Relaxed))
}

/// How many chunks a ring may have where others would have fewer.
pub fn chunk_share(thread: &Thread, segment: Base) -> u32 {
    (thread.chunk_max.get() / rings_used(segment).max(1)).max(1)
}

/// The rest is for threads to come, which are to begin at once.
fn is_rest_reserved(thread: &Thread, segment: Base, owned: u32) -> bool {
    let used = segment.half(header::CHUNKS_USED).load(Ordering::Relaxed);
    let to_come = PROCESS.ring_max.load(Ordering::Relaxed) - rings_used(segment);
    let reserve = thread.chunk_max.get() / RESERVE_PART;
    if !is_overwriting(segment) || owned == 0 {
        return false;
    }
    used >= thread.chunk_max.get() || thread.chunk_max.get() - used <= to_come.min(reserve)
}

/// A chunk that another ring had beyond its share.
fn surplus_take(segment: Base) -> Option<u32> {
    for index in 0..rings_used(segment) {
        let surplus = ring_at(segment, index).half(ring::SURPLUS);
        if surplus.load(Ordering::Relaxed) == 0 {
            continue;
        }
        let taken = surplus.swap(0, Ordering::Acquire); // P10
        if taken == 0 {
            continue;
        }
        // The floor of the ring that gave it was raised before, and covers what we write.
        fence(Ordering::Release); // P3
        return Some(taken - 1);
    }
    None
}

pub fn chunk_find(thread: &Thread, segment: Base, owned: u32) -> Option<u32> {
    if !is_rest_reserved(thread, segment, owned) {
        let found = hand_out(segment.half(header::CHUNKS_USED), 1, thread.chunk_max.get());
        if found.is_some() {
            return found;
        }
    }
    if is_overwriting(segment) && owned < chunk_share(thread, segment) {
        return surplus_take(segment);
    }
    None
}

/// Notes an instant for those who read the segment when this machine's counter is gone (P-86). A reading that took long
/// does not count: another will come.
pub fn instant_note(segment: Base) {
    let is_flight = segment.word(header::FEATURES_COMPATIBLE).load(Ordering::Relaxed) & FEATURE_FLIGHT != 0;
    if !is_flight || segment.half(header::INSTANTS_LOCK).swap(1, Ordering::Acquire) != 0 {
        return; // P11
    }
    let monotonic = system::nanoseconds(system::CLOCK_MONOTONIC);
    let counter = clock::time(segment.half(header::CLOCK).load(Ordering::Relaxed));
    let realtime = system::nanoseconds(system::CLOCK_REALTIME);
    if system::nanoseconds(system::CLOCK_MONOTONIC) - monotonic < INSTANT_NS {
        let taken = segment.half(header::INSTANTS_TAKEN).load(Ordering::Relaxed).wrapping_add(1);
        // SAFETY: two instants lie in the header page.
        let place = unsafe { segment.inside(header::INSTANTS, taken as usize % 2 * instant::BYTES) };
        place.word(instant::COUNTER).store(counter, Ordering::Relaxed);
        place.word(instant::MONOTONIC_NS).store(monotonic, Ordering::Relaxed);
        place.word(instant::REALTIME_NS).store(realtime, Ordering::Relaxed);
        segment.half(header::INSTANTS_TAKEN).store(taken, Ordering::Release); // P11
    }
    segment.half(header::INSTANTS_LOCK).store(0, Ordering::Release); // P11
}
