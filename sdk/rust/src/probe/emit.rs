// SPDX-License-Identifier: MIT
//! Writing one event: a reading of the counter and a few plain stores into a ring that belongs to the calling thread.
//!
//! No lock, no locked instruction, no system call, no allocation. Everything expensive is in functions marked cold,
//! which are called once per thread or per 2,048 events. The cold functions are called last, with the event's own
//! words, so that the straight path keeps nothing for after a call. All of this may run in a signal handler: an event
//! that interrupts a half-written event is given up and counted.
#![allow(unsafe_code)]

use std::sync::atomic::{compiler_fence, Ordering};

use crate::layout::ID_BLOCK;
use crate::layout::{category, detail, kind, orders, record, ring, LOG_TEXT_MAX, RECORD_BYTES, TEXT_DETAIL_BYTES};
use crate::probe::clock::{is_call, time_of};
use crate::probe::ring::{engine_wake, id_refill, nested, next_chunk};
use crate::probe::state::{
    clock_of, gate_pass, orders_page, present_pass, stack_pointer, thread_self, Thread, BUSY_ID,
};

/// The fourth word of a record: its site, kind, argument and flags.
#[inline(always)]
pub const fn tail(site: u32, kind: u8, argument: u8, flags: u16) -> u64 {
    site as u64 | (kind as u64) << 32 | (argument as u64) << 40 | (flags as u64) << 48
}

#[inline(always)]
const fn kind_of(tail: u64) -> u8 {
    (tail >> 32) as u8
}

/// Returns whether the engine has switched the category off. Scheduling is always wanted.
#[inline(always)]
fn is_unwanted(category: u8) -> bool {
    category != category::SCHEDULING
        && orders_page().half(orders::CATEGORIES_OFF).load(Ordering::Relaxed) >> category & 1 != 0
}

/// Marks the thread's state as busy with one event. Returns false if the event is nested; it has then been counted.
fn enter(thread: &Thread) -> bool {
    let stack = stack_pointer();
    if thread.busy.get() != 0 && !nested(thread, stack) {
        return false;
    }
    thread.busy.set(stack);
    compiler_fence(Ordering::SeqCst);
    true
}

/// Does what [`enter`] does, if no event is under way, reading the clock takes no call, and this many records fit
/// without one. Returns None otherwise: the state was not taken, and nothing was counted.
///
/// # Safety
/// The contract of [`thread_self`] holds.
#[inline(always)]
unsafe fn enter_straight<'a>(pass: u32, nr_records: usize) -> Option<&'a Thread> {
    let thread = unsafe { thread_self() };
    if thread.busy.get() != 0 || is_call(clock_of(pass)) {
        return None;
    }
    thread.busy.set(stack_pointer());
    compiler_fence(Ordering::SeqCst);
    // Checked after the state was taken, because the events of a signal handler move the cursor.
    if thread.pass.get() == pass && thread.has_places(nr_records) {
        return Some(thread);
    }
    leave(thread);
    None
}

#[inline(always)]
fn leave(thread: &Thread) {
    compiler_fence(Ordering::SeqCst);
    thread.busy.set(0);
}

/// Leaves the event, and wakes the engine if the engine sleeps. The load must not come before the head's store: the
/// fence keeps the compiler from moving the load, and the engine's barrier keeps the processor from it (P12).
#[inline(always)]
fn finish(thread: &Thread) {
    leave(thread);
    if orders_page().half(orders::SLEEPING).load(Ordering::Relaxed) != 0 {
        engine_wake();
    }
}

/// Writes a record at the cursor, which must have room, and publishes the record.
#[inline(always)]
pub fn publish(thread: &Thread, time: u64, coro: u64, object: u64, tail: u64) {
    let head = thread.head.get() + 1;
    // SAFETY: there is room (`has_room`), so the cursor is within a chunk.
    let place = unsafe { thread.record() };
    // Atomic, because the reader of an overwriting ring may copy the words while they change; the reader checks
    // afterwards.
    place.word(record::TIME).store(time, Ordering::Relaxed);
    place.word(record::CORO).store(coro, Ordering::Relaxed);
    place.word(record::OBJECT).store(object, Ordering::Relaxed);
    place.word(record::TAIL).store(tail, Ordering::Relaxed);
    thread.cursor.set(thread.cursor.get() + RECORD_BYTES);
    thread.head.set(head);
    if let Some(ring) = thread.ring.get() {
        ring.word(ring::HEAD).store(head, Ordering::Release); // P1
    }
}

fn has_room(thread: &Thread, pass: u32, time: u64) -> bool {
    (thread.pass.get() == pass && thread.has_places(1)) || next_chunk(thread, time)
}

/// Calls `put` with the thread's state taken, and the time of an event of this kind.
fn with_thread(pass: u32, kind: u8, put: impl FnOnce(&Thread, u64)) {
    // SAFETY: the reference is used within this function only.
    let thread = unsafe { thread_self() };
    if enter(thread) {
        put(thread, time_of(clock_of(pass), kind));
        finish(thread);
    }
}

