// SPDX-License-Identifier: MIT
//! Rings and chunks, the producer's side.
//!
//! A thread joins an attachment by claiming a ring (P4), which it keeps until it ends. A ring is a sequence of records
//! in chunks. Its book-keeping is the owner's alone:
//!
//! - `[0, reclaimed)`: chunk sequence numbers whose chunks went onto `spare`, or into use again
//! - `[reclaimed, assigned)`: in flight, being written, or waiting for the engine
//! - `head / CHUNK_RECORDS` is `assigned` where the next record needs a chunk, else one less
//!
//! So every chunk that the ring has taken is on `spare` or in flight, and as at most RING_CHUNKS - 1 are taken, no two in
//! flight share an entry of `chunk`. All this lies in memory that the engine can write, too: a word read back from it is
//! reduced or checked before it decides an address.
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

const RETRY_PERIOD: u64 = 4096; // refusals after which the reason is looked at again
const STACK_SPAN: isize = 1 << 20; // further apart is taken for two stacks
const FRAME_MARGIN: isize = 512; // less than any signal frame with its red zone
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

/// A chunk of a segment; `number` is below the segment's `chunk_max`.
fn chunk_at(segment: Base, number: u32) -> Base {
    // SAFETY: every segment is mapped with so many chunks from CHUNK_OFFSET on.
    unsafe { segment.further(CHUNK_OFFSET + u64::from(number) * CHUNK_BYTES as u64) }
}

/// Record `position`'s address, in a chunk that has been assigned; 0 where the chunk's number is not sound.
fn record_place(thread: &Thread, segment: Base, ring: Base, position: u64) -> usize {
    let number = chunk_entry(ring, position / RECORDS).load(Ordering::Relaxed);
    if number >= thread.chunk_max.get() {
        return 0;
    }
    chunk_at(segment, number).address() as usize + (position % RECORDS) as usize * RECORD_BYTES
}

/// Sets the thread's private words by what its ring has published.
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

/// Drained chunks go onto the stack, so that the one drained last is taken first.
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

/// Has the kernel find memory for a chunk now: a first touch in the middle of an event is dear, and would end the
/// program where there is no memory. Kernels before 5.14 cannot: the chunk is touched later.
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
    // A number is never given back: keep it, to ask for its memory another time.
    set_half(ring, ring::UNBACKED, number + 1);
    if !chunk_back(segment, number) {
        return None;
    }
    set_half(ring, ring::UNBACKED, 0);
    set_half(ring, ring::NR_OWNED, owned + 1);
    Some(number)
}

/// Takes the oldest records in flight back, and returns their chunk.
fn oldest_take(ring: Base) -> u32 {
    let reclaimed = get(ring, ring::RECLAIMED);
    let number = chunk_entry(ring, reclaimed).load(Ordering::Relaxed);
    set(ring, ring::RECLAIMED, reclaimed + 1);
    ring.word(ring::FLOOR).store((reclaimed + 1) * RECORDS, Ordering::Release); // P3
                                                                                // A release store holds back what came before it, not the content that follows.
    fence(Ordering::Release); // P3
    number
}

/// More threads have come than there were: one chunk at a time is laid out for them.
fn surplus_give(thread: &Thread, segment: Base, ring: Base) {
    let owned = get_half(ring, ring::NR_OWNED);
    let in_flight = get(ring, ring::ASSIGNED) - get(ring, ring::RECLAIMED);
    if owned <= chunk_share(thread, segment) || get_half(ring, ring::SURPLUS) != 0 || in_flight < 2 {
        return;
    }
    set_half(ring, ring::NR_OWNED, owned - 1);
    ring.half(ring::SURPLUS).store(oldest_take(ring) + 1, Ordering::Release); // P10
}

/// The flight recorder's way: the oldest records in flight give way.
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

/// Makes room for one record: true when the cursor names it.
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

