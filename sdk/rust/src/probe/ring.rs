// SPDX-License-Identifier: MIT
//! Rings and chunks, the producer's side.
//!
//! A thread joins an attachment by claiming a ring (P4), which the thread keeps until it ends. A ring is a sequence of
//! records in chunks. Only the owner uses the ring's book-keeping:
//!
//! - `[0, reclaimed)`: chunk sequence numbers whose chunks went onto `spare`, or into use again
//! - `[reclaimed, assigned)`: in flight: being written, or waiting for the engine
//! - `head / CHUNK_RECORDS` is `assigned` where the next record needs a chunk, else one less
//!
//! Every chunk that the ring has taken is therefore either on `spare` or in flight. Because a ring takes at most
//! RING_CHUNKS - 1 chunks, no two chunks in flight share an entry of `chunk`. The book-keeping lies in memory that the
//! engine can write, too: a word read back from there is reduced or checked before it is used for an address.
#![allow(unsafe_code)]

use std::os::raw::c_void;
use std::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};

use crate::layout::{
    header, kind, loss, orders, ring, CHUNK_BYTES, CHUNK_RECORDS, ID_BLOCK, RECORD_BYTES, RING_CHUNKS,
};
use crate::memory::{Base, Half, Word};
use crate::probe::clock::time;
use crate::probe::emit::{publish, tail};
use crate::probe::segment::CHUNK_OFFSET;
use crate::probe::share::{chunk_budget, chunk_find, chunk_share, hand_out, instant_note, is_overwriting, orders_of};
use crate::probe::share::{ring_at, rings_used};
use crate::probe::state::{clock_of, gate_pass, orders_page, thread_self, Thread, BUSY_ID, PROCESS};
use crate::system::{self, Quiet};

const RETRY_PERIOD: u64 = 4096; // refusals after which the reason for refusing is checked again
const STACK_SPAN: isize = 1 << 20; // stack pointers further apart than this count as those of two stacks
const FRAME_MARGIN: isize = 512; // smaller than any signal frame with its red zone
const RECORDS: u64 = CHUNK_RECORDS as u64;

fn get(ring: Base, place: Word) -> u64 {
    ring.word(place).load(Ordering::Relaxed)
}

fn set(ring: Base, place: Word, value: u64) {
    ring.word(place).store(value, Ordering::Relaxed);
}

fn get_half(ring: Base, place: Half) -> u32 {
    ring.half(place).load(Ordering::Relaxed)
}

fn set_half(ring: Base, place: Half, value: u32) {
    ring.half(place).store(value, Ordering::Relaxed);
}

fn chunk_entry(ring: Base, sequence: u64) -> &'static AtomicU32 {
    ring.half_of(ring::CHUNK, (sequence % u64::from(RING_CHUNKS)) as u32)
}

/// Returns a chunk of a segment; `number` is below the segment's `chunk_max`.
fn chunk_at(segment: Base, number: u32) -> Base {
    // SAFETY: every segment is mapped with this many chunks from CHUNK_OFFSET on.
    unsafe { segment.further(CHUNK_OFFSET + u64::from(number) * CHUNK_BYTES as u64) }
}

/// Returns the address of the record at `position`, whose chunk has been assigned; 0 if the chunk's number is not
/// valid.
fn record_place(thread: &Thread, segment: Base, ring: Base, position: u64) -> usize {
    let number = chunk_entry(ring, position / RECORDS).load(Ordering::Relaxed);
    if number >= thread.chunk_max.get() {
        return 0;
    }
    chunk_at(segment, number).address() as usize + (position % RECORDS) as usize * RECORD_BYTES
}

/// Sets the thread's private words from what its ring has published.
fn cursor_reset(thread: &Thread, segment: Base, ring: Base) {
    let head = get(ring, ring::HEAD);
    let is_assigned = head / RECORDS < get(ring, ring::ASSIGNED);
    thread.head.set(head);
    thread.cursor.set(if is_assigned { record_place(thread, segment, ring, head) } else { 0 });
}

fn drained(ring: Base) -> u64 {
    let tail = ring.word(ring::TAIL).load(Ordering::Acquire); // P2
    tail.min(get(ring, ring::HEAD)) / RECORDS
}

