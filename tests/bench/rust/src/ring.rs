// SPDX-License-Identifier: MIT
//! The rings, drained as by an engine that keeps up; and the floor.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

const RING_OFFSET: usize = 8192;
const TAIL: usize = 64;

/// The address of the segment.
fn segment() -> usize {
    static SEGMENT: OnceLock<usize> = OnceLock::new();
    *SEGMENT.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
        let line = maps.lines().filter(|line| line.contains("memfd:corotracer")).max_by_key(|line| {
            let (begin, end) = line.split(' ').next().and_then(|range| range.split_once('-')).expect("a range");
            usize::from_str_radix(end, 16).expect("an end") - usize::from_str_radix(begin, 16).expect("a beginning")
        });
        let begin = line.and_then(|line| line.split('-').next()).expect("a segment");
        usize::from_str_radix(begin, 16).expect("a beginning")
    })
}

/// Returns the first ring's records to the probe.
pub fn drain() {
    let ring = segment() + RING_OFFSET;
    // SAFETY: the segment stays mapped; its first ring's head and tail are words of 64 bits.
    unsafe {
        let head = (*(ring as *const AtomicU64)).load(Ordering::Acquire);
        (*((ring + TAIL) as *const AtomicU64)).store(head, Ordering::Release);
    }
}

#[cfg(target_arch = "x86_64")]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
fn counter() -> u64 {
    let counter: u64;
    // SAFETY: Linux lets programs read this register.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) counter) };
    counter
}

/// One reading, one record and one release store, `batch` times, into as much warm memory as the ring uses.
pub fn floor(batch: usize) -> impl FnMut() {
    const RECORDS: usize = 4096;
    let records: Vec<[AtomicU64; 4]> = (0..RECORDS).map(|_| Default::default()).collect();
    let head = AtomicU64::new(0);
    move || {
        for i in 0..batch as u64 {
            let at = head.load(Ordering::Relaxed);
            let record = &records[at as usize % RECORDS];
            record[0].store(counter(), Ordering::Relaxed);
            record[1].store(i, Ordering::Relaxed);
            record[2].store(i, Ordering::Relaxed);
            record[3].store(i | 4 << 32, Ordering::Relaxed);
            head.store(at + 1, Ordering::Release);
        }
    }
}
