// SPDX-License-Identifier: MIT
//! The calls of the C probe (`ctp_probe.h`), for schedulers that tell their own events: the same names without `ctp_`,
//! the same order of arguments, and the same records, bit for bit.
//!
//! Programs of futures need none of this: [`crate::TraceFutureExt::traced`] and what stands beside it write these events
//! by themselves. A runtime of its own kind, such as one of stackful coroutines, calls them as
//! `docs/integrating-a-scheduler.md` tells.
//!
//! `coro` is the coroutine that does it, made by [`coro_new`], or 0 for the thread itself; `site` comes from
//! [`site_here`], [`site_of`] or [`intern`], or is 0; resources and queues are handles made by [`handle`]. Times are
//! CLOCK_MONOTONIC in nanoseconds. All may be called on any thread at any time, also in signal handlers and when nothing
//! traces: then they cost a load and a branch. Nothing allocates, blocks, prints, or changes errno.
//!
//! Order matters: write `suspend` or `switch` before anyone else can resume the coroutine, `wake` before the target can
//! be seen by another worker, `release` and `notify` before the next owner can be seen.

#![allow(unsafe_code)]

mod about;
mod attach;
mod clock;
mod emit;
mod flight;
mod ring;
mod segment;
mod share;
mod site;
mod state;

use std::panic::Location;
use std::sync::atomic::Ordering;

use crate::layout;
use crate::layout::{call, category, detail, form, kind, site_kind};
pub use crate::layout::{life, mark, outcome, point, processor, range, resource};
pub use emit::{emit, emit_with};
use emit::{emit_in, emit_of, emit_text, emit_with_of, tail};
use flight::Flight;
pub use site::Source;
pub(crate) use state::present_pass;
use state::{gate_pass, thread_self};

/// Attaches to the engine that started this program, as [`crate::init_tracer`].
pub fn attach() -> bool {
    attach::attach_to(&attach::wish(None))
}

/// Attaches; and where no engine is there, keeps the latest events in a file, as [`crate::init_recorder`].
pub fn record_flight(path: &str, bytes: u64) -> bool {
    attach::attach_to(&attach::wish(Some(Flight { path: path.as_bytes().to_vec(), bytes })))
}

/// Closes the gate: events after it cost a load and a branch.
pub fn detach() {
    attach::detach();
}

/// True while events are recorded.
#[inline]
pub fn is_attached() -> bool {
    present_pass() != 0
}

/// A resource handle: a kind of [`resource`], and what tells it from others, such as an address.
#[inline]
pub const fn handle(resource: u8, identity: u64) -> u64 {
    (resource as u64) << 56 | identity & 0x00ff_ffff_ffff_ffff
}

/// The handle of a descriptor; `generation` counts the uses of its number, 0 where that is not known.
#[inline]
pub const fn descriptor(number: i32, generation: u32) -> u64 {
    handle(resource::DESCRIPTOR, (generation as u64 & 0xff_ffff) << 32 | number as u32 as u64)
}

/// An id that no other coroutine of this process has or will have, also while events are not wanted; 0 where there is
/// no segment.
#[inline]
pub fn coro_new() -> u64 {
    emit::id_new()
}

/// The coroutine that runs on this thread, as far as the thread's events tell; 0: none, or it is not known which.
#[inline]
pub fn current() -> u64 {
    if gate_pass().load(Ordering::Relaxed) == 0 {
        return 0;
    }
    current_attached()
}

/// [`current`], where a pass has just been found.
#[inline(always)]
pub(crate) fn current_attached() -> u64 {
    // SAFETY: used within this function alone.
    unsafe { thread_self() }.current.get()
}

#[inline(always)]
pub(crate) fn current_set(coro: u64) {
    // SAFETY: used within this function alone.
    unsafe { thread_self() }.current.set(coro);
}

#[inline]
fn enter(coro: u64) {
    if coro != 0 {
        current_set(coro);
    }
}

#[inline]
fn leave(coro: u64) {
    // SAFETY: used within this function alone.
    let thread = unsafe { thread_self() };
    if coro != 0 && thread.current.get() == coro {
        thread.current.set(0);
    }
}

/// The number of the place where it stands in the source, with the name of what is done there, if it has one.
#[inline]
#[track_caller]
pub fn site_here(name: Option<&'static str>) -> u32 {
    site_of(Location::caller(), name)
}