/// Puts drained chunks onto the stack, so that the chunk drained last is taken first.
fn chunks_reclaim(ring: Base) {
    let drained = drained(ring);
    let mut nr_free = get_half(ring, ring::NR_FREE);
    let mut reclaimed = get(ring, ring::RECLAIMED);
    while reclaimed < drained && reclaimed < get(ring, ring::ASSIGNED) && nr_free < RING_CHUNKS {
        let number = chunk_entry(ring, reclaimed).load(Ordering::Relaxed);
        ring.half_of(ring::SPARE, nr_free).store(number, Ordering::Relaxed);
        nr_free += 1;
        reclaimed += 1;
    }
    set(ring, ring::RECLAIMED, reclaimed);
    set_half(ring, ring::NR_FREE, nr_free);
}

/// Makes the kernel find memory for a chunk now. A first touch in the middle of an event would be expensive, and would
/// end the program if there were no memory. Kernels before 5.14 do not know the advice: there the chunk is touched
/// later.
fn chunk_back(segment: Base, number: u32) -> bool {
    let place = chunk_at(segment, number).address();
    // SAFETY: the chunk is mapped; its content stays.
    unsafe {
        system::advise(place, CHUNK_BYTES as u64, system::MADV_POPULATE_WRITE) || system::errno() == system::EINVAL
    }
}

fn chunk_new(thread: &Thread, segment: Base, ring: Base) -> Option<u32> {
    let owned = get_half(ring, ring::NR_OWNED);
    if owned >= chunk_budget(segment) {
        return None;
    }
    let number = match get_half(ring, ring::UNBACKED) {
        0 => chunk_find(thread, segment, owned)?,
        unbacked => unbacked - 1,
    };
    if number >= thread.chunk_max.get() {
        return None;
    }
    // A chunk number is never given back: keep the number, and ask for its memory another time.
    set_half(ring, ring::UNBACKED, number + 1);
    if !chunk_back(segment, number) {
        return None;
    }
    set_half(ring, ring::UNBACKED, 0);
    set_half(ring, ring::NR_OWNED, owned + 1);
    Some(number)
}

/// Takes back the chunk with the oldest records in flight, and returns its number.
fn oldest_take(ring: Base) -> u32 {
    let reclaimed = get(ring, ring::RECLAIMED);
    let number = chunk_entry(ring, reclaimed).load(Ordering::Relaxed);
    set(ring, ring::RECLAIMED, reclaimed + 1);
    ring.word(ring::FLOOR).store((reclaimed + 1) * RECORDS, Ordering::Release); // P3
                                                                                // A release store holds back what came before it, not the content that follows.
    fence(Ordering::Release); // P3
    number
}

/// Gives one chunk up to other rings if this ring owns more than its share, because more threads have come. At most one
/// chunk of a ring is on offer at a time.
fn surplus_give(thread: &Thread, segment: Base, ring: Base) {
    let owned = get_half(ring, ring::NR_OWNED);
    let in_flight = get(ring, ring::ASSIGNED) - get(ring, ring::RECLAIMED);
    if owned <= chunk_share(thread, segment) || get_half(ring, ring::SURPLUS) != 0 || in_flight < 2 {
        return;
    }
    set_half(ring, ring::NR_OWNED, owned - 1);
    ring.half(ring::SURPLUS).store(oldest_take(ring) + 1, Ordering::Release); // P10
}

/// Takes a chunk as the flight recorder does: the oldest records in flight are overwritten.
fn chunk_overwrite(thread: &Thread, segment: Base, ring: Base) -> Option<u32> {
    if !is_overwriting(segment) || get(ring, ring::RECLAIMED) >= get(ring, ring::ASSIGNED) {
        return None;
    }
    surplus_give(thread, segment, ring);
    Some(oldest_take(ring))
}

fn chunk_take(thread: &Thread, segment: Base, ring: Base) -> Option<u32> {
    chunks_reclaim(ring);
    let nr_free = get_half(ring, ring::NR_FREE);
    if nr_free > 0 {
        set_half(ring, ring::NR_FREE, nr_free - 1);
        return Some(ring.half_of(ring::SPARE, (nr_free - 1) % RING_CHUNKS).load(Ordering::Relaxed));
    }
    chunk_new(thread, segment, ring).or_else(|| chunk_overwrite(thread, segment, ring))
}

