// SPDX-License-Identifier: MIT
//! Attaching: making the segment, handing it to the engine, opening the gate.
//!
//! The steps, in this order: guard the gate against fork; make the segment and map it; fill the header, magic last;
//! send the descriptor; take over the sites of an earlier attachment; open the gate. A step that fails undoes the steps
//! before it, and the program runs untraced.
#![allow(unsafe_code)]

use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::layout::{self, clock, header, orders, policy, role, segment_state};
use crate::layout::{FEATURE_ABOUT, FEATURE_CATEGORIES, FEATURE_FLIGHT, FEATURE_WAKES, FEATURE_WANTED};
use crate::memory::Base;
use crate::probe::flight::{self, Flight};
use crate::probe::segment::{has_orders_page, Segment, ORDERS_OFFSET, RING_OFFSET};
use crate::probe::state::{gate_lock, gate_page, gate_pass, orders_page, pass_of, present_pass, PROCESS};
use crate::probe::{about, clock as clocks, ring, share, site};
use crate::system::{self, Quiet};

/// The wishes of one attachment.
pub struct Wish {
    pub engine: Option<&'static [u8]>,
    pub flight: Option<Flight>,
    /// Wait for an engine that comes later, if there is neither an engine nor a flight recorder.
    pub waits: bool,
}

extern "C" fn gate_close_in_child() {
    gate_pass().store(0, Ordering::Relaxed);
    gate_lock().store(0, Ordering::Relaxed);
}

/// If the machine's pages are larger than the gate, the kernel would wipe what lies behind the gate, too.
fn gate_is_wiped_on_fork() -> bool {
    let page = layout::PAGE_BYTES as u64;
    // SAFETY: the gate's own page, which is accessed only through atomics.
    system::page_bytes() == page && unsafe { system::advise(gate_page().address(), page, system::MADV_WIPEONFORK) }
}

/// Makes the kernel close the gate in forked children, however they are made. The C library is asked, too, because some
/// emulators accept the advice and do not follow it.
fn gate_guard() -> bool {
    if PROCESS.is_guarded.load(Ordering::Relaxed) != 0 {
        return true;
    }
    let is_wiped = gate_is_wiped_on_fork();
    if !system::at_fork(gate_close_in_child) && !is_wiped {
        return false;
    }
    PROCESS.is_guarded.store(1, Ordering::Relaxed);
    true
}

/// Returns the clock that the engine demands in the environment, if events can read the engine's coarse time; else our
/// own choice.
fn clock_of(segment: &Segment) -> u32 {
    let is_asked = system::environment(layout::CLOCK_ENVIRONMENT) == Some(b"coarse");
    if is_asked && !segment.plan.is_flight && has_orders_page() {
        return clock::COARSE;
    }
    clocks::choose()
}

/// Takes part in the sleep handshake, if that is cheap: a process of several threads that registers for the first time
/// waits about 14 ms for the kernel.
fn barrier_register() -> bool {
    let was = |old: Base| old.word(header::FEATURES_COMPATIBLE).load(Ordering::Relaxed) & FEATURE_WAKES != 0;
    let is_registered = system::is_barrier_registered() || PROCESS.header().map_or(false, was);
    (is_registered || system::is_single_threaded()) && system::barrier_register()
}

fn features(segment: &Segment) -> u64 {
    let mut features = FEATURE_ABOUT;
    if has_orders_page() {
        features |= FEATURE_CATEGORIES | FEATURE_WANTED | if barrier_register() { FEATURE_WAKES } else { 0 };
    }
    features | if segment.plan.is_flight { FEATURE_FLIGHT } else { 0 }
}

fn identity_make(segment: Base) {
    let mut identity = [0; 16];
    if !system::random(&mut identity) {
        let first = system::nanoseconds(system::CLOCK_REALTIME) ^ u64::from(system::process_id()) << 40;
        let second = system::nanoseconds(system::CLOCK_MONOTONIC) ^ segment.address() as u64;
        identity[..8].copy_from_slice(&first.to_le_bytes());
        identity[8..].copy_from_slice(&second.to_le_bytes());
    }
    // SAFETY: no other thread or process has the segment yet.
    unsafe { segment.fill(header::IDENTITY, &identity) };
}

