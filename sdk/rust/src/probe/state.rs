// SPDX-License-Identifier: MIT
//! What the probe keeps outside of its segment: the gate, the place of the orders, the process, and each thread.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::layout::{self, orders};
use crate::memory::{Base, Half, Page};

/// A page of its own, which the kernel fills with zeros in a forked child.
static GATE: Page = Page::new();

/// The segment's orders are mapped over this page: an event reads them at a fixed place.
static ORDERS: Page = Page::new();

const PASS: Half = Half::at(0);
const ATTACH_LOCK: Half = Half::at(4);

/// 0 while there is no segment; else the attachment's number, and below it what time-stamps count.
#[inline(always)]
pub fn gate_pass() -> &'static AtomicU32 {
    GATE.base().half(PASS)
}

/// 1: a thread is attaching.
pub fn gate_lock() -> &'static AtomicU32 {
    GATE.base().half(ATTACH_LOCK)
}

pub fn gate_page() -> Base {
    GATE.base()
}

#[inline(always)]
pub fn orders_page() -> Base {
    ORDERS.base()
}

pub const fn pass_of(epoch: u32, clock: u32) -> u32 {
    epoch << 8 | clock
}

#[inline(always)]
pub const fn clock_of(pass: u32) -> u32 {
    pass & 0xff
}

/// 0 while nobody wants events, after one relaxed load; else the gate's pass.
#[inline(always)]
pub fn present_pass() -> u32 {
    if orders_page().half(orders::WANTED).load(Ordering::Relaxed) == 0 {
        return 0;
    }
    gate_pass().load(Ordering::Relaxed)
}

/// Written by attach and detach only, but for the slots and `rings_free`.
pub struct Process {
    header: AtomicPtr<u8>,
    pub segment_bytes: AtomicU64,
    pub epoch: AtomicU32,
    /// The memory file, kept open so that an engine can find it; and which file that is.
    pub descriptor: AtomicI32,
    pub device: AtomicU64,
    pub inode: AtomicU64,
    pub pid: AtomicU32,
    /// Of the segment: our own copies, since the header's are not trusted.
    pub chunk_max: AtomicU32,
    pub ring_max: AtomicU32,
    pub site_max: AtomicU32,
    pub name_bytes: AtomicU32,
    pub rings_free: AtomicU32,
    pub is_guarded: AtomicU32,
    pub has_lock: AtomicU32,
    /// 1 + the thread key; 0: there is none.
    pub thread_key: AtomicU32,
}

pub static PROCESS: Process = Process {
    header: AtomicPtr::new(std::ptr::null_mut()),
    segment_bytes: AtomicU64::new(0),
    epoch: AtomicU32::new(0),
    descriptor: AtomicI32::new(-1),
    device: AtomicU64::new(0),
    inode: AtomicU64::new(0),
    pid: AtomicU32::new(0),
    chunk_max: AtomicU32::new(0),
    ring_max: AtomicU32::new(0),
    site_max: AtomicU32::new(0),
    name_bytes: AtomicU32::new(0),
    rings_free: AtomicU32::new(0),
    is_guarded: AtomicU32::new(0),
    has_lock: AtomicU32::new(0),
    thread_key: AtomicU32::new(0),
};

fn base_of(address: *mut u8) -> Option<Base> {
    // SAFETY: only what `header_publish` and `header_take` stored is handed in here: a segment, which stays mapped.
    (!address.is_null()).then(|| unsafe { Base::new(address) })
}

impl Process {
    /// The segment attached last.
    pub fn header(&self) -> Option<Base> {
        base_of(self.header.load(Ordering::Acquire)) // P8
    }

    /// Takes the present segment away.
    pub fn header_take(&self) -> Option<Base> {
        base_of(self.header.swap(std::ptr::null_mut(), Ordering::AcqRel)) // P8
    }

    pub fn header_publish(&self, header: Base) {
        self.header.store(header.address(), Ordering::Release); // P8
    }

    /// Whether `header` is the present segment, which is read by exchanging it for itself: what this thread interned
    /// before is seen by whoever puts another one in its place (P8).
    pub fn is_present(&self, header: Base) -> bool {
        let address = header.address();
        self.header.compare_exchange(address, address, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

pub const SITE_SLOTS: usize = 8192;
pub const SITE_PROBES: usize = 16;

/// One remembered site: the place it was interned from, and its number once that is known.
pub struct Slot {
    pub place: AtomicUsize,
    pub position: AtomicU64,
    pub reason: AtomicUsize,
    pub id: AtomicU32,
    pub claimed: AtomicU32,
}

#[allow(clippy::declare_interior_mutable_const)] // the first value of each element of the array
const EMPTY: Slot = Slot {
    place: AtomicUsize::new(0),
    position: AtomicU64::new(0),
    reason: AtomicUsize::new(0),
    id: AtomicU32::new(0),
    claimed: AtomicU32::new(0),
};

pub static SLOTS: [Slot; SITE_SLOTS] = [EMPTY; SITE_SLOTS];

/// One thread's own state, zero until its first event. `cursor` is a multiple of CHUNK_BYTES exactly where the next
/// record needs the cold path: at a chunk's end, or 0.
#[repr(C, align(64))]
pub struct Thread {
    pub cursor: Cell<usize>,
    pub ring: Cell<Option<Base>>,
    pub head: Cell<u64>,
    /// The stack pointer of what is under way, with BUSY_ID where that is a coroutine id; 0: nothing.
    pub busy: Cell<usize>,
    pub id_next: Cell<u64>,
    pub header: Cell<Option<Base>>,
    pub pass: Cell<u32>,
    pub chunk_max: Cell<u32>,
    pub tid: Cell<u32>,
    pub owes_start: Cell<bool>,
    pub current: Cell<u64>,
}

pub const BUSY_ID: usize = 1;

thread_local! {
    static THREAD: Thread = const {
        Thread {
            cursor: Cell::new(0),
            ring: Cell::new(None),
            head: Cell::new(0),
            busy: Cell::new(0),
            id_next: Cell::new(0),
            header: Cell::new(None),
            pass: Cell::new(0),
            chunk_max: Cell::new(0),
            tid: Cell::new(0),
            owes_start: Cell::new(false),
            current: Cell::new(0),
        }
    };
}

/// The calling thread's state. There is nothing to be dropped in it, so it is there until the thread's very end.
///
/// # Safety
/// The reference does not leave the function that asked for it. (No closure is handed in: a compiler may make a function
/// of its own of it, which then decides at run time what is known where it stands.)
#[inline(always)]
pub unsafe fn thread_self<'a>() -> &'a Thread {
    &*THREAD.with(|thread| thread as *const Thread)
}

impl Thread {
    /// The chunk's record that the cursor names.
    ///
    /// # Safety
    /// The cursor is not 0, and not at a chunk's end.
    #[inline(always)]
    pub unsafe fn record(&self) -> Base {
        Base::new(self.cursor.get() as *mut u8)
    }

    /// Whether so many records have room in the chunk that the cursor is in.
    #[inline(always)]
    pub fn has_places(&self, nr_records: usize) -> bool {
        let place = self.cursor.get() % layout::CHUNK_BYTES;
        place != 0 && place + (nr_records - 1) * layout::RECORD_BYTES < layout::CHUNK_BYTES
    }
}

/// Where the stack stands now.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let stack: usize;
    // SAFETY: reads a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        std::arch::asm!("mov {}, rsp", out(reg) stack, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        std::arch::asm!("mov {}, sp", out(reg) stack, options(nomem, nostack, preserves_flags));
    }
    stack
}
