// SPDX-License-Identifier: MIT
//! Interned sites and names.
//!
//! A site gets its number from a counter in the header, is written, and is then made ready (P5); it is never removed.
//! Two threads that meet a place for the first time at the same moment may give it two numbers, which costs room but
//! does no other harm. A new site shares the names of the sites interned just before, which are likely to have the same
//! file and function; this only saves room.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering;

use crate::layout::{header, site};
use crate::memory::{Base, Bytes, Half};
use crate::probe::segment::{NAME_OFFSET, SITE_OFFSET};
use crate::probe::share::hand_out;
use crate::probe::state::{present_pass, Slot, PROCESS, SITE_PROBES, SITE_SLOTS, SLOTS};
use crate::system::Quiet;

const TEXT_MAX: usize = 1024; // longer texts are cut
const NAMES_NEARBY: u32 = 16; // preceding sites whose names are compared before a name is written again
const LENGTH: Half = Half::at(0);
const TEXT: Bytes = Bytes::at(4);
pub const NAME_HEAD: u32 = 4;

/// The source of a site: its kind or ready word, a place in the source, names, an address.
#[derive(Clone, Copy, Default)]
pub struct Source<'a> {
    /// A `site_kind`, and a `form` above the kind's eight bits.
    pub kind: u32,
    /// The line, from 1 on; 0: not stated.
    pub line: u32,
    /// The column, from 1 on; 0: not stated.
    pub column: u32,
    /// The file, as the compiler names it.
    pub file: Option<&'a str>,
    /// The function's name.
    pub function: Option<&'a str>,
    /// What is waited for or done at the place, or the name itself.
    pub reason: Option<&'a str>,
    /// The address, for a site that is an address.
    pub address: u64,
}

/// The key by which a site is found again. Pointers in the key are compared as values; their memory is never read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub place: usize,
    pub position: u64,
    pub reason: usize,
}

impl Key {
    #[inline(always)]
    fn slots(self) -> impl Iterator<Item = &'static Slot> {
        let mut hash = (self.place as u64).wrapping_add(self.position).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= (self.reason as u64).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let first = (hash >> 40) as usize;
        (0..SITE_PROBES).map(move |probe| &SLOTS[(first + probe) % SITE_SLOTS])
    }

    fn is_in(self, slot: &Slot) -> bool {
        slot.place.load(Ordering::Relaxed) == self.place
            && slot.position.load(Ordering::Relaxed) == self.position
            && slot.reason.load(Ordering::Relaxed) == self.reason
    }
}

/// Returns the number of a site that has been interned before, or 0.
#[inline]
pub fn lookup(key: Key) -> u32 {
    for slot in key.slots() {
        let id = slot.id.load(Ordering::Acquire); // P7
        if id == 0 || key.is_in(slot) {
            return id;
        }
    }
    0
}

/// Returns a site; `id` is below the segment's `site_max`.
fn site_at(segment: Base, id: u32) -> Base {
    // SAFETY: every segment has room for this many sites.
    unsafe { segment.further(SITE_OFFSET + u64::from(id) * site::BYTES as u64) }
}

fn name_equals(segment: Base, name: u32, text: &[u8]) -> bool {
    let last = PROCESS.name_bytes.load(Ordering::Relaxed) - NAME_HEAD;
    if name == 0 || name > last || name % NAME_HEAD != 0 {
        return false;
    }
    // SAFETY: a name begins within the names' memory.
    let stored = unsafe { segment.further(NAME_OFFSET + u64::from(name)) };
    let length = stored.half(LENGTH).load(Ordering::Relaxed);
    // SAFETY: the bytes end within the names' memory; the name's site is ready.
    length as usize == text.len() && length <= last - name && unsafe { stored.holds(TEXT, text) }
}

/// Returns the text's name among the sites interned before `id`, or 0.
fn name_nearby(segment: Base, id: u32, text: &[u8]) -> u32 {
    for other in (id.saturating_sub(NAMES_NEARBY).max(1)..id).rev() {
        let place = site_at(segment, other);
        if place.half(site::READY).load(Ordering::Acquire) == 0 {
            continue; // P5
        }
        for field in [site::FILE, site::FUNCTION, site::REASON] {
            let name = place.half(field).load(Ordering::Relaxed);
            if name_equals(segment, name, text) {
                return name;
            }
        }
    }
    0
}

/// Returns the longest beginning of a text that may be stored. The cut may fall within a character, as in the other
/// probes.
fn cut(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(TEXT_MAX)]
}

/// Interns one text. Returns its name, 0 if there is no text, and None if there is no room.
fn name_intern(segment: Base, id: u32, text: Option<&str>) -> Option<u32> {
    let text = match text {
        Some(text) => text,
        None => return Some(0),
    };
    let bytes = cut(text);
    let length = bytes.len() as u32;
    let name = name_nearby(segment, id, bytes);
    if name != 0 {
        return Some(name);
    }
    let room = (NAME_HEAD + length + NAME_HEAD - 1) / NAME_HEAD * NAME_HEAD;
    let name_bytes = PROCESS.name_bytes.load(Ordering::Relaxed);
    let name = hand_out(segment.half(header::NAMES_USED), room, name_bytes)?;
    // SAFETY: the bytes were handed out to this thread alone.
    unsafe {
        let place = segment.further(NAME_OFFSET + u64::from(name));
        place.half(LENGTH).store(length, Ordering::Relaxed);
        place.fill(TEXT, bytes);
    }
    Some(name)
}

