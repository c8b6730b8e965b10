// SPDX-License-Identifier: MIT
//! A segment's text about its process (P-85), for an engine or a reader that comes after the process has ended.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::fmt::Write;

use crate::probe::segment::Segment;
use crate::system::{self, Descriptor, ModuleInfo, ProgramHeader};

const FILE_MAX: usize = 4096; // number of bytes of a file that are read
const BUILD_ID_MAX: usize = 64;
const NOTE_HEAD: usize = 12;
const NOTE_BUILD_ID: u32 = 3;
const LOADED: u32 = 1;
const NOTES: u32 = 4;
const EXECUTABLE: u32 = 1;

/// The text: one fact a line. A fact that does not fit is left out as a whole.
struct About {
    text: Vec<u8>,
    room: usize,
}

impl About {
    fn line(&mut self, fact: &str, value: &[u8]) {
        let length = fact.len() + 1 + value.len();
        if self.text.len() + length >= self.room {
            return;
        }
        let clean = |&byte: &u8| if byte < b' ' || byte == 127 { b'?' } else { byte };
        self.text.extend(fact.bytes().chain([b' ']).chain(value.iter().map(clean)));
        self.text.push(b'\n');
    }

    /// Adds the beginning of a small file, without a last newline. In a list of arguments, each of which ends in a NUL,
    /// blanks separate the arguments.
    fn file(&mut self, fact: &str, path: &str) {
        let mut room = vec![0; FILE_MAX];
        let length = Descriptor::open(path).map_or(0, |file| file.read(&mut room));
        let text = &mut room[..length];
        let end = match text.last() {
            Some(b'\n' | 0) => length - 1,
            _ => length,
        };
        text.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b' ');
        self.line(fact, &text[..end]);
    }
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_ne_bytes(four) as usize)
}

/// Returns the build id among the notes of a module.
fn build_id_in(mut notes: &[u8], alignment: usize) -> Option<&[u8]> {
    let up = |bytes: usize| (bytes + alignment - 1) / alignment * alignment;
    loop {
        let (name, length, kind) = (word(notes, 0)?, word(notes, 4)?, word(notes, 8)?);
        let begin = NOTE_HEAD + up(name);
        let end = begin.checked_add(up(length))?;
        if end > notes.len() {
            return None;
        }
        let is_gnu = notes.get(NOTE_HEAD..NOTE_HEAD + 4) == Some(b"GNU\0") && name == 4;
        if kind == NOTE_BUILD_ID as usize && is_gnu && length <= BUILD_ID_MAX {
            return notes.get(begin..begin + length);
        }
        notes = &notes[end..];
    }
}

fn headers_of(module: &ModuleInfo) -> &[ProgramHeader] {
    if module.headers.is_null() {
        return &[];
    }
    // SAFETY: the dynamic linker states how many headers there are.
    unsafe { std::slice::from_raw_parts(module.headers, usize::from(module.nr_headers)) }
}

fn build_id_of(module: &ModuleInfo) -> String {
    let notes = headers_of(module).iter().filter(|header| header.kind == NOTES).find_map(|header| {
        let place = module.address.wrapping_add(header.virtual_address) as *const u8;
        // SAFETY: the notes of a loaded module, which stay where they are.
        let bytes = unsafe { std::slice::from_raw_parts(place, header.memory_bytes as usize) };
        build_id_in(bytes, if header.alignment == 8 { 8 } else { 4 })
    });
    notes.map_or("-".into(), |id| {
        id.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    })
}

fn tell_code(about: &mut About, module: &ModuleInfo, program: &[u8]) {
    let page = system::page_bytes();
    // SAFETY: the text belongs to the dynamic linker and ends with NUL.
    let name = (!module.name.is_null()).then(|| unsafe { CStr::from_ptr(module.name) }.to_bytes());
    let name = name.filter(|name| !name.is_empty()).unwrap_or(program);
    for header in headers_of(module).iter().filter(|header| header.kind == LOADED && header.flags & EXECUTABLE != 0) {
        let begin = module.address.wrapping_add(header.virtual_address);
        let before = begin % page;
        let end = (begin + header.memory_bytes + page - 1) / page * page;
        let id = build_id_of(module);
        let told = format!("{:016x} {end:016x} {:016x} {id} ", begin - before, header.offset - before);
        about.line("code", &[told.as_bytes(), name].concat());
    }
}

/// Writes the text into the segment, before any other thread or process has the segment.
pub fn write(segment: &Segment) {
    let program = system::link_target("/proc/self/exe\0");
    let mut about = About { text: Vec::new(), room: segment.plan.about_bytes as usize };
    about.line("program", &program);
    about.file("command", "/proc/self/cmdline\0");
    about.line("parent", system::parent_id().to_string().as_bytes());
    if segment.plan.is_flight {
        about.file("host", "/proc/sys/kernel/hostname\0");
        about.file("boot", "/proc/sys/kernel/random/boot_id\0");
    }
    system::each_module(&mut |module| tell_code(&mut about, module, &program));
    segment.descriptor.write_at(&about.text, segment.plan.about_offset);
}