fn plan_tell(segment: &Segment) {
    let (plan, base) = (&segment.plan, segment.header);
    let words = [
        (header::SEGMENT_BYTES, plan.file_bytes),
        (header::ORDERS_OFFSET, ORDERS_OFFSET),
        (header::RING_OFFSET, RING_OFFSET),
        (header::SITE_OFFSET, plan.site_offset),
        (header::NAME_OFFSET, plan.name_offset),
        (header::CHUNK_OFFSET, plan.chunk_offset),
        (header::ABOUT_OFFSET, plan.about_offset),
        (header::ABOUT_BYTES, plan.about_bytes),
    ];
    let halves = [
        (header::RING_MAX, plan.ring_max),
        (header::SITE_MAX, plan.site_max),
        (header::NAME_BYTES, plan.name_bytes),
        (header::CHUNK_MAX, plan.chunk_max),
    ];
    words.iter().for_each(|&(place, value)| base.word(place).store(value, Ordering::Relaxed));
    halves.iter().for_each(|&(place, value)| base.half(place).store(value, Ordering::Relaxed));
}

fn header_fill(segment: &Segment, wanted: u32) {
    let base = segment.header;
    let at_engine = share::orders_of(base);
    plan_tell(segment);
    if segment.plan.is_flight {
        at_engine.half(orders::POLICY).store(policy::OVERWRITE_OLDEST, Ordering::Relaxed);
    }
    // Events are wanted from the first one on, even if the engine has not mapped the segment yet.
    at_engine.half(orders::WANTED).store(wanted, Ordering::Relaxed);
    // This value holds until the engine advances it.
    at_engine.word(orders::COARSE_TIME).store(system::nanoseconds(system::CLOCK_MONOTONIC), Ordering::Relaxed);
    base.word(header::FEATURES_COMPATIBLE).store(features(segment), Ordering::Relaxed);
    base.word(header::PID).store(u64::from(system::process_id()), Ordering::Relaxed);
    let unit = clock_of(segment);
    let halves = [
        (header::VERSION, layout::VERSION),
        (header::HEADER_BYTES, header::BYTES as u32),
        (header::CLOCK, unit),
        (header::ROLE, role::PROBE),
        (header::SITES_USED, 1),
        (header::NAMES_USED, site::NAME_HEAD),
        (header::STATE, segment_state::LIVE),
    ];
    halves.iter().for_each(|&(place, value)| base.half(place).store(value, Ordering::Relaxed));
    clocks::read_into(base, unit);
    identity_make(base);
    base.word(header::MAGIC).store(layout::MAGIC, Ordering::Release); // P6
}

fn hello() -> [u8; layout::hello::BYTES] {
    let mut bytes = [0; layout::hello::BYTES];
    bytes[..8].copy_from_slice(&layout::MAGIC.to_le_bytes());
    bytes[8..12].copy_from_slice(&layout::VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&role::PROBE.to_le_bytes());
    bytes
}

fn send(segment: &Segment, engine: &[u8]) -> bool {
    let sent = |socket| system::is_peer_trusted(&socket) && system::send(&socket, &hello(), &segment.descriptor);
    system::connect(engine).map_or(false, sent)
}

/// Returns whether a segment may wait for an engine. A waiting segment takes a gigabyte of address space in a program
/// that may never be traced: no segment waits if address space is limited, or if its orders could not be read.
fn may_wait() -> bool {
    system::environment(layout::ATTACH_ENVIRONMENT) != Some(b"0")
        && has_orders_page()
        && system::limit(system::RLIMIT_AS) == Some(u64::MAX)
}

fn open_for_engine(engine: &[u8]) -> Option<Segment> {
    let segment = Segment::open()?;
    about::write(&segment);
    header_fill(&segment, layout::WANTED_ENGINE);
    send(&segment, engine).then_some(segment)
}

/// Chooses the segment: the engine's if there is an engine; else the flight recorder's if one is asked for; else one
/// that waits.
fn choose(wish: &Wish) -> Option<Segment> {
    if let Some(segment) = wish.engine.and_then(open_for_engine) {
        return Some(segment);
    }
    if let Some(flight) = &wish.flight {
        let segment = flight::open(flight)?;
        about::write(&segment);
        header_fill(&segment, layout::WANTED_FLIGHT);
        return Some(segment);
    }
    if !wish.waits || !may_wait() {
        return None;
    }
    let segment = Segment::open()?;
    header_fill(&segment, 0);
    Some(segment)
}

fn thread_key_make() {
    if PROCESS.thread_key.load(Ordering::Relaxed) == 0 {
        // A thread's first event may be written in a signal handler, where setting the key must not allocate.
        let key = system::thread_key(ring::thread_leave);
        PROCESS.thread_key.store(key.map_or(0, |key| key + 1), Ordering::Relaxed);
    }
}

/// Returns the device and inode of a descriptor's file; zeros if they are not known.
fn identity_of(descriptor: i32) -> (u64, u64) {
    std::fs::metadata(format!("/proc/self/fd/{descriptor}")).map_or((0, 0), |file| (file.dev(), file.ino()))
}

