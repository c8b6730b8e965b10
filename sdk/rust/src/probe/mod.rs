// SPDX-License-Identifier: MIT
//! The calls of the C probe (`ctp_probe.h`), for schedulers that record their own events: the same names without
//! `ctp_`, the same order of arguments, and the same records, bit for bit.
//!
//! Programs of futures need none of these calls: [`crate::TraceFutureExt::traced`] and the functions beside it write
//! these events. A runtime of another kind, such as one of stackful coroutines, makes the calls as
//! `docs/integrating-a-scheduler.md` describes.
//!
//! `coro` is the coroutine that does what the event says: an id made by [`coro_new`], or 0 for the thread itself.
//! `site` comes from [`site_here`], [`site_of`] or [`intern`], or is 0. Resources and queues are handles made by
//! [`handle`]. Times are CLOCK_MONOTONIC in nanoseconds. All functions may be called on any thread at any time, also in
//! signal handlers and while nothing traces the program; in the latter case a call costs a load and a branch. No
//! function allocates, blocks, prints, or changes errno.
//!
//! The order of events matters: write `suspend` or `switch` before another thread can resume the coroutine, `wake`
//! before another worker can see the target, and `release` and `notify` before the next owner can be seen.

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

/// Attaches to the engine that started this program, as [`crate::init_tracer`] does.
pub fn attach() -> bool {
    attach::attach_to(&attach::wish(None))
}

/// Attaches; if there is no engine, keeps the latest events in a file, as [`crate::init_recorder`] does.
pub fn record_flight(path: &str, bytes: u64) -> bool {
    attach::attach_to(&attach::wish(Some(Flight { path: path.as_bytes().to_vec(), bytes })))
}

/// Closes the gate: every later event costs a load and a branch.
pub fn detach() {
    attach::detach();
}

/// True while events are recorded.
#[inline]
pub fn is_attached() -> bool {
    present_pass() != 0
}

/// Makes a resource handle from a kind of [`resource`] and an identity within the kind, such as an address.
#[inline]
pub const fn handle(resource: u8, identity: u64) -> u64 {
    (resource as u64) << 56 | identity & 0x00ff_ffff_ffff_ffff
}

/// Makes the handle of a descriptor. `generation` counts the uses of the descriptor's number; 0: not known.
#[inline]
pub const fn descriptor(number: i32, generation: u32) -> u64 {
    handle(resource::DESCRIPTOR, (generation as u64 & 0xff_ffff) << 32 | number as u32 as u64)
}

/// Returns an id that no other coroutine of this process has had or will have, also while events are not wanted.
/// Returns 0 if there is no segment.
#[inline]
pub fn coro_new() -> u64 {
    emit::id_new()
}

/// Returns the coroutine that runs on this thread, as far as the thread's events show; 0: none, or not known which one.
#[inline]
pub fn current() -> u64 {
    if gate_pass().load(Ordering::Relaxed) == 0 {
        return 0;
    }
    current_attached()
}

/// Does what [`current`] does, after the caller has found a pass.
#[inline(always)]
pub(crate) fn current_attached() -> u64 {
    // SAFETY: the reference is used within this function only.
    unsafe { thread_self() }.current.get()
}

#[inline(always)]
pub(crate) fn current_set(coro: u64) {
    // SAFETY: the reference is used within this function only.
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
    // SAFETY: the reference is used within this function only.
    let thread = unsafe { thread_self() };
    if coro != 0 && thread.current.get() == coro {
        thread.current.set(0);
    }
}

/// Returns the number of the place in the source where the call stands, with a name for what is done there, if any.
#[inline]
#[track_caller]
pub fn site_here(name: Option<&'static str>) -> u32 {
    site_of(Location::caller(), name)
}

/// Returns the number of a place in the source. The place is interned at its first use, and looked up afterwards.
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

/// Returns the site of a span or an event of `tracing`; `place` distinguishes the site from other sites.
#[cfg(feature = "tracing")]
pub(crate) fn site_of_metadata(place: usize, file: Option<&str>, line: u32, name: &str) -> u32 {
    let key = site::Key { place, position: 1, reason: 0 };
    let kind = site_kind::SOURCE | form::C << 8;
    match site::lookup(key) {
        0 => site::remember(key, &Source { kind, line, file, reason: Some(name), ..Source::default() }),
        id => id,
    }
}