/// A ring that was full and where nothing has happened since is full still. This test is cheap: a stalled engine should
/// not cost its target system calls.
fn is_still_full(segment: Base, ring: Base) -> bool {
    get(ring, ring::FULL_DRAINED) == drained(ring) + 1
        && get(ring, ring::FULL_ORDERS) == ring_orders(segment)
        && get(ring, ring::DROPPED) % RETRY_PERIOD != 0
}

/// Writes a record of the probe's own; false: no room for it.
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

/// Room for the event at `time`, after all that has to be said before it.
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
    // P4: the last owner's writes are seen.
    owner.load(Ordering::Relaxed) == present
        && owner.compare_exchange(present, tid, Ordering::Acquire, Ordering::Relaxed).is_ok()
}

fn ring_reuse(segment: Base, tid: u32, is_owner_asked: bool) -> Option<Base> {
    (0..rings_used(segment)).map(|index| ring_at(segment, index)).find(|&ring| {
        let owner = get_half(ring, ring::OWNER);
        // A ring without a claim yet is on its way to the thread that it was handed to.
        if get_half(ring, ring::CLAIMS) == 0 {
            return false;
        }
        let is_free = if is_owner_asked { owner != 0 && system::is_thread_gone(owner) } else { owner == 0 };
        is_free && owner_try(ring, owner, tid)
    })
}

/// One ring given back, if there are any: a thread that has counted itself in finds one.
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

/// A ring for this thread: one given back, else a fresh one, else one whose owner is gone.
fn ring_claim(segment: Base, tid: u32) -> Option<Base> {
    // Without a key no thread gives back, so the dead are looked for before memory is taken.
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

/// No ring was left for this thread, none has been given back since, and it is not time to look.
fn is_still_ringless(thread: &Thread, segment: Base) -> bool {
    thread.ring.get().is_none()
        && PROCESS.rings_free.load(Ordering::Relaxed) == 0
        && get(segment, header::UNTRACED_EVENTS) % RETRY_PERIOD != 0
}

/// Joins the present attachment. None: there is none, or no ring is left (counted).
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

/// What can be said without a system call of an event that finds no room; true: it has been counted.
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

/// Makes room for one record at the cursor, claiming a ring for the thread first if it has none, or one of an attachment
/// that is over. False: no room; the event at `time` has been counted as dropped, or as untraced.
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

/// Added in one step each, for handlers can interrupt handlers here.
fn count_nested(thread: &Thread) {
    if let Some((_, ring)) = present_ring(thread) {
        ring.word(ring::NESTED).fetch_add(1, Ordering::Relaxed);
    } else if let Some(segment) = PROCESS.header() {
        count_untraced(segment);
    }
}

/// An event met `busy` set. True: the earlier event was abandoned, by a jump out of a handler: go on. False: this one is
/// nested and has been counted.
///
/// `busy` says where the stack stood when the event under way began. A handler that interrupted it runs further down by
/// a signal frame at least, or on the signal stack. An event from further up on the same stack proves that the code
/// below has been left for good.
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

/// A coroutine id where the thread's block is used up, or (`is_nested`) is in use below a signal handler.
#[cold]
#[inline(never)]
pub fn id_refill(thread: &Thread, is_nested: bool) -> u64 {
    let segment = match PROCESS.header() {
        Some(segment) => segment,
        None => return 0,
    };
    let used: &AtomicU64 = segment.word(header::IDS_USED);
    // Multiples of ID_BLOCK are no ids: id 0 is none, and one word tells a block's end.
    let first = used.fetch_add(u64::from(ID_BLOCK), Ordering::Relaxed) + 1;
    if !is_nested {
        thread.id_next.set(first + 1);
    }
    first
}

/// Wakes the engine, if nobody has done so since it went to sleep. No handler may leave the function between the two:
/// nobody else would wake the engine any more.
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

/// The thread key's destructor: the thread ends, or at least its key's turn has come.
pub extern "C" fn thread_leave(_unused: *mut c_void) {
    let _quiet = Quiet::begin();
    // SAFETY: used within this function alone.
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
