// SPDX-License-Identifier: MIT
//! The state that the probe keeps outside of its segment: the gate, the place of the orders, the process, and each
//! thread.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::layout::{self, orders};
use crate::memory::{Base, Half, Page};

/// The gate: a page of its own, which the kernel fills with zeros in a forked child.
static GATE: Page = Page::new();

/// The segment's orders are mapped over this page, so that an event reads them at a fixed address.
static ORDERS: Page = Page::new();

const PASS: Half = Half::at(0);
const ATTACH_LOCK: Half = Half::at(4);

/// The gate's pass: 0 while there is no segment; else the attachment's number, with the clock in the low byte.
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

/// Returns 0 while no reader wants events, after one relaxed load; otherwise the gate's pass.
#[inline(always)]
pub fn present_pass() -> u32 {
    if orders_page().half(orders::WANTED).load(Ordering::Relaxed) == 0 {
        return 0;
    }
    gate_pass().load(Ordering::Relaxed)
}

/// The state of the process. Only attach and detach write it, except the slots and `rings_free`.
pub struct Process {
    header: AtomicPtr<u8>,
    pub segment_bytes: AtomicU64,
    pub epoch: AtomicU32,
    /// The memory file's descriptor, kept open so that an engine can find the file. `device` and `inode` identify the
    /// file.
    pub descriptor: AtomicI32,
    pub device: AtomicU64,
    pub inode: AtomicU64,
    pub pid: AtomicU32,
    /// Limits of the segment: our own copies, because the header's are not trusted.
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
    // SAFETY: `address` comes from `header_publish`, which stored the address of a segment, and a segment stays mapped.
    (!address.is_null()).then(|| unsafe { Base::new(address) })
}

impl Process {
    /// Returns the segment attached last.
    pub fn header(&self) -> Option<Base> {
        base_of(self.header.load(Ordering::Acquire)) // P8
    }

    /// Takes the present segment away, and returns it.
    pub fn header_take(&self) -> Option<Base> {
        base_of(self.header.swap(std::ptr::null_mut(), Ordering::AcqRel)) // P8
    }

    pub fn header_publish(&self, header: Base) {
        self.header.store(header.address(), Ordering::Release); // P8
    }

    /// Returns whether `header` is still the present segment. The word is read by exchanging it for itself: a thread
    /// that installs another segment afterwards sees all that this thread interned before (P8).
    pub fn is_present(&self, header: Base) -> bool {
        let address = header.address();
        self.header.compare_exchange(address, address, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

pub const SITE_SLOTS: usize = 8192;
pub const SITE_PROBES: usize = 16;

/// One remembered site: the place from which it was interned, and its number once the number is known.
pub struct Slot {
    pub place: AtomicUsize,
    pub position: AtomicU64,
    pub reason: AtomicUsize,
    pub id: AtomicU32,
    pub claimed: AtomicU32,
}

#[allow(clippy::declare_interior_mutable_const)] // the initial value of each element of the array
const EMPTY: Slot = Slot {
    place: AtomicUsize::new(0),
    position: AtomicU64::new(0),
    reason: AtomicUsize::new(0),
    id: AtomicU32::new(0),
    claimed: AtomicU32::new(0),
};

pub static SLOTS: [Slot; SITE_SLOTS] = [EMPTY; SITE_SLOTS];

/// The state of one thread, zero until the thread's first event. `cursor` is a multiple of CHUNK_BYTES exactly when the
/// next record needs the cold path: at the end of a chunk, or 0.
#[repr(C, align(64))]
pub struct Thread {
    pub cursor: Cell<usize>,
    pub ring: Cell<Option<Base>>,
    pub head: Cell<u64>,
    /// The stack pointer at the start of what is under way, with BUSY_ID set if a coroutine id is being taken; 0:
    /// nothing is under way.
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

/// Returns the calling thread's state. The state has no destructor, so it exists until the very end of the thread.
///
/// # Safety
/// The reference must not leave the function that asked for it. (This function takes no closure: a compiler may make a
/// separate function of a closure, which would then decide at run time what is known at compile time in the caller.)
#[inline(always)]
pub unsafe fn thread_self<'a>() -> &'a Thread {
    unsafe { &*THREAD.with(|thread| thread as *const Thread) }
}

impl Thread {
    /// Returns the record to which the cursor points.
    ///
    /// # Safety
    /// The cursor is not 0, and not at a chunk's end.
    #[inline(always)]
    pub unsafe fn record(&self) -> Base {
        unsafe { Base::new(self.cursor.get() as *mut u8) }
    }

    /// Returns whether this many records fit into the chunk that the cursor is in.
    #[inline(always)]
    pub fn has_places(&self, nr_records: usize) -> bool {
        let place = self.cursor.get() % layout::CHUNK_BYTES;
        place != 0 && place + (nr_records - 1) * layout::RECORD_BYTES < layout::CHUNK_BYTES
    }
}

/// Returns the present stack pointer.
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