/// Makes room for one record. Returns true when the cursor points to the room.
fn room_make(thread: &Thread, segment: Base, ring: Base) -> bool {
    let sequence = thread.head.get() / RECORDS;
    if sequence >= get(ring, ring::ASSIGNED) {
        match chunk_take(thread, segment, ring) {
            Some(number) if number < thread.chunk_max.get() => {
                chunk_entry(ring, sequence).store(number, Ordering::Relaxed);
            }
            _ => return false,
        }
        set(ring, ring::ASSIGNED, sequence + 1);
        instant_note(segment);
    }
    thread.cursor.set(record_place(thread, segment, ring, thread.head.get()));
    thread.cursor.get() != 0
}

fn ring_orders(segment: Base) -> u64 {
    let policy = orders_of(segment).half(orders::POLICY).load(Ordering::Relaxed);
    u64::from(policy) << 32 | u64::from(chunk_budget(segment))
}

fn give_up(ring: Base, time: u64) {
    let dropped = get(ring, ring::DROPPED);
    if dropped == get(ring, ring::DROPPED_TOLD) {
        set(ring, ring::DROPPED_FIRST, time);
    }
    set(ring, ring::DROPPED, dropped + 1);
}

/// A ring that was full is still full if the engine has drained nothing and changed no order since. This test is cheap:
/// a stalled engine should not cost its target system calls.
fn is_still_full(segment: Base, ring: Base) -> bool {
    get(ring, ring::FULL_DRAINED) == drained(ring) + 1
        && get(ring, ring::FULL_ORDERS) == ring_orders(segment)
        && get(ring, ring::DROPPED) % RETRY_PERIOD != 0
}

/// Writes a record that is not an event. Returns false if there is no room for the record.
fn put(thread: &Thread, segment: Base, ring: Base, [time, coro, object, tail]: [u64; 4]) -> bool {
    if !room_make(thread, segment, ring) {
        return false;
    }
    set(ring, ring::NR_BESIDE, get(ring, ring::NR_BESIDE) + 1);
    publish(thread, time, coro, object, tail);
    true
}

fn tell_lost(thread: &Thread, segment: Base, ring: Base, time: u64) -> bool {
    let dropped = get(ring, ring::DROPPED);
    let missing = dropped - get(ring, ring::DROPPED_TOLD);
    let lost = [time, get(ring, ring::DROPPED_FIRST), missing, tail(0, kind::LOST, loss::FULL, 0)];
    if missing == 0 {
        return true;
    }
    if !put(thread, segment, ring, lost) {
        return false;
    }
    set(ring, ring::DROPPED_TOLD, dropped);
    true
}

fn tell_start(thread: &Thread, segment: Base, ring: Base, time: u64) -> bool {
    let start = [time, 0, u64::from(thread.tid.get()), tail(0, kind::THREAD_START, 0, 0)];
    if !thread.owes_start.get() {
        return true;
    }
    if !put(thread, segment, ring, start) {
        return false;
    }
    thread.owes_start.set(false);
    true
}

/// Makes room for the event at `time`, after the records that must stand before the event: LOST and THREAD_START.
fn ring_prepare(thread: &Thread, segment: Base, ring: Base, time: u64) -> bool {
    if room_make(thread, segment, ring)
        && tell_lost(thread, segment, ring, time)
        && tell_start(thread, segment, ring, time)
        && room_make(thread, segment, ring)
    {
        set(ring, ring::FULL_DRAINED, 0);
        return true;
    }
    set(ring, ring::FULL_DRAINED, drained(ring) + 1);
    set(ring, ring::FULL_ORDERS, ring_orders(segment));
    give_up(ring, time);
    false
}

fn owner_try(ring: Base, present: u32, tid: u32) -> bool {
    let owner = ring.half(ring::OWNER);
    // P4: the last owner's writes are visible.
    owner.load(Ordering::Relaxed) == present
        && owner.compare_exchange(present, tid, Ordering::Acquire, Ordering::Relaxed).is_ok()
}

fn ring_reuse(segment: Base, tid: u32, is_owner_asked: bool) -> Option<Base> {
    (0..rings_used(segment)).map(|index| ring_at(segment, index)).find(|&ring| {
        let owner = get_half(ring, ring::OWNER);
        // A ring that has never been claimed has just been handed to another thread, which will claim it.
        if get_half(ring, ring::CLAIMS) == 0 {
            return false;
        }
        let is_free = if is_owner_asked { owner != 0 && system::is_thread_gone(owner) } else { owner == 0 };
        is_free && owner_try(ring, owner, tid)
    })
}

