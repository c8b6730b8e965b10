// SPDX-License-Identifier: MIT
//! The flight recorder's segment: a file, or a memory file, that needs no engine to drain it.
//!
//! The file gets all its blocks before it is mapped: a store into a hole of a full disk would end the program. The
//! file's lock shows that the process lives. The descriptor that holds the lock is never mapped itself, and is closed
//! in forked children, because they would hold the lock, too.

use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::layout::{
    self, header, site, CHUNK_BYTES, CHUNK_MAX, NAME_BYTES, PAGE_BYTES, RING_MAX, RING_STRIDE, SITE_MAX,
};
use crate::probe::attach::descriptor_retire;
use crate::probe::segment::{bytes_allowed, map, Plan, Segment, RING_OFFSET, UNIT_BYTES};
use crate::probe::state::PROCESS;
use crate::system::{self, Descriptor};

const BYTES: u64 = 16 << 20;
const BYTES_LEAST: u64 = 1 << 20;
const TRIES: u32 = 8;
const PATH_MAX: usize = 4096;

/// Where the past is kept, and how large it gets: a path, in which %p stands for the process id (empty: a memory file),
/// and a number of bytes (0: the default).
pub struct Flight {
    pub path: Vec<u8>,
    pub bytes: u64,
}

/// Parses a whole number, which K, M or G may follow, and after that iB or B. Returns None if the text is not such a
/// number.
fn bytes_of(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..end].parse().ok().filter(|&number| number <= (u64::MAX >> 34))?;
    let shift = match &text[end..] {
        "" => 0,
        "K" | "KB" | "KiB" => 10,
        "M" | "MB" | "MiB" => 20,
        "G" | "GB" | "GiB" => 30,
        _ => return None,
    };
    Some(number << shift)
}

/// The environment's wish: PATH[,BYTES].
pub fn asked() -> Option<Flight> {
    let text = system::environment(layout::FLIGHT_ENVIRONMENT)?;
    let comma = text.iter().rposition(|&byte| byte == b',');
    let sized = comma.and_then(|comma| Some((&text[..comma], bytes_of(&text[comma + 1..])?)));
    let (path, bytes) = sized.unwrap_or((text, 0));
    Some(Flight { path: path.to_vec(), bytes })
}

/// Returns the path, with the process id for each %p. None: the result is too long, or not a path.
fn expand(path: &[u8]) -> Option<CString> {
    let mut expanded = Vec::new();
    let mut rest = path.iter();
    while let Some(&byte) = rest.next() {
        match (byte, rest.as_slice().first()) {
            (b'%', Some(b'p')) => {
                expanded.extend(system::process_id().to_string().bytes());
                rest.next();
            }
            (b'%', Some(b'%')) => expanded.extend(rest.next()),
            _ => expanded.push(byte),
        }
    }
    if expanded.len() >= PATH_MAX {
        return None;
    }
    CString::new(expanded).ok()
}

fn path_of(path: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(path.to_bytes()))
}

/// Returns whether the name refers to the open file.
fn is_named(file: &Descriptor, path: &CStr) -> bool {
    let open = std::fs::metadata(format!("/proc/self/fd/{}", file.number()));
    let named = std::fs::symlink_metadata(path_of(path));
    matches!((open, named), (Ok(open), Ok(named)) if (open.dev(), open.ino()) == (named.dev(), named.ino()))
}

/// Checks the first words that every file of ours has, even before its magic is there: no other file is ever replaced.
fn is_segment_of_ours(file: &Descriptor) -> bool {
    let own = std::fs::metadata("/proc/self").map(|process| process.uid());
    let about = match std::fs::metadata(format!("/proc/self/fd/{}", file.number())) {
        Ok(about) => about,
        Err(_) => return false,
    };
    if !about.is_file() || own.ok() != Some(about.uid()) {
        return false;
    }
    let mut words = [0; 16];
    if about.len() == 0 {
        return true;
    }
    if about.len() < header::BYTES as u64 || !file.read_at(&mut words, 0) {
        return false;
    }
    let half = |at: usize| u32::from_le_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
    let magic = u64::from(half(0)) | u64::from(half(4)) << 32;
    (magic == 0 || magic == layout::MAGIC)
        && half(8) == layout::VERSION
        && (PAGE_BYTES / 16..=PAGE_BYTES).contains(&(half(12) as usize))
}

/// Removes the file that an ended process left at `path`. The lock keeps two processes from removing each other's file.
fn remove_old(path: &CStr) -> bool {
    let flags = system::O_RDONLY | system::O_NOFOLLOW | system::O_NONBLOCK;
    let old = match Descriptor::open_as(path, flags) {
        Some(old) => old,
        None => return std::fs::symlink_metadata(path_of(path)).is_err(),
    };
    is_segment_of_ours(&old) && old.lock() && (!is_named(&old, path) || std::fs::remove_file(path_of(path)).is_ok())
}

