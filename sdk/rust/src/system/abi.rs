// SPDX-License-Identifier: MIT
//! The kernel's numbers and the C library's functions and structs, as Linux has them on both machines.

use std::os::raw::{c_char, c_int, c_long, c_uint, c_void};

#[cfg(target_arch = "x86_64")]
pub mod number {
    pub const READ: i64 = 0;
    pub const CLOSE: i64 = 3;
    pub const RT_SIGPROCMASK: i64 = 14;
    pub const SOCKET: i64 = 41;
    pub const CONNECT: i64 = 42;
    pub const SENDMSG: i64 = 46;
    pub const FCNTL: i64 = 72;
    pub const GETTID: i64 = 186;
    pub const FUTEX: i64 = 202;
    pub const TGKILL: i64 = 234;
    pub const OPENAT: i64 = 257;
    pub const GETRANDOM: i64 = 318;
    pub const MEMFD_CREATE: i64 = 319;
    pub const MEMBARRIER: i64 = 324;
}

#[cfg(target_arch = "aarch64")]
pub mod number {
    pub const FCNTL: i64 = 25;
    pub const OPENAT: i64 = 56;
    pub const CLOSE: i64 = 57;
    pub const READ: i64 = 63;
    pub const FUTEX: i64 = 98;
    pub const TGKILL: i64 = 131;
    pub const RT_SIGPROCMASK: i64 = 135;
    pub const GETTID: i64 = 178;
    pub const SOCKET: i64 = 198;
    pub const CONNECT: i64 = 203;
    pub const SENDMSG: i64 = 211;
    pub const GETRANDOM: i64 = 278;
    pub const MEMFD_CREATE: i64 = 279;
    pub const MEMBARRIER: i64 = 283;
}

pub const CLOCK_REALTIME: c_int = 0;
pub const CLOCK_MONOTONIC: c_int = 1;
pub const PROT_NONE: c_int = 0;
pub const PROT_READ_WRITE: c_int = 3;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE: c_int = 2;
pub const MAP_FIXED: c_int = 0x10;
pub const MAP_ANONYMOUS: c_int = 0x20;
pub const MAP_NORESERVE: c_int = 0x4000;
pub const MADV_DONTDUMP: c_int = 16;
pub const MADV_WIPEONFORK: c_int = 18;
pub const MADV_POPULATE_WRITE: c_int = 23;
pub const RLIMIT_FSIZE: c_int = 1;
pub const RLIMIT_AS: c_int = 9;
pub const O_RDONLY: c_int = 0;
pub const O_RDWR: c_int = 2;
pub const O_CREAT_NEW: c_int = 0o100 | 0o200;
pub const O_NONBLOCK: c_int = 0o4000;
#[cfg(target_arch = "x86_64")]
pub const O_NOFOLLOW: c_int = 0o400000;
#[cfg(target_arch = "aarch64")]
pub const O_NOFOLLOW: c_int = 0o100000;
pub const O_CLOEXEC: c_int = 0o2000000;
pub const EAGAIN: c_int = 11;
pub const EINTR: c_int = 4;
pub const EINVAL: c_int = 22;
pub const ESRCH: c_int = 3;

pub const AT_FDCWD: c_int = -100;
pub const SC_PAGESIZE: c_int = 30;
pub const F_DUPFD_CLOEXEC: c_int = 1030;
pub const F_ADD_SEALS: c_int = 1033;
pub const SEALS: c_int = 1 | 2 | 4; // no further seal, no shrinking, no growing
pub const MFD_CLOEXEC: c_uint = 1;
pub const MFD_ALLOW_SEALING: c_uint = 2;
pub const MFD_NOEXEC_SEAL: c_uint = 8;
pub const GRND_NONBLOCK: c_uint = 1;
pub const SIG_BLOCK: c_int = 0;
pub const SIG_SETMASK: c_int = 2;
pub const SS_ONSTACK: c_int = 1;
pub const FUTEX_WAKE: c_int = 1;
pub const AF_UNIX: c_int = 1;
pub const SOCK_SEQPACKET_NONBLOCK_CLOEXEC: c_int = 5 | 0o4000 | 0o2000000;
pub const SOL_SOCKET: c_int = 1;
pub const SO_PEERCRED: c_int = 17;
pub const SCM_RIGHTS: c_int = 1;
pub const MSG_NOSIGNAL_DONTWAIT: c_int = 0x4000 | 0x40;
pub const MEMBARRIER_REGISTER_GLOBAL_EXPEDITED: c_long = 1 << 2;
pub const MEMBARRIER_GET_REGISTRATIONS: c_long = 1 << 9;