/// Returns the site of a code address (`layout::site_kind`: ADDRESS, FUNCTION or INSTRUCTION).
pub fn site_address(address: u64, kind: u32) -> u32 {
    let key = site::Key { place: address as usize, position: u64::from(kind), reason: 0 };
    match site::lookup(key) {
        0 => site::remember(key, &Source { kind, address, ..Source::default() }),
        id => id,
    }
}

/// Interns a site whose source is given in full. Each call takes one of the 65,536 site numbers of a process, so keep
/// the result.
pub fn site(source: &Source<'_>) -> u32 {
    site::remember(site::Key { place: 0, position: 0, reason: 0 }, source)
}

/// Returns a text as a site without a place, for names that are made at run time. The text is cut after 1,024 bytes.
/// Each call takes one of the 65,536 site numbers of a process, so keep the result.
pub fn intern(text: &str) -> u32 {
    site(&Source { kind: site_kind::NAME, reason: Some(text), ..Source::default() })
}

/// `coro` exists from here on, and has not run yet. `address` is the address of the program's own record of the
/// coroutine; no two living coroutines have the same address. 0: not stated.
#[inline]
pub fn create(coro: u64, address: u64, site: u32) {
    emit(coro, address, tail(site, kind::CREATE, 0, 0));
}

/// States the address `frame` by which wakes name the coroutine. `function_site` is the function that the coroutine
/// runs.
#[inline]
pub fn frame(coro: u64, frame: u64, function_site: u32) {
    emit(coro, frame, tail(function_site, kind::FRAME, 0, 0));
}

/// `coro` runs on this thread from here on; `point` is the point at which `coro` was suspended.
#[inline(always)]
pub fn resume(coro: u64, point: u8) {
    emit(coro, 0, tail(0, kind::RESUME, point, 0));
    enter(coro);
}

/// Does what [`resume`] does, after the caller has found a pass.
#[inline(always)]
pub(crate) fn resume_in(pass: u32, coro: u64, point: u8) {
    emit_in(pass, kind::RESUME, coro, 0, tail(0, kind::RESUME, point, 0));
    enter(coro);
}

/// Does what [`resume`] does, called by a hook before a run whose end [`suspend_around`] records. The end of the
/// previous run may not have been recorded yet. The event's time is read after all earlier instructions (P-36).
#[cfg(all(feature = "tokio", tokio_unstable))]
pub(crate) fn resume_around(coro: u64, point: u8) {
    let pass = present_pass();
    if pass != 0 {
        emit_in(pass, kind::WAKE, coro, 0, tail(0, kind::RESUME, point, layout::TOLD_AROUND as u16));
    }
    enter(coro);
}

/// Does what [`suspend`] does, called by a hook after a run: another thread may already run `coro`.
#[cfg(all(feature = "tokio", tokio_unstable))]
pub(crate) fn suspend_around(coro: u64, site: u32, point: u8) {
    emit(coro, 0, tail(site, kind::SUSPEND, point, layout::TOLD_AROUND as u16));
    leave(coro);
}

/// Does what [`suspend_around`] does, for a wait for `resource` that was recorded during the run, and that ends at
/// `deadline_ns` at the latest (0: no such time). Something other than `resource` may end the wait, too: what else was
/// polled is not known.
#[cfg(all(feature = "tokio", tokio_unstable))]
pub(crate) fn suspend_around_for(coro: u64, resource: u64, site: u32, point: u8, deadline_ns: u64) {
    let suspend = tail(site, kind::SUSPEND, point, layout::TOLD_AROUND as u16);
    let told = if deadline_ns != 0 { detail::DEADLINE } else { detail::RESOURCE };
    emit_with(coro, resource, suspend, told, deadline_ns);
    leave(coro);
}

/// `coro` gives up its thread at `site`, and waits for `resource`.
#[inline(always)]
pub fn suspend(coro: u64, resource: u64, site: u32, point: u8) {
    emit(coro, resource, tail(site, kind::SUSPEND, point, 0));
    leave(coro);
}

/// Does what [`suspend`] does, for a wait that ends at `deadline_ns` at the latest.
#[inline]
pub fn suspend_until(coro: u64, resource: u64, site: u32, point: u8, deadline_ns: u64) {
    let suspend = tail(site, kind::SUSPEND, point, 0);
    emit_with_of(category::SCHEDULING, coro, resource, suspend, detail::DEADLINE, deadline_ns);
    leave(coro);
}