/// Makes the file and locks it. Returns None if the name is taken, or if no file may be made here.
fn file_make(path: &CStr) -> Option<Descriptor> {
    let flags = system::O_RDWR | system::O_CREAT_NEW | system::O_NOFOLLOW;
    for _ in 0..TRIES {
        match Descriptor::open_as(path, flags).and_then(Descriptor::raised) {
            // Until the file is locked, another process may take it for the file of an ended process and remove it.
            Some(file) if file.lock() && is_named(&file, path) => return Some(file),
            Some(_) => {}
            None if remove_old(path) => {}
            None => return None,
        }
    }
    None
}

/// Gives the file all its blocks, and maps it through a second descriptor.
fn file_fill(plan: Plan, file: Descriptor, path: &CStr) -> Option<Segment> {
    let mut words = [0; header::BYTES];
    words[8..12].copy_from_slice(&layout::VERSION.to_le_bytes());
    words[12..16].copy_from_slice(&(header::BYTES as u32).to_le_bytes());
    if !file.write_at(&words, 0) || !file.allocate(plan.file_bytes) {
        return None;
    }
    let mapped = Descriptor::open_as(path, system::O_RDWR | system::O_NOFOLLOW)?;
    if !is_named(&file, path) || !is_named(&mapped, path) {
        return None;
    }
    let place = map(&plan, &mapped)?;
    Some(Segment::new(plan, file, place))
}

/// The descriptor that holds the lock belongs to the parent.
extern "C" fn leave_in_child() {
    descriptor_retire();
}

fn guard() -> bool {
    if PROCESS.has_lock.load(Ordering::Relaxed) == 0 && system::at_fork(leave_in_child) {
        PROCESS.has_lock.store(1, Ordering::Relaxed);
    }
    PROCESS.has_lock.load(Ordering::Relaxed) != 0
}

fn open_file(plan: Plan, path: &CStr) -> Option<Segment> {
    if !guard() {
        return None;
    }
    let file = file_make(path)?;
    let segment = file_fill(plan, file, path);
    if segment.is_none() {
        let _ = std::fs::remove_file(path_of(path));
    }
    segment
}

fn open_memory(plan: Plan) -> Option<Segment> {
    let file = Descriptor::memory()?;
    if !file.resize(plan.file_bytes) {
        return None;
    }
    let place = map(&plan, &file)?;
    let segment = Segment::new(plan, file, place);
    if segment.descriptor.seal() {
        Some(segment)
    } else {
        None
    }
}

/// Shares the bytes out: about an eighth goes to sites, names and rings, the rest to records.
fn plan(bytes: u64) -> Option<Plan> {
    let units = (bytes.min(bytes_allowed()) / UNIT_BYTES).min(u64::from(CHUNK_MAX));
    if units < BYTES_LEAST / UNIT_BYTES {
        return None;
    }
    let ring_units = 1 + units / 128;
    let site_units = (units / 64).clamp(1, u64::from(SITE_MAX) * site::BYTES as u64 / UNIT_BYTES);
    let name_units = (units / 16).clamp(1, u64::from(NAME_BYTES) / UNIT_BYTES);
    let rings = (ring_units * UNIT_BYTES - RING_OFFSET) / RING_STRIDE as u64;
    let site_offset = ring_units * UNIT_BYTES;
    let name_offset = site_offset + site_units * UNIT_BYTES;
    let about_offset = name_offset + name_units * UNIT_BYTES;
    let chunk_offset = about_offset + UNIT_BYTES;
    let file_bytes = units * UNIT_BYTES;
    Some(Plan {
        file_bytes,
        site_offset,
        name_offset,
        chunk_offset,
        about_offset,
        about_bytes: UNIT_BYTES,
        ring_max: rings.clamp(1, u64::from(RING_MAX)) as u32,
        site_max: (site_units * UNIT_BYTES / site::BYTES as u64) as u32,
        name_bytes: (name_units * UNIT_BYTES) as u32,
        chunk_max: ((file_bytes - chunk_offset) / CHUNK_BYTES as u64) as u32,
        is_flight: true,
    })
}

/// Opens a segment that stays in this process, for a reader that comes later.
pub fn open(flight: &Flight) -> Option<Segment> {
    let path = expand(&flight.path)?;
    let plan = plan(if flight.bytes == 0 { BYTES } else { flight.bytes })?;
    if path.as_bytes().is_empty() {
        open_memory(plan)
    } else {
        open_file(plan, &path)
    }
}