/// The number of a place in the source. The place is interned at its first use, and looked up afterwards.
#[inline]
pub fn site_of(place: &'static Location<'static>, name: Option<&'static str>) -> u32 {
    if !is_attached() {
        return 0;
    }
    let key = site::Key {
        place: place as *const Location<'_> as usize,
        position: 0,
        reason: name.map_or(0, |name| name.as_ptr() as usize),
    };
    match site::lookup(key) {
        0 => site_remember(key, place, name),
        id => id,
    }
}

#[cold]
fn site_remember(key: site::Key, place: &'static Location<'static>, name: Option<&str>) -> u32 {
    let source = Source {
        kind: site_kind::SOURCE | form::C << 8,
        line: place.line(),
        column: place.column(),
        file: Some(place.file()),
        reason: name,
        ..Source::default()
    };
    site::remember(key, &source)
}

/// The site of a span or an event of `tracing`, which `place` tells from others.
#[cfg(feature = "tracing")]
pub(crate) fn site_of_metadata(place: usize, file: Option<&str>, line: u32, name: &str) -> u32 {
    let key = site::Key { place, position: 1, reason: 0 };
    let kind = site_kind::SOURCE | form::C << 8;
    match site::lookup(key) {
        0 => site::remember(key, &Source { kind, line, file, reason: Some(name), ..Source::default() }),
        id => id,
    }
}

/// The site of a code address (`layout::site_kind`: ADDRESS, FUNCTION or INSTRUCTION).
pub fn site_address(address: u64, kind: u32) -> u32 {
    let key = site::Key { place: address as usize, position: u64::from(kind), reason: 0 };
    match site::lookup(key) {
        0 => site::remember(key, &Source { kind, address, ..Source::default() }),
        id => id,
    }
}

/// A site told in full. Each call takes a number of the 65,536 that a process has: keep what it returns.
pub fn site(source: &Source<'_>) -> u32 {
    site::remember(site::Key { place: 0, position: 0, reason: 0 }, source)
}

/// A text as a site without a place, for names that are made at run time; cut after 1,024 bytes. Each call takes a
/// number: keep what it returns.
pub fn intern(text: &str) -> u32 {
    site(&Source { kind: site_kind::NAME, reason: Some(text), ..Source::default() })
}

/// `coro` is there from here on, and has not run yet. `address` is where the record lies that the program keeps of it,
/// and is no other living coroutine's; 0: not told.
#[inline]
pub fn create(coro: u64, address: u64, site: u32) {
    emit(coro, address, tail(site, kind::CREATE, 0, 0));
}

/// `frame` is the address by which wakes name it; `function_site` the function that it runs.
#[inline]
pub fn frame(coro: u64, frame: u64, function_site: u32) {
    emit(coro, frame, tail(function_site, kind::FRAME, 0, 0));
}

/// `coro` runs on this thread from here on; `point` is that at which it was suspended.
#[inline(always)]
pub fn resume(coro: u64, point: u8) {
    emit(coro, 0, tail(0, kind::RESUME, point, 0));
    enter(coro);
}

/// [`resume`], where the pass has just been found.
#[inline(always)]
pub(crate) fn resume_in(pass: u32, coro: u64, point: u8) {
    emit_in(pass, kind::RESUME, coro, 0, tail(0, kind::RESUME, point, 0));
    enter(coro);
}

/// [`resume`], by a hook in front of a run, whose end [`suspend_around`] tells: the run before may not have been told as
/// over yet. Its time is behind all that came before (P-36).
#[cfg(all(feature = "tokio", tokio_unstable))]
pub(crate) fn resume_around(coro: u64, point: u8) {
    let pass = present_pass();
    if pass != 0 {
        emit_in(pass, kind::WAKE, coro, 0, tail(0, kind::RESUME, point, layout::TOLD_AROUND as u16));
    }
    enter(coro);
}

/// [`suspend`], by a hook behind a run: other threads may run `coro` by now.
#[cfg(all(feature = "tokio", tokio_unstable))]
pub(crate) fn suspend_around(coro: u64, site: u32, point: u8) {
    emit(coro, 0, tail(site, kind::SUSPEND, point, layout::TOLD_AROUND as u16));
    leave(coro);
}

/// `coro` gives up its thread, and waits for `resource`, at `site`.
#[inline(always)]
pub fn suspend(coro: u64, resource: u64, site: u32, point: u8) {
    emit(coro, resource, tail(site, kind::SUSPEND, point, 0));
    leave(coro);
}