// Signals that a thread causes by its own instructions: if such a signal is blocked when the fault happens, the kernel
// ends the process.
pub const SIGILL: u32 = 4;
pub const SIGTRAP: u32 = 5;
pub const SIGBUS: u32 = 7;
pub const SIGFPE: u32 = 8;
pub const SIGSEGV: u32 = 11;
pub const SIGSYS: u32 = 31;

#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

#[repr(C)]
pub struct Limit {
    pub present: u64,
    pub most: u64,
}

#[repr(C)]
pub struct SignalStack {
    pub address: *mut c_void,
    pub flags: c_int,
    pub bytes: usize,
}

#[repr(C)]
pub struct UnixAddress {
    pub family: u16,
    pub path: [u8; 108],
}

#[repr(C)]
pub struct Credentials {
    pub pid: c_int,
    pub user: c_uint,
    pub group: c_uint,
}

#[repr(C)]
pub struct Part {
    pub bytes: *const c_void,
    pub length: usize,
}

#[repr(C)]
pub struct Control {
    pub length: usize,
    pub level: c_int,
    pub kind: c_int,
    pub descriptor: c_int,
    pub rest: c_int,
}

#[repr(C)]
pub struct Message {
    pub name: *mut c_void,
    pub name_length: c_uint,
    pub parts: *const Part,
    pub nr_parts: usize,
    pub control: *const Control,
    pub control_length: usize,
    pub flags: c_int,
}

/// One module of the program, as the dynamic linker describes it: only the fields that are read.
#[repr(C)]
pub struct ModuleInfo {
    pub address: u64,
    pub name: *const c_char,
    pub headers: *const ProgramHeader,
    pub nr_headers: u16,
}

#[repr(C)]
pub struct ProgramHeader {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub virtual_address: u64,
    pub physical_address: u64,
    pub file_bytes: u64,
    pub memory_bytes: u64,
    pub alignment: u64,
}

extern "C" {
    pub fn syscall(number: c_long, ...) -> c_long;
    pub fn __errno_location() -> *mut c_int;
    pub fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    pub fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
    pub fn ftruncate(descriptor: c_int, bytes: i64) -> c_int;
    pub fn sigaltstack(new: *const SignalStack, old: *mut SignalStack) -> c_int;
    pub fn getsockopt(socket: c_int, level: c_int, name: c_int, value: *mut c_void, bytes: *mut c_uint) -> c_int;
    pub fn secure_getenv(name: *const c_char) -> *const c_char;
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn pread(descriptor: c_int, bytes: *mut u8, length: usize, offset: i64) -> isize;
    pub fn flock(descriptor: c_int, operation: c_int) -> c_int;
    pub fn posix_fallocate(descriptor: c_int, offset: i64, bytes: i64) -> c_int;
    pub fn readlink(path: *const c_char, room: *mut u8, bytes: usize) -> isize;
    pub fn pwrite(descriptor: c_int, bytes: *const u8, length: usize, offset: i64) -> isize;
    pub fn geteuid() -> c_uint;
    pub fn getpid() -> c_int;
    pub fn getppid() -> c_int;
    pub fn sysconf(name: c_int) -> c_long;
    pub fn mmap(
        place: *mut c_void,
        bytes: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        from: i64,
    ) -> *mut c_void;
    pub fn munmap(place: *mut c_void, bytes: usize) -> c_int;
    pub fn madvise(place: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    pub fn sched_yield() -> c_int;
    pub fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    pub fn pthread_key_create(key: *mut c_uint, destructor: Option<extern "C" fn(*mut c_void)>) -> c_int;
    pub fn pthread_key_delete(key: c_uint) -> c_int;
    pub fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
    pub fn dl_iterate_phdr(
        callback: extern "C" fn(*const ModuleInfo, usize, *mut c_void) -> c_int,
        context: *mut c_void,
    ) -> c_int;
}