/// Takes one ring that was given back, if there is any. A thread that has decremented the count finds a ring.
fn ring_take_free(segment: Base, tid: u32) -> Option<Base> {
    let less_one = |present: u32| present.checked_sub(1);
    PROCESS.rings_free.fetch_update(Ordering::Acquire, Ordering::Relaxed, less_one).ok()?; // P4
    let ring = ring_reuse(segment, tid, false);
    if ring.is_none() {
        PROCESS.rings_free.fetch_add(1, Ordering::Relaxed);
    }
    ring
}

fn ring_fresh(segment: Base, tid: u32) -> Option<Base> {
    let index = hand_out(segment.half(header::RINGS_USED), 1, PROCESS.ring_max.load(Ordering::Relaxed))?;
    let ring = ring_at(segment, index);
    set_half(ring, ring::OWNER, tid);
    Some(ring)
}

/// Returns a ring for this thread: one that was given back, else a fresh one, else one whose owner is gone.
fn ring_claim(segment: Base, tid: u32) -> Option<Base> {
    // Without a thread key no thread gives its ring back: look for dead owners before taking new memory.
    let dead_first =
        || (PROCESS.thread_key.load(Ordering::Relaxed) == 0).then(|| ring_reuse(segment, tid, true)).flatten();
    ring_take_free(segment, tid)
        .or_else(dead_first)
        .or_else(|| ring_fresh(segment, tid))
        .or_else(|| ring_reuse(segment, tid, true))
}

fn count_untraced(segment: Base) {
    segment.word(header::UNTRACED_EVENTS).fetch_add(1, Ordering::Relaxed);
}

/// Returns whether the thread still has to do without a ring: no ring was left for the thread, no ring has been given
/// back since, and the next full search is not due yet.
fn is_still_ringless(thread: &Thread, segment: Base) -> bool {
    thread.ring.get().is_none()
        && PROCESS.rings_free.load(Ordering::Relaxed) == 0
        && get(segment, header::UNTRACED_EVENTS) % RETRY_PERIOD != 0
}

/// Joins the present attachment. Returns None if there is no attachment, or no ring is left (counted).
fn thread_join(thread: &Thread) -> Option<(Base, Base)> {
    let pass = gate_pass().load(Ordering::Acquire); // P8
    let segment = PROCESS.header()?;
    if pass == 0 {
        return None;
    }
    if let (true, Some(ring)) = (thread.pass.get() == pass, thread.ring.get()) {
        return Some((segment, ring));
    }
    thread.cursor.set(0);
    thread.current.set(0);
    thread.header.set(Some(segment));
    thread.chunk_max.set(PROCESS.chunk_max.load(Ordering::Relaxed));
    thread.tid.set(system::thread_id());
    thread.ring.set(ring_claim(segment, thread.tid.get()));
    thread.pass.set(pass);
    let ring = match thread.ring.get() {
        Some(ring) => ring,
        None => {
            count_untraced(segment);
            return None;
        }
    };
    thread.owes_start.set(true);
    set_half(ring, ring::CLAIMS, get_half(ring, ring::CLAIMS).wrapping_add(1));
    cursor_reset(thread, segment, ring);
    if let Some(key) = PROCESS.thread_key.load(Ordering::Relaxed).checked_sub(1) {
        system::thread_key_arm(key);
    }
    Some((segment, ring))
}

/// Refuses an event that finds no room, if that can be decided without a system call. Returns true if the event was
/// refused and counted.
fn is_refused_again(thread: &Thread, time: u64) -> bool {
    if thread.pass.get() == 0 || thread.pass.get() != gate_pass().load(Ordering::Relaxed) {
        return false;
    }
    match (thread.header.get(), thread.ring.get()) {
        (Some(segment), Some(ring)) if is_still_full(segment, ring) => {
            give_up(ring, time);
            true
        }
        (Some(segment), None) if is_still_ringless(thread, segment) => {
            count_untraced(segment);
            true
        }
        _ => false,
    }
}