/// Does what [`suspend`] does, for a wait that something other than `resource` may end, too.
#[inline]
pub fn suspend_for_more(coro: u64, resource: u64, site: u32, point: u8) {
    let suspend = tail(site, kind::SUSPEND, point, 0);
    emit_with_of(category::SCHEDULING, coro, resource, suspend, detail::RESOURCE, 0);
    leave(coro);
}

/// This thread leaves `from`, at `site`, and enters `to`, with one reading of the clock. Either coroutine may be 0.
#[inline]
pub fn switch(from: u64, to: u64, site: u32, point: u8) {
    emit(from, to, tail(site, kind::SWITCH, point, 0));
    leave(from);
    enter(to);
}

/// Does what [`switch`] does, when `from` waits for `resource`.
#[inline]
pub fn switch_for(from: u64, to: u64, resource: u64, site: u32, point: u8) {
    emit_with_of(category::SCHEDULING, from, to, tail(site, kind::SWITCH, point, 0), detail::RESOURCE, resource);
    leave(from);
    enter(to);
}

/// The last suspension of `coro` that was recorded did not take place.
#[inline]
pub fn cancel(coro: u64) {
    emit(coro, 0, tail(0, kind::CANCEL, 0, 0));
    enter(coro);
}

/// `waker`, or 0, makes `target` ready. `target` is a handle of kind COROUTINE or FRAME; `outcome` is the result of the
/// wake.
#[inline]
pub fn wake(waker: u64, target: u64, site: u32, outcome: u8) {
    emit(waker, target, tail(site, kind::WAKE, outcome, 0));
}

/// Records that the coroutine has suspended and kept no waker. `has_taken`: the coroutine took a waker during the run,
/// and dropped it again.
pub(crate) fn tell_no_waker(coro: u64, has_taken: bool) {
    let flags = if has_taken { layout::WAKER_TAKEN as u16 } else { 0 };
    emit(0, handle(resource::COROUTINE, coro), tail(0, kind::WAKE, outcome::NO_WAKER, flags));
}

/// Records the [`wake`] of a coroutine by itself. This wake follows nothing that another thread passed on, so its time
/// needs no fence (P-95).
#[inline(always)]
pub(crate) fn wake_itself(coro: u64, outcome: u8) {
    let pass = present_pass();
    if pass != 0 {
        let target = handle(resource::COROUTINE, coro);
        emit_in(pass, kind::SUSPEND, coro, target, tail(0, kind::WAKE, outcome, 0));
    }
}

/// `coro` has run to its end; the coroutine exists until [`destroy`].
#[inline]
pub fn return_(coro: u64) {
    emit(coro, 0, tail(0, kind::RETURN, 0, 0));
    leave(coro);
}

/// Does what [`return_`] does, if a panic or an error ended the coroutine; `site` is where it arose, 0: not known.
#[inline]
pub fn return_failed(coro: u64, site: u32) {
    emit(coro, 0, tail(site, kind::RETURN, 0, layout::RETURN_FAILED as u16));
    leave(coro);
}

/// Does what [`return_`] does, if `coro` was cancelled; `site` is where it waited until then, 0: not known.
#[inline]
pub fn return_cancelled(coro: u64, site: u32) {
    emit(coro, 0, tail(site, kind::RETURN, 0, layout::RETURN_CANCELLED as u16));
    leave(coro);
}

/// `coro` is gone; `life` says what the coroutine did before.
#[inline]
pub fn destroy(coro: u64, life: u8) {
    destroy_at(coro, life, 0);
}

/// Does what [`destroy`] does, if another party destroyed the coroutine, at `site`.
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

/// `parent`'s child has come to its end.
#[inline]
pub fn await_done(parent: u64, child: u64) {
    emit(parent, child, tail(0, kind::AWAIT_DONE, 0, 0));
}

/// `coro` holds the resource from here on. A coroutine that got the resource by [`hand_over`] does not write this
/// event.
#[inline]
pub fn acquire(coro: u64, resource: u64, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::ACQUIRE, 0, 0));
}

/// `coro` gives the resource back, and the resource is free.
#[inline]
pub fn release(coro: u64, resource: u64, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::RELEASE, 0, 0));
}

