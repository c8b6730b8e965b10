// SPDX-License-Identifier: MIT
//! What time-stamps count: the processor's counter if it is reliable, CLOCK_MONOTONIC, or a word that the engine
//! advances.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering;

use crate::layout::{clock, header, kind, orders};
use crate::memory::Base;
use crate::probe::state::orders_page;
use crate::system;

/// The kinds of events that follow something that another thread passed on (P-95). The processor may read its counter
/// before the preceding locked instruction has its cache line. Events of these kinds therefore read the counter after
/// all earlier instructions.
const FENCED: u64 = 1 << kind::CREATE
    | 1 << kind::WAKE
    | 1 << kind::DEQUEUE
    | 1 << kind::ACQUIRE
    | 1 << kind::RELEASE
    | 1 << kind::HAND_OVER
    | 1 << kind::NOTIFY;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter(is_fenced: bool) -> u64 {
    // SAFETY: every x86-64 processor has both instructions.
    unsafe {
        if is_fenced {
            std::arch::x86_64::_mm_lfence();
        }
        std::arch::x86_64::_rdtsc()
    }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter(is_fenced: bool) -> u64 {
    let counter: u64;
    // SAFETY: Linux allows programs to read this counter.
    unsafe {
        if is_fenced {
            std::arch::asm!("isb");
        }
        std::arch::asm!("mrs {}, cntvct_el0", out(reg) counter);
    }
    counter
}

#[cold]
#[inline(never)]
fn slow() -> u64 {
    system::nanoseconds(system::CLOCK_MONOTONIC)
}

/// Returns whether reading the clock takes a function call.
#[inline(always)]
pub const fn is_call(unit: u32) -> bool {
    unit != clock::COUNTER && unit != clock::COARSE
}

/// Returns the time of an event of this kind.
#[inline(always)]
pub fn time_of(unit: u32, kind: u8) -> u64 {
    if unit == clock::COUNTER {
        return counter(FENCED >> (kind & 63) & 1 != 0);
    }
    if unit == clock::COARSE {
        return orders_page().word(orders::COARSE_TIME).load(Ordering::Relaxed);
    }
    slow()
}

pub fn time(unit: u32) -> u64 {
    time_of(unit, 0)
}

/// Returns whether the counter runs at one rate in every state of the processor, and the kernel lists the counter among
/// its clock sources.
#[cfg(target_arch = "x86_64")]
pub fn choose() -> u32 {
    const POWER_MANAGEMENT: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    let mut list = [0; 256];
    // SAFETY: every x86-64 processor has the instruction; the highest leaf is asked for first.
    #[allow(unused_unsafe)] // newer compilers know that it is safe
    let is_invariant = unsafe {
        std::arch::x86_64::__cpuid(0x8000_0000).eax >= POWER_MANAGEMENT
            && std::arch::x86_64::__cpuid(POWER_MANAGEMENT).edx & INVARIANT != 0
    };
    let path = "/sys/devices/system/clocksource/clocksource0/available_clocksource\0";
    let length = match system::Descriptor::open(path) {
        Some(file) if is_invariant => file.read(&mut list),
        _ => 0,
    };
    if list[..length].split(|&byte| byte == b' ' || byte == b'\n').any(|word| word == b"tsc") {
        clock::COUNTER
    } else {
        clock::MONOTONIC
    }
}

#[cfg(target_arch = "aarch64")]
pub fn choose() -> u32 {
    clock::COUNTER
}

/// Takes three readings of one instant; keeps the fastest of several attempts.
pub fn read_into(segment: Base, unit: u32) {
    const TRIES: u32 = 8;
    let mut least = u64::MAX;
    for _ in 0..TRIES {
        let before = system::nanoseconds(system::CLOCK_MONOTONIC);
        let counter = time(unit);
        let realtime = system::nanoseconds(system::CLOCK_REALTIME);
        let took = system::nanoseconds(system::CLOCK_MONOTONIC) - before;
        if took >= least {
            continue;
        }
        least = took;
        segment.word(header::CLOCK_COUNTER).store(counter, Ordering::Relaxed);
        segment.word(header::CLOCK_MONOTONIC_NS).store(before + took / 2, Ordering::Relaxed);
        segment.word(header::CLOCK_REALTIME_NS).store(realtime, Ordering::Relaxed);
    }
}