/// Makes room for one record at the cursor. If the thread has no ring, or has one of an attachment that is over, a ring
/// is claimed first. Returns false if there is no room; the event at `time` has then been counted as dropped, or as
/// untraced if no ring was left.
#[cold]
#[inline(never)]
pub fn next_chunk(thread: &Thread, time: u64) -> bool {
    if is_refused_again(thread, time) {
        return false;
    }
    let _quiet = Quiet::begin();
    match thread_join(thread) {
        Some((segment, ring)) => ring_prepare(thread, segment, ring, time),
        None => false,
    }
}

fn present_ring(thread: &Thread) -> Option<(Base, Base)> {
    let is_present = thread.pass.get() == gate_pass().load(Ordering::Relaxed);
    thread.header.get().zip(thread.ring.get()).filter(|_| is_present)
}

/// Each count is one atomic addition, because signal handlers can interrupt signal handlers here.
fn count_nested(thread: &Thread) {
    if let Some((_, ring)) = present_ring(thread) {
        ring.word(ring::NESTED).fetch_add(1, Ordering::Relaxed);
    } else if let Some(segment) = PROCESS.header() {
        count_untraced(segment);
    }
}

/// Decides about an event that found `busy` set. Returns true if the earlier event was abandoned, by a jump out of a
/// handler, so that this event goes on; false if this event is nested and has been counted.
///
/// `busy` holds the stack pointer at the beginning of the event under way. A handler that interrupted the event runs
/// further down the stack by at least a signal frame, or on the signal stack. An event from further up on the same
/// stack proves that the code below has been left for good.
#[cold]
#[inline(never)]
pub fn nested(thread: &Thread, stack: usize) -> bool {
    let above = stack.wrapping_sub(thread.busy.get()) as isize;
    if !(-FRAME_MARGIN..STACK_SPAN).contains(&above) || system::is_on_signal_stack() {
        count_nested(thread);
        return false;
    }
    if thread.busy.get() & BUSY_ID == 0 {
        count_nested(thread);
    }
    if let Some((segment, ring)) = present_ring(thread) {
        cursor_reset(thread, segment, ring);
    }
    true
}

/// Returns a coroutine id when the thread's block is used up, or when (`is_nested`) a signal handler interrupted a use
/// of the block.
#[cold]
#[inline(never)]
pub fn id_refill(thread: &Thread, is_nested: bool) -> u64 {
    let segment = match PROCESS.header() {
        Some(segment) => segment,
        None => return 0,
    };
    let used: &AtomicU64 = segment.word(header::IDS_USED);
    // Multiples of ID_BLOCK are not ids: id 0 means no coroutine, and a multiple means that the block is used up.
    let first = used.fetch_add(u64::from(ID_BLOCK), Ordering::Relaxed) + 1;
    if !is_nested {
        thread.id_next.set(first + 1);
    }
    first
}

/// Wakes the engine, unless another thread has done so since the engine went to sleep. No handler may jump out of the
/// function between the two steps: no thread would wake the engine any more.
#[cold]
#[inline(never)]
pub fn engine_wake() {
    let sleeping = orders_page().half(orders::SLEEPING);
    let _quiet = Quiet::begin();
    if sleeping.swap(0, Ordering::AcqRel) == 1 {
        system::futex_wake(sleeping); // P12
    }
}

fn ring_leave(thread: &Thread, segment: Base, ring: Base) {
    let now = time(clock_of(thread.pass.get()));
    let stop = [now, 0, u64::from(thread.tid.get()), tail(0, kind::THREAD_STOP, 0, 0)];
    cursor_reset(thread, segment, ring);
    if tell_lost(thread, segment, ring, now) && tell_start(thread, segment, ring, now) {
        put(thread, segment, ring, stop);
    }
    ring.half(ring::OWNER).store(0, Ordering::Release); // P4
    PROCESS.rings_free.fetch_add(1, Ordering::Release); // P4
}

/// Destructor of the thread key: the thread ends, or at least the turn of its key has come.
pub extern "C" fn thread_leave(_unused: *mut c_void) {
    let _quiet = Quiet::begin();
    // SAFETY: the reference is used within this function only.
    let thread = unsafe { thread_self() };
    if thread.pass.get() != 0 {
        if let Some((segment, ring)) = present_ring(thread) {
            ring_leave(thread, segment, ring);
        }
    }
    thread.pass.set(0);
    thread.ring.set(None);
    thread.cursor.set(0);
    thread.busy.set(0);
}