/// [`suspend`]; the wait ends at `deadline_ns`, whatever happens.
#[inline]
pub fn suspend_until(coro: u64, resource: u64, site: u32, point: u8, deadline_ns: u64) {
    let suspend = tail(site, kind::SUSPEND, point, 0);
    emit_with_of(category::SCHEDULING, coro, resource, suspend, detail::DEADLINE, deadline_ns);
    leave(coro);
}

/// [`suspend`]; something else may end the wait, too.
#[inline]
pub fn suspend_for_more(coro: u64, resource: u64, site: u32, point: u8) {
    let suspend = tail(site, kind::SUSPEND, point, 0);
    emit_with_of(category::SCHEDULING, coro, resource, suspend, detail::RESOURCE, 0);
    leave(coro);
}

/// This thread leaves `from`, at `site`, and enters `to`, with one reading of the clock. Either may be 0.
#[inline]
pub fn switch(from: u64, to: u64, site: u32, point: u8) {
    emit(from, to, tail(site, kind::SWITCH, point, 0));
    leave(from);
    enter(to);
}

/// [`switch`], where `from` waits for `resource`.
#[inline]
pub fn switch_for(from: u64, to: u64, resource: u64, site: u32, point: u8) {
    emit_with_of(category::SCHEDULING, from, to, tail(site, kind::SWITCH, point, 0), detail::RESOURCE, resource);
    leave(from);
    enter(to);
}

/// The suspension written last did not take place.
#[inline]
pub fn cancel(coro: u64) {
    emit(coro, 0, tail(0, kind::CANCEL, 0, 0));
    enter(coro);
}

/// `waker`, or 0, makes `target` ready, a handle of kind COROUTINE or FRAME; `outcome` is what became of it.
#[inline]
pub fn wake(waker: u64, target: u64, site: u32, outcome: u8) {
    emit(waker, target, tail(site, kind::WAKE, outcome, 0));
}

/// No wake: the coroutine has suspended, and kept no waker; it may have taken one in that run.
pub(crate) fn tell_no_waker(coro: u64, has_taken: bool) {
    let flags = if has_taken { layout::WAKER_TAKEN as u16 } else { 0 };
    emit(0, handle(resource::COROUTINE, coro), tail(0, kind::WAKE, outcome::NO_WAKER, flags));
}

/// [`wake`] of a coroutine by itself, which follows nothing that another thread gave: its time needs no fence (P-95).
#[inline(always)]
pub(crate) fn wake_itself(coro: u64, outcome: u8) {
    let pass = present_pass();
    if pass != 0 {
        let target = handle(resource::COROUTINE, coro);
        emit_in(pass, kind::SUSPEND, coro, target, tail(0, kind::WAKE, outcome, 0));
    }
}

/// `coro` has run to its end; it is there until [`destroy`].
#[inline]
pub fn return_(coro: u64) {
    emit(coro, 0, tail(0, kind::RETURN, 0, 0));
    leave(coro);
}

/// [`return_`], where a panic ended it.
#[inline]
pub fn return_failed(coro: u64) {
    emit(coro, 0, tail(0, kind::RETURN, 0, layout::RETURN_FAILED as u16));
    leave(coro);
}

/// `coro` is gone; `life` says what it did until then.
#[inline]
pub fn destroy(coro: u64, life: u8) {
    destroy_at(coro, life, 0);
}

/// [`destroy`], where another party decided so, at `site`.
#[inline]
pub fn destroy_at(coro: u64, life: u8, site: u32) {
    emit(coro, 0, tail(site, kind::DESTROY, life, 0));
    leave(coro);
}

/// `parent` is about to wait until `child` has come to its end.
#[inline]
pub fn await_(parent: u64, child: u64, site: u32) {
    emit(parent, child, tail(site, kind::AWAIT, 0, 0));
}

/// `parent`'s child has finished.
#[inline]
pub fn await_done(parent: u64, child: u64) {
    emit(parent, child, tail(0, kind::AWAIT_DONE, 0, 0));
}

/// `coro` holds the resource from here on. A coroutine that was handed it does not write this.
#[inline]
pub fn acquire(coro: u64, resource: u64, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::ACQUIRE, 0, 0));
}

/// `coro` gives the resource back, and it is free.
#[inline]
pub fn release(coro: u64, resource: u64, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::RELEASE, 0, 0));
}