fn intern(segment: Base, source: &Source<'_>) -> Option<u32> {
    let id = hand_out(segment.half(header::SITES_USED), 1, PROCESS.site_max.load(Ordering::Relaxed))?;
    let place = site_at(segment, id);
    place.half(site::LINE).store(source.line, Ordering::Relaxed);
    place.half(site::COLUMN).store(source.column, Ordering::Relaxed);
    place.word(site::ADDRESS).store(source.address, Ordering::Relaxed);
    let names = [(site::FILE, source.file), (site::FUNCTION, source.function), (site::REASON, source.reason)];
    let mut is_full = false;
    for (field, text) in names {
        let name = name_intern(segment, id, text);
        is_full |= name.is_none();
        place.half(field).store(name.unwrap_or(0), Ordering::Relaxed);
    }
    if is_full {
        return None;
    }
    place.half(site::READY).store(source.kind, Ordering::Release); // P5
    Some(id)
}

/// Returns whether there is no room, without trying: the longest texts might not fit. A place that cannot be remembered
/// in a slot takes a new number at each event; half of the table is kept from such places.
fn is_full(segment: Base, is_forgotten: bool) -> bool {
    let most = PROCESS.site_max.load(Ordering::Relaxed) / if is_forgotten { 2 } else { 1 };
    let names = PROCESS.name_bytes.load(Ordering::Relaxed) - 3 * (NAME_HEAD + TEXT_MAX as u32);
    segment.half(header::SITES_USED).load(Ordering::Relaxed) >= most
        || segment.half(header::NAMES_USED).load(Ordering::Relaxed) > names
}

/// Interns a site and remembers it in the slot, if there is one.
fn slot_fill(segment: Base, slot: Option<&Slot>, key: Key, source: &Source<'_>) -> Option<u32> {
    // If the segment was replaced meanwhile, the number means nothing in the next segment.
    let id = intern(segment, source).filter(|_| PROCESS.is_present(segment));
    let slot = match slot {
        Some(slot) => slot,
        None => return id,
    };
    match id {
        None => slot.claimed.store(0, Ordering::Relaxed),
        Some(id) => {
            slot.place.store(key.place, Ordering::Relaxed);
            slot.position.store(key.position, Ordering::Relaxed);
            slot.reason.store(key.reason, Ordering::Relaxed);
            slot.id.store(id, Ordering::Release); // P7
        }
    }
    id
}

fn remember_in(segment: Base, key: Key, source: &Source<'_>) -> Option<u32> {
    if is_full(segment, false) {
        return None;
    }
    let _quiet = Quiet::begin();
    let has_place = key.place != 0;
    let slot = has_place.then(|| key.slots().find(|slot| slot.claimed.swap(1, Ordering::Relaxed) == 0)).flatten();
    if is_full(segment, has_place && slot.is_none()) {
        return None;
    }
    slot_fill(segment, slot, key, source)
}

/// Interns a site; if `key.place` is not 0, also remembers the site for `lookup`. Returns 0 if the site was refused
/// (not attached, table full), and counts the refusal.
#[cold]
#[inline(never)]
pub fn remember(key: Key, source: &Source<'_>) -> u32 {
    let segment = match PROCESS.header() {
        Some(segment) if present_pass() != 0 => segment,
        _ => return 0,
    };
    let id = remember_in(segment, key, source);
    if id.is_none() {
        segment.half(header::SITES_REFUSED).fetch_add(1, Ordering::Relaxed);
    }
    id.unwrap_or(0)
}

/// Gives a new segment the sites of the segment before, as many as fit, so that the numbers in slots stay valid. The
/// old segment may be a parent's, which goes on using it.
pub fn inherit(segment: Base, old: Base) {
    let sites = old.half(header::SITES_USED).load(Ordering::Relaxed).min(PROCESS.site_max.load(Ordering::Relaxed));
    for id in 1..sites {
        let (from, to) = (site_at(old, id), site_at(segment, id));
        let ready = from.half(site::READY).load(Ordering::Acquire); // P5
        if ready == 0 {
            continue;
        }
        // SAFETY: two sites of two segments; no other thread has the new segment yet.
        unsafe { to.copy_from(from, site::BYTES) };
        to.half(site::READY).store(ready, Ordering::Relaxed);
    }
    let names = old.half(header::NAMES_USED).load(Ordering::Relaxed).min(PROCESS.name_bytes.load(Ordering::Relaxed));
    // SAFETY: the names of two segments; no other thread has the new segment yet.
    unsafe { segment.further(NAME_OFFSET).copy_from(old.further(NAME_OFFSET), names as usize) };
    let used = (names + NAME_HEAD - 1) / NAME_HEAD * NAME_HEAD;
    segment.half(header::SITES_USED).store(sites, Ordering::Relaxed);
    segment.half(header::NAMES_USED).store(used, Ordering::Relaxed);
    let ids = old.word(header::IDS_USED).load(Ordering::Relaxed);
    segment.word(header::IDS_USED).store(ids, Ordering::Relaxed);
}

/// Releases the slots that a thread of the parent had claimed, but not filled, when the process was forked.
pub fn slots_release() {
    for slot in &SLOTS {
        if slot.id.load(Ordering::Acquire) == 0 {
            slot.claimed.store(0, Ordering::Relaxed); // P7
        }
    }
}