/// This thread, with all that runs on it, is about to wait for the lock, for at most this many milliseconds; -1:
/// without limit.
#[inline]
pub fn block(lock: u64, timeout_ms: i64, site: u32) {
    emit(lock, timeout_ms as u64, tail(site, kind::BLOCK_BEGIN, call::LOCK, 0));
}

/// The thread no longer waits.
#[inline]
pub fn block_done(site: u32) {
    emit(0, 0, tail(site, kind::BLOCK_END, call::LOCK, 0));
}

/// `coro` gives the resource to the coroutine `receiver`; the resource is never free in between.
#[inline]
pub fn hand_over(coro: u64, resource: u64, receiver: u64, site: u32) {
    let given = tail(site, kind::HAND_OVER, 0, 0);
    emit_with_of(category::RESOURCES, coro, resource, given, detail::RECEIVER, receiver);
}

/// `coro` notifies the resource's waiters and wakes `nr_woken` of them. A notification that finds no waiter (0) is
/// worth recording.
#[inline]
pub fn notify(coro: u64, resource: u64, nr_woken: u32, site: u32) {
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::NOTIFY, nr_woken.min(255) as u8, 0));
}

/// Does what [`notify`] does, if a coroutine that begins to wait later has nothing of it.
pub(crate) fn notify_unkept(coro: u64, resource: u64, nr_woken: u32, site: u32) {
    let flags = layout::NOTIFY_UNKEPT as u16;
    emit_of(category::RESOURCES, coro, resource, tail(site, kind::NOTIFY, nr_woken.min(255) as u8, flags));
}

/// `coro`, which is ready, enters the queue.
#[inline]
pub fn enqueue(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::ENQUEUE, 0, 0));
}

/// Does what [`enqueue`] does, if only the calling thread can take the coroutine out again.
#[inline]
pub fn enqueue_private(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::ENQUEUE, 0, layout::ENQUEUE_PRIVATE as u16));
}

/// `coro` is taken from the queue to be run.
#[inline]
pub fn dequeue(coro: u64, queue: u64) {
    emit(coro, queue, tail(0, kind::DEQUEUE, 0, 0));
}

/// The descriptor exists; write this after the call that opened the descriptor.
#[inline]
pub fn descriptor_open(descriptor: u64, site: u32) {
    emit_of(category::DESCRIPTORS, 0, descriptor, tail(site, kind::DESCRIPTOR_OPEN, 0, 0));
}

/// The descriptor is about to be closed; write this before the call that closes the descriptor.
#[inline]
pub fn descriptor_close(descriptor: u64, site: u32) {
    emit_of(category::DESCRIPTORS, 0, descriptor, tail(site, kind::DESCRIPTOR_CLOSE, 0, 0));
}

/// Records an `epoll_ctl` with this operation (1 add, 2 delete, 3 modify), events and user data.
#[inline]
pub fn descriptor_arm(descriptor: u64, operation: u8, events: u16, user_data: u64, site: u32) {
    emit_of(category::DESCRIPTORS, user_data, descriptor, tail(site, kind::DESCRIPTOR_ARM, operation, events));
}

/// `epoll_wait` reported these events, with this user data.
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

/// Does what [`park`] does, for a sleep that ends at `deadline_ns` at the latest.
#[inline]
pub fn park_until(resource: u64, site: u32, deadline_ns: u64) {
    emit_with_of(category::SCHEDULING, 0, resource, tail(site, kind::PARK, 0, 0), detail::DEADLINE, deadline_ns);
    current_set(0);
}

/// Does what [`park`] does, if no timer of the scheduler is set, so that only a wake ends the sleep. For schedulers
/// that nevertheless sleep in a call with a time-out, after which they only look for work again.
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

/// Begins a range: something that a runtime does besides running coroutines ([`range`] says for each kind what the
/// range concerns). `coro` is the coroutine that the range concerns or that began it, and `processor` the handle of the
/// processor that it concerns; 0: none. A further beginning of the same kind ends the range before it.
#[inline]
pub fn range_begin(coro: u64, processor: u64, range: u8, site: u32) {
    emit_of(category::RUNTIME, coro, processor, tail(site, kind::RANGE_BEGIN, range, 0));
}

/// The range of this kind, for the same coroutine and processor, has ended.
#[inline]
pub fn range_end(coro: u64, processor: u64, range: u8) {
    emit_of(category::RUNTIME, coro, processor, tail(0, kind::RANGE_END, range, 0));
}