#[cold]
#[inline(never)]
fn emit_cold(pass: u32, coro: u64, object: u64, tail: u64) {
    with_thread(pass, kind_of(tail), |thread, time| {
        if has_room(thread, pass, time) {
            publish(thread, time, coro, object, tail);
        }
    });
}

/// Writes one event of `category`: a coroutine (0: none), an object, and a tail.
#[inline(always)]
pub fn emit_of(category: u8, coro: u64, object: u64, tail: u64) {
    let pass = present_pass();
    if pass != 0 && !is_unwanted(category) {
        emit_in(pass, kind_of(tail), coro, object, tail);
    }
}

/// Does what `emit_of` does, for a pass that the caller has just found not to be 0. The time is read as for an event of
/// the kind `as_kind`.
#[inline(always)]
pub fn emit_in(pass: u32, as_kind: u8, coro: u64, object: u64, tail: u64) {
    // SAFETY: the reference is used within this function only.
    match unsafe { enter_straight(pass, 1) } {
        Some(thread) => {
            publish(thread, time_of(clock_of(pass), as_kind), coro, object, tail);
            finish(thread);
        }
        None => emit_cold(pass, coro, object, tail),
    }
}

/// Writes one event of the category scheduling.
#[inline(always)]
pub fn emit(coro: u64, object: u64, tail: u64) {
    emit_of(category::SCHEDULING, coro, object, tail);
}

#[cold]
#[inline(never)]
fn emit_with_cold(pass: u32, event: [u64; 3], told: [u64; 2]) {
    let ([coro, object, with], [number, detail]) = (event, told);
    with_thread(pass, kind_of(with), |thread, time| {
        if has_room(thread, pass, time) {
            publish(thread, time, coro, object, with);
            if has_room(thread, pass, time) {
                publish(thread, time, coro, number, detail);
            }
        }
    });
}

/// Writes one event as `emit_of` does, and a detail of the event with the same time. The detail is written only if the
/// event was written, so a detail never follows the wrong event.
#[inline]
pub fn emit_with_of(category: u8, coro: u64, object: u64, with: u64, detail: u8, number: u64) {
    let pass = present_pass();
    let detail = tail(0, kind::DETAIL, detail, 0);
    if pass == 0 || is_unwanted(category) {
        return;
    }
    // SAFETY: the reference is used within this function only.
    match unsafe { enter_straight(pass, 2) } {
        Some(thread) => {
            let time = time_of(clock_of(pass), kind_of(with));
            publish(thread, time, coro, object, with);
            publish(thread, time, coro, number, detail);
            finish(thread);
        }
        None => emit_with_cold(pass, [coro, object, with], [number, detail]),
    }
}

/// Does what `emit_with_of` does, for the category scheduling.
#[inline]
pub fn emit_with(coro: u64, object: u64, with: u64, detail: u8, number: u64) {
    emit_with_of(category::SCHEDULING, coro, object, with, detail, number);
}

/// Returns eight bytes of a text as one word, the first byte lowest; bytes after the text's end are 0.
fn text_word(text: &[u8]) -> u64 {
    let mut word = [0; TEXT_DETAIL_BYTES];
    word[..text.len()].copy_from_slice(text);
    u64::from_le_bytes(word)
}

/// Writes a message with a text. The text is cut after LOG_TEXT_MAX bytes, and costs one record for each eight bytes.
pub fn emit_text(coro: u64, text: &[u8], site: u32) {
    let pass = present_pass();
    let text = &text[..text.len().min(LOG_TEXT_MAX)];
    if pass == 0 || is_unwanted(category::LOGS) {
        return;
    }
    with_thread(pass, kind::LOG, |thread, time| {
        if !has_room(thread, pass, time) {
            return;
        }
        publish(thread, time, coro, 0, tail(site, kind::LOG, 0, (text.len() as u16) << 8));
        for part in text.chunks(TEXT_DETAIL_BYTES) {
            if !has_room(thread, pass, time) {
                return;
            }
            publish(thread, time, coro, text_word(part), tail(0, kind::DETAIL, detail::TEXT, 0));
        }
    });
}

/// Returns an id that no other coroutine of this process has had or will have; 0 if there is no segment.
#[inline]
pub fn id_new() -> u64 {
    if gate_pass().load(Ordering::Relaxed) == 0 {
        return 0;
    }
    // SAFETY: the reference is used within this function only.
    let thread = unsafe { thread_self() };
    if thread.busy.get() != 0 {
        return id_refill(thread, true);
    }
    thread.busy.set(stack_pointer() | BUSY_ID);
    compiler_fence(Ordering::SeqCst);
    let mut id = thread.id_next.get();
    if id % u64::from(ID_BLOCK) != 0 {
        thread.id_next.set(id + 1);
    } else {
        id = id_refill(thread, false);
    }
    leave(thread);
    id
}
