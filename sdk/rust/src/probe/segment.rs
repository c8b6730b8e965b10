// SPDX-License-Identifier: MIT
//! The memory of a segment: making, sizing and mapping it.
#![allow(unsafe_code)]

use crate::layout::{site, CHUNK_BYTES, CHUNK_MAX, NAME_BYTES, PAGE_BYTES, RING_MAX, RING_STRIDE, SITE_MAX};
use crate::memory::Base;
use crate::probe::state::orders_page;
use crate::system::{self, Descriptor};

const fn align_up(bytes: u64, unit: u64) -> u64 {
    (bytes + unit - 1) / unit * unit
}

pub const UNIT_BYTES: u64 = 65536; // no page is larger
const MAP_ALIGNMENT: u64 = 2 << 20;
const CHUNKS_LEAST: u32 = 256; // with fewer chunks tracing is not worth while
const CHUNK: u64 = CHUNK_BYTES as u64;

// Offsets of the parts of a segment in the memory of this process. A memory file has the parts at the same offsets; in
// a flight recorder's file, which is small, they lie closer together.
pub const ORDERS_OFFSET: u64 = PAGE_BYTES as u64;
pub const RING_OFFSET: u64 = 2 * PAGE_BYTES as u64;
pub const SITE_OFFSET: u64 = align_up(RING_OFFSET + RING_MAX as u64 * RING_STRIDE as u64, UNIT_BYTES);
pub const NAME_OFFSET: u64 = SITE_OFFSET + SITE_MAX as u64 * site::BYTES as u64;
pub const ABOUT_OFFSET: u64 = NAME_OFFSET + NAME_BYTES as u64;
pub const CHUNK_OFFSET: u64 = align_up(ABOUT_OFFSET + UNIT_BYTES, MAP_ALIGNMENT);

/// How a segment's file is shared out.
#[derive(Clone, Copy)]
pub struct Plan {
    pub file_bytes: u64,
    pub site_offset: u64,
    pub name_offset: u64,
    pub chunk_offset: u64,
    pub about_offset: u64,
    pub about_bytes: u64,
    pub ring_max: u32,
    pub site_max: u32,
    pub name_bytes: u32,
    pub chunk_max: u32,
    pub is_flight: bool,
}

/// A segment that no thread uses yet: dropping it leaves nothing behind.
pub struct Segment {
    pub header: Base,
    pub bytes: u64, // of address space
    pub plan: Plan,
    pub descriptor: Descriptor,
}

impl Plan {
    /// Returns the largest plan of a segment, with this many chunks.
    fn whole(chunk_max: u32) -> Self {
        Self {
            file_bytes: CHUNK_OFFSET + u64::from(chunk_max) * CHUNK,
            site_offset: SITE_OFFSET,
            name_offset: NAME_OFFSET,
            chunk_offset: CHUNK_OFFSET,
            about_offset: ABOUT_OFFSET,
            about_bytes: UNIT_BYTES,
            ring_max: RING_MAX,
            site_max: SITE_MAX,
            name_bytes: NAME_BYTES,
            chunk_max,
            is_flight: false,
        }
    }

    /// Returns each part as (offset in memory, offset in the file, length).
    fn parts(&self) -> Vec<(u64, u64, u64)> {
        let chunks = u64::from(self.chunk_max) * CHUNK;
        if self.chunk_offset == CHUNK_OFFSET {
            return vec![(0, 0, CHUNK_OFFSET + chunks)];
        }
        vec![
            (0, 0, self.site_offset),
            (SITE_OFFSET, self.site_offset, self.name_offset - self.site_offset),
            // The text about the process follows the names, so that a core dump has it, too.
            (NAME_OFFSET, self.name_offset, u64::from(self.name_bytes) + self.about_bytes),
            (CHUNK_OFFSET, self.chunk_offset, chunks),
        ]
    }
}