/// The processor with this number is in this state ([`processor`]) from here on; a processor that is not idle belongs
/// to the calling thread.
#[inline]
pub fn processor_state(number: u64, state: u8) {
    emit_of(category::RUNTIME, 0, handle(resource::PROCESSOR, number), tail(0, kind::PROCESSOR, state, 0));
}

/// `coro`, which runs on this thread, enters the system call of this number; 0: not stated.
#[inline]
pub fn syscall_begin(coro: u64, number: u64, site: u32) {
    emit(coro, number, tail(site, kind::SYSCALL_BEGIN, 0, 0));
}

/// The system call has returned. `is_ready`: the thread's processor was taken away, so `coro` waits for another one,
/// and a resume follows; otherwise `coro` runs on.
#[inline]
pub fn syscall_end(coro: u64, is_ready: bool) {
    let flags = if is_ready { layout::SYSCALL_READY as u16 } else { 0 };
    emit(coro, 0, tail(0, kind::SYSCALL_END, 0, flags));
}

/// Returns a number that no other task of this process has had or will have; 0 if there is no segment.
#[inline]
pub fn task_new() -> u64 {
    coro_new()
}

/// The task begins, and `coro` works for it from here on.
#[inline]
pub fn task_begin(coro: u64, task: u64, site: u32) {
    emit_of(category::TASKS, coro, task, tail(site, kind::TASK_BEGIN, 0, 0));
}

/// The task has ended; may be called on any thread.
#[inline]
pub fn task_end(coro: u64, task: u64) {
    emit_of(category::TASKS, coro, task, tail(0, kind::TASK_END, 0, 0));
}

/// `coro` works for this task from here on; 0: for no task.
#[inline]
pub fn task_set(coro: u64, task: u64) {
    emit_of(category::TASKS, coro, task, tail(0, kind::TASK_SET, 0, 0));
}

/// A region with the site's name begins; `task` 0: the region belongs to the present task.
#[inline]
pub fn region_begin(coro: u64, task: u64, site: u32) {
    emit_of(category::REGIONS, coro, task, tail(site, kind::REGION_BEGIN, 0, 0));
}

/// Closes the innermost region with the site's name, and the regions that are open inside it.
#[inline]
pub fn region_end(coro: u64, site: u32) {
    emit_of(category::REGIONS, coro, 0, tail(site, kind::REGION_END, 0, 0));
}

/// Writes a message; its text is the site's.
#[inline]
pub fn log(coro: u64, site: u32) {
    emit_of(category::LOGS, coro, 0, tail(site, kind::LOG, 0, 0));
}

/// Writes a message with a number, which replaces {} in the text, or else is shown after the text.
#[inline]
pub fn log_number(coro: u64, number: i64, site: u32) {
    let flags = layout::LOG_HAS_NUMBER as u16;
    emit_of(category::LOGS, coro, number as u64, tail(site, kind::LOG, 0, flags));
}

/// Writes a message with a text that is made at run time and cut after 128 bytes; costs one record for each eight
/// bytes.
#[inline]
pub fn log_text(coro: u64, text: &str, site: u32) {
    emit_text(coro, text.as_bytes(), site);
}

/// A quantity of the program has this value from here on.
#[inline]
pub fn counter(value: i64, site: u32) {
    emit_of(category::COUNTERS, 0, value as u64, tail(site, kind::COUNTER, 0, 0));
}

/// Gives the coroutine the name of the site; the last name that was given counts.
#[inline]
pub fn name_coro(coro: u64, site: u32) {
    emit(0, handle(resource::COROUTINE, coro), tail(site, kind::NAME, 0, 0));
}

/// Gives the calling thread the name of the site.
#[inline]
pub fn name_thread(site: u32) {
    emit(0, 0, tail(site, kind::NAME, 0, 0));
}

/// Gives the resource the name of the site.
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

/// `coro` runs once, without a wait, on a thread of a pool for work that may take any length of time.
#[inline]
pub fn blocking(coro: u64) {
    mark(coro, mark::BLOCKING, 0, 0);
}

/// The program wants recording from here on.
#[inline]
pub fn start() {
    mark(0, mark::START, 0, 0);
}

/// The program no longer wants recording from here on.
#[inline]
pub fn stop() {
    mark(0, mark::STOP, 0, 0);
}
