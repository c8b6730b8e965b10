// SPDX-License-Identifier: MIT
//! How the chunks of a segment are shared out among its rings, and how an overwriting segment notes instants.
//!
//! A ring that is drained takes the chunks that it needs, up to the engine's budget, and uses them again. A ring that
//! overwrites takes chunks as long as there are any, and keeps them. The last eighth of the chunks is therefore
//! reserved for the first chunks of later threads. When all chunks are taken, each ring has a share: the number of
//! chunks divided by the number of rings. A ring that has more than its share offers one chunk at a time to rings that
//! have less (P10).
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

/// Returns the orders that lie in a segment: for cold functions, whose thread may still have a segment of an earlier
/// attachment.
pub fn orders_of(segment: Base) -> Base {
    // SAFETY: every segment begins with its header page and the orders' page.
    unsafe { segment.further(ORDERS_OFFSET) }
}

/// Returns a ring's description. The caller has made sure that `index` is below the segment's `ring_max`.
pub fn ring_at(segment: Base, index: u32) -> Base {
    // SAFETY: every segment has room for this many rings.
    unsafe { segment.further(RING_OFFSET + u64::from(index) * RING_STRIDE as u64) }
}

/// Takes `amount` units of what `used` counts, up to `limit`. Returns None if fewer units are left.
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

/// Returns the number of rings, limited to the number that there can be.
pub fn rings_used(segment: Base) -> u32 {
    segment.half(header::RINGS_USED).load(Ordering::Relaxed).min(PROCESS.ring_max.load(Ordering::Relaxed))
}

/// Returns how many chunks a ring may have when the rings compete for chunks.
pub fn chunk_share(thread: &Thread, segment: Base) -> u32 {
    (thread.chunk_max.get() / rings_used(segment).max(1)).max(1)
}

/// Returns whether the remaining chunks are reserved for later threads, which must be able to begin at once.
fn is_rest_reserved(thread: &Thread, segment: Base, owned: u32) -> bool {
    let used = segment.half(header::CHUNKS_USED).load(Ordering::Relaxed);
    let to_come = PROCESS.ring_max.load(Ordering::Relaxed) - rings_used(segment);
    let reserve = thread.chunk_max.get() / RESERVE_PART;
    if !is_overwriting(segment) || owned == 0 {
        return false;
    }
    used >= thread.chunk_max.get() || thread.chunk_max.get() - used <= to_come.min(reserve)
}

/// Takes a chunk that another ring has offered because it had more than its share.
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
        // The giving ring raised its floor before it offered the chunk; the fence orders our stores after that.
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

/// Notes an instant, for readers that read the segment when this machine's counter is gone (P-86). A reading that took
/// too long is dropped: another one will come.
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