/// This thread is about to wait for the lock with all that runs on it, for so many milliseconds at most; -1: as long as
/// it takes.
#[inline]
pub fn block(lock: u64, timeout_ms: i64, site: u32) {
    emit(lock, timeout_ms as u64, tail(site, kind::BLOCK_BEGIN, call::LOCK, 0));
}

/// The thread waits no more.
#[inline]
pub fn block_done(site: u32) {
    emit(0, 0, tail(site, kind::BLOCK_END, call::LOCK, 0));
}

/// `coro` gives the resource to the coroutine `receiver`; it is never free between.
#[inline]
pub fn hand_over(coro: u64, resource: u64, receiver: u64, site: u32) {
    let given = tail(site, kind::HAND_OVER, 0, 0);
    emit_with_of(category::RESOURCES, coro, resource, given, detail::RECEIVER, receiver);
}

/// `coro` tells the resource's waiters, and finds `nr_woken`; 0 is worth telling.
#[inline]
pub fn notify(coro: u64, resource: u64, nr_woken: u32, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::NOTIFY, nr_woken.min(255) as u8, 0));
}

/// `coro`, which is ready, enters the queue.
#[inline]
pub fn enqueue(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::ENQUEUE, 0, 0));
}

/// [`enqueue`], where only the calling thread can take it out again.
#[inline]
pub fn enqueue_private(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::ENQUEUE, 0, layout::ENQUEUE_PRIVATE as u16));
}

/// `coro` is taken from the queue to be run.
#[inline]
pub fn dequeue(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::DEQUEUE, 0, 0));
}

/// The descriptor is there; written after the call that opened it.
#[inline]
pub fn descriptor_open(descriptor: u64, site: u32) {
    emit_of(category::DESCRIPTORS, 0, descriptor, tail(site, kind::DESCRIPTOR_OPEN, 0, 0));
}

/// The descriptor is about to go; written before the call that closes it.
#[inline]
pub fn descriptor_close(descriptor: u64, site: u32) {
    emit_of(category::DESCRIPTORS, 0, descriptor, tail(site, kind::DESCRIPTOR_CLOSE, 0, 0));
}

/// `epoll_ctl` with this operation, events and user data; 1 add, 2 delete, 3 modify.
#[inline]
pub fn descriptor_arm(descriptor: u64, operation: u8, events: u16, user_data: u64, site: u32) {
    emit_of(category::DESCRIPTORS, user_data, descriptor, tail(site, kind::DESCRIPTOR_ARM, operation, events));
}

/// `epoll_wait` told of these events, with this user data.
#[inline]
pub fn descriptor_ready(descriptor: u64, events: u16, user_data: u64) {
    emit_of(category::DESCRIPTORS, user_data, descriptor, tail(0, kind::DESCRIPTOR_READY, 0, events));
}

/// This worker found no work and goes to sleep.
#[inline]
pub fn park(resource: u64, site: u32) {
    emit(0, resource, tail(site, kind::PARK, 0, 0));
    current_set(0);
}

/// [`park`]; the sleep ends at `deadline_ns`, whatever happens.
#[inline]
pub fn park_until(resource: u64, site: u32, deadline_ns: u64) {
    emit_with_of(category::SCHEDULING, 0, resource, tail(site, kind::PARK, 0, 0), detail::DEADLINE, deadline_ns);
    current_set(0);
}

/// [`park`]; no timer of the scheduler is set: where the call that it sleeps in has a time-out all the same, the
/// scheduler only looks again by then.
#[inline]
pub fn park_untimed(resource: u64, site: u32) {
    emit(0, resource, tail(site, kind::PARK, 0, layout::PARK_UNTIMED as u16));
    current_set(0);
}

/// This worker is awake again.
#[inline]
pub fn unpark(resource: u64) {
    emit(0, resource, tail(0, kind::UNPARK, 0, 0));
}

/// What a runtime does besides begins ([`range`], which says whom it concerns): of a coroutine, or begun by it, its id; of
/// a processor, its handle; 0: of none. A further one of the kind ends the one before it.
#[inline]
pub fn range_begin(coro: u64, processor: u64, range: u8, site: u32) {
    emit_of(category::RUNTIME, coro, processor, tail(site, kind::RANGE_BEGIN, range, 0));
}

/// The range of this kind and of the same one has ended.
#[inline]
pub fn range_end(coro: u64, processor: u64, range: u8) {
    emit_of(category::RUNTIME, coro, processor, tail(0, kind::RANGE_END, range, 0));
}