/// Closes the descriptor of an earlier attachment, unless the number refers to another file by now.
pub fn descriptor_retire() {
    let descriptor = PROCESS.descriptor.swap(-1, Ordering::Relaxed);
    let kept = (PROCESS.device.load(Ordering::Relaxed), PROCESS.inode.load(Ordering::Relaxed));
    if descriptor >= 0 && kept != (0, 0) && identity_of(descriptor) == kept {
        system::close(descriptor);
    }
}

/// Lowers a limit that threads obey while some may still be busy with the segment before. The limits never grow, so
/// that they hold for both segments.
fn limit(limit: &AtomicU32, of_segment: u32) {
    let present = limit.load(Ordering::Relaxed);
    if present == 0 || present > of_segment {
        limit.store(of_segment, Ordering::Relaxed);
    }
}

/// Moves the old segment's sites to the new segment. A forked child lets go of its parent's memory. Nothing is
/// unmapped: an event that fork interrupted may still be written, and goes nowhere.
fn inherit(segment: Base) {
    let is_forked = PROCESS.pid.load(Ordering::Relaxed) != system::process_id();
    let old_bytes = PROCESS.segment_bytes.load(Ordering::Relaxed);
    // P8: from here on no site is numbered in the old segment that the new segment does not inherit.
    let old = match PROCESS.header_take() {
        Some(old) => old,
        None => return,
    };
    site::inherit(segment, old);
    if is_forked {
        site::slots_release();
        // SAFETY: the segment's own mapping, which is accessed only through atomics.
        unsafe { system::map_nothing(old.address(), old_bytes) };
    }
}

fn process_take(segment: Segment) {
    let (plan, bytes) = (segment.plan, segment.bytes);
    descriptor_retire();
    limit(&PROCESS.ring_max, plan.ring_max);
    limit(&PROCESS.site_max, plan.site_max);
    limit(&PROCESS.name_bytes, plan.name_bytes);
    inherit(segment.header);
    let (base, descriptor) = segment.keep();
    let (device, inode) = identity_of(descriptor);
    PROCESS.device.store(device, Ordering::Relaxed);
    PROCESS.inode.store(inode, Ordering::Relaxed);
    PROCESS.descriptor.store(descriptor, Ordering::Relaxed);
    PROCESS.segment_bytes.store(bytes, Ordering::Relaxed);
    PROCESS.chunk_max.store(plan.chunk_max, Ordering::Relaxed);
    PROCESS.pid.store(system::process_id(), Ordering::Relaxed);
    PROCESS.rings_free.store(0, Ordering::Relaxed);
    let epoch = PROCESS.epoch.fetch_add(1, Ordering::Relaxed) + 1;
    let unit = base.half(header::CLOCK).load(Ordering::Relaxed);
    PROCESS.header_publish(base);
    if !has_orders_page() {
        orders_page().half(orders::WANTED).store(layout::WANTED_ENGINE, Ordering::Relaxed);
    }
    gate_pass().store(pass_of(epoch, unit), Ordering::Release); // P8
}

/// Returns whether the wish is met already. A segment that only waits gives way to an engine's or a flight recorder's.
fn is_served(wish: &Wish) -> bool {
    if wish.engine.is_none() && wish.flight.is_none() {
        return !wish.waits || gate_pass().load(Ordering::Relaxed) != 0;
    }
    present_pass() != 0
}

/// Attaches as wished; returns true while events are recorded. The lock is never waited for: a second thread runs
/// untraced until the first thread is done.
pub fn attach_to(wish: &Wish) -> bool {
    if is_served(wish) {
        return present_pass() != 0;
    }
    let _quiet = Quiet::begin();
    let is_ours = || gate_lock().compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok(); // P9
    if gate_guard() && is_ours() {
        if !is_served(wish) {
            if let Some(segment) = choose(wish) {
                thread_key_make();
                process_take(segment);
            }
        }
        gate_lock().store(0, Ordering::Release); // P9
    }
    present_pass() != 0
}

/// Returns the wish of the environment. The environment's flight recorder overrides the program's own.
pub fn wish(recorder: Option<Flight>) -> Wish {
    let waits = recorder.is_none();
    let flight = flight::asked().or(recorder);
    Wish { engine: system::environment(layout::ENVIRONMENT), flight, waits }
}

/// Closes the gate. Threads that are writing an event finish their record; the segment stays mapped until the process
/// ends.
pub fn detach() {
    let segment = match PROCESS.header() {
        Some(segment) if gate_pass().load(Ordering::Relaxed) != 0 => segment,
        _ => return,
    };
    gate_pass().store(0, Ordering::Relaxed);
    segment.half(header::STATE).store(segment_state::CLOSED, Ordering::Relaxed);
}