/// Returns the largest file size that RLIMIT_FSIZE allows: beyond it the kernel would end the program by SIGXFSZ.
pub fn bytes_allowed() -> u64 {
    system::limit(system::RLIMIT_FSIZE).unwrap_or(0)
}

fn chunks_allowed() -> u32 {
    let chunks = bytes_allowed().saturating_sub(CHUNK_OFFSET) / CHUNK;
    chunks.min(u64::from(CHUNK_MAX)) as u32
}

/// Returns whether the segment's orders can be mapped over their page: only if the machine's pages are as large as that
/// page. If pages are larger, only an engine that is present when the program attaches can trace it, and the program
/// obeys only those of the engine's orders that concern rings.
pub fn has_orders_page() -> bool {
    system::page_bytes() == PAGE_BYTES as u64
}

/// Reserves address space at a multiple of MAP_ALIGNMENT.
fn reserve_aligned(bytes: u64) -> Option<*mut u8> {
    let whole = system::reserve(bytes + MAP_ALIGNMENT)?;
    let before = align_up(whole as u64, MAP_ALIGNMENT) - whole as u64;
    // SAFETY: the addresses that are unmapped lie within the addresses that were reserved just now.
    unsafe {
        let place = whole.add(before as usize);
        system::unmap(whole, before);
        system::unmap(place.add(bytes as usize), MAP_ALIGNMENT - before);
        Some(place)
    }
}

/// Maps a file's parts at the addresses where this process expects them, and its orders a second time.
pub fn map(plan: &Plan, file: &Descriptor) -> Option<(Base, u64)> {
    let bytes = CHUNK_OFFSET + u64::from(plan.chunk_max) * CHUNK;
    let place = reserve_aligned(bytes)?;
    // SAFETY: the parts lie within the reserved addresses; the orders' page is accessed only through atomics.
    unsafe {
        let is_mapped =
            plan.parts().iter().all(|&(at, from, bytes)| system::map_over(place.add(at as usize), file, from, bytes));
        let orders = orders_page().address();
        let has_orders =
            is_mapped && (!has_orders_page() || system::map_over(orders, file, ORDERS_OFFSET, PAGE_BYTES as u64));
        if !has_orders {
            system::unmap(place, bytes);
            return None;
        }
        // A flight recorder is small, and a core dump shall have it.
        if !plan.is_flight {
            system::advise(place, bytes, system::MADV_DONTDUMP);
        }
        Some((Base::new(place), bytes))
    }
}

impl Segment {
    pub fn new(plan: Plan, descriptor: Descriptor, mapped: (Base, u64)) -> Self {
        Self { header: mapped.0, bytes: mapped.1, plan, descriptor }
    }

    /// Opens a segment that will be handed to an engine.
    pub fn open() -> Option<Self> {
        let mut chunks = chunks_allowed();
        let descriptor = if chunks >= CHUNKS_LEAST { Descriptor::memory()? } else { return None };
        // Address space may be short (RLIMIT_AS): try with fewer chunks then.
        while chunks >= CHUNKS_LEAST {
            let plan = Plan::whole(chunks);
            let mapped = if descriptor.resize(plan.file_bytes) { map(&plan, &descriptor) } else { None };
            if let Some(mapped) = mapped {
                let segment = Self::new(plan, descriptor, mapped);
                return if segment.descriptor.seal() { Some(segment) } else { None };
            }
            chunks /= 4;
        }
        None
    }

    /// Keeps the segment mapped until the process ends, and its descriptor open.
    pub fn keep(self) -> (Base, i32) {
        let kept = std::mem::ManuallyDrop::new(self);
        (kept.header, kept.descriptor.number())
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: no thread has the segment. Zeros replace its orders: no events are wanted.
        unsafe {
            system::unmap(self.header.address(), self.bytes);
            if has_orders_page() {
                system::map_nothing(orders_page().address(), PAGE_BYTES as u64);
            }
        }
    }
}