/// The processor of this number is in this state ([`processor`]); one that is not idle this thread has.
#[inline]
pub fn processor_state(number: u64, state: u8) {
    emit_of(category::RUNTIME, 0, handle(resource::PROCESSOR, number), tail(0, kind::PROCESSOR, state, 0));
}

/// `coro`, which runs on this thread, is in the system call of this number; 0: not told.
#[inline]
pub fn syscall_begin(coro: u64, number: u64, site: u32) {
    emit(coro, number, tail(site, kind::SYSCALL_BEGIN, 0, 0));
}

/// The system call has returned, and `coro` runs on; `is_ready`: its processor was taken away, and a resume follows.
#[inline]
pub fn syscall_end(coro: u64, is_ready: bool) {
    let flags = if is_ready { layout::SYSCALL_READY as u16 } else { 0 };
    emit(coro, 0, tail(0, kind::SYSCALL_END, 0, flags));
}

/// A number that no other task of this process has or will have; 0 where there is no segment.
#[inline]
pub fn task_new() -> u64 {
    coro_new()
}

/// The task begins, and `coro` works for it from here on.
#[inline]
pub fn task_begin(coro: u64, task: u64, site: u32) {
    emit_of(category::TASKS, coro, task, tail(site, kind::TASK_BEGIN, 0, 0));
}

/// The task has ended; on any thread.
#[inline]
pub fn task_end(coro: u64, task: u64) {
    emit_of(category::TASKS, coro, task, tail(0, kind::TASK_END, 0, 0));
}

/// `coro` works for this task from here on; 0: for none.
#[inline]
pub fn task_set(coro: u64, task: u64) {
    emit_of(category::TASKS, coro, task, tail(0, kind::TASK_SET, 0, 0));
}

/// A region of the site's name begins; `task` 0: the task that is worked for.
#[inline]
pub fn region_begin(coro: u64, task: u64, site: u32) {
    emit_of(category::REGIONS, coro, task, tail(site, kind::REGION_BEGIN, 0, 0));
}

/// Closes the innermost region of its name, and those open inside it.
#[inline]
pub fn region_end(coro: u64, site: u32) {
    emit_of(category::REGIONS, coro, 0, tail(site, kind::REGION_END, 0, 0));
}

/// A message; its text is the site's.
#[inline]
pub fn log(coro: u64, site: u32) {
    emit_of(category::LOGS, coro, 0, tail(site, kind::LOG, 0, 0));
}

/// A message with a number; shown where the text has {}, or else behind it.
#[inline]
pub fn log_number(coro: u64, number: i64, site: u32) {
    let flags = layout::LOG_HAS_NUMBER as u16;
    emit_of(category::LOGS, coro, number as u64, tail(site, kind::LOG, 0, flags));
}

/// A message with a text that is made at run time, cut after 128 bytes; a record for each eight.
#[inline]
pub fn log_text(coro: u64, text: &str, site: u32) {
    emit_text(coro, text.as_bytes(), site);
}

/// A quantity of the program has this value from here on.
#[inline]
pub fn counter(value: i64, site: u32) {
    emit_of(category::COUNTERS, 0, value as u64, tail(site, kind::COUNTER, 0, 0));
}

/// The name of a coroutine: the site's; the latest one counts.
#[inline]
pub fn name_coro(coro: u64, site: u32) {
    emit(0, handle(resource::COROUTINE, coro), tail(site, kind::NAME, 0, 0));
}

/// The name of the calling thread.
#[inline]
pub fn name_thread(site: u32) {
    emit(0, 0, tail(site, kind::NAME, 0, 0));
}

/// The name of a resource.
#[inline]
pub fn name_resource(resource: u64, site: u32) {
    emit(0, resource, tail(site, kind::NAME, 0, 0));
}

/// Marks a coroutine, or the program itself.
#[inline]
pub fn mark(coro: u64, mark: u8, value: u64, site: u32) {
    emit(coro, value, tail(site, kind::MARK, mark, 0));
}

/// `coro` is meant to live as long as the process.
#[inline]
pub fn daemon(coro: u64) {
    mark(coro, mark::DAEMON, 0, 0);
}

/// `coro` may wait for any length of time.
#[inline]
pub fn expect_idle(coro: u64) {
    mark(coro, mark::EXPECT_IDLE, 0, 0);
}

/// Recording is wanted from here.
#[inline]
pub fn start() {
    mark(0, mark::START, 0, 0);
}

/// Recording is not wanted from here.
#[inline]
pub fn stop() {
    mark(0, mark::STOP, 0, 0);
}
