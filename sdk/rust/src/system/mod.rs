// SPDX-License-Identifier: MIT
//! The operating system as the probe uses it: the C library's functions and the kernel's numbers.
//!
//! System calls are made directly if a preloaded library could intercept the C library's function: the descriptor
//! ledger should see the program's descriptors, but not the probe's.
#![allow(unsafe_code)]

mod abi;

use std::ffi::CStr;
use std::os::raw::{c_int, c_long, c_uint, c_void};

pub use abi::*;

pub fn errno() -> c_int {
    // SAFETY: the C library's own errno word of this thread.
    unsafe { *__errno_location() }
}

/// Blocks asynchronous signals while this value lives, and leaves errno as it was.
pub struct Quiet {
    mask: u64,
    errno: c_int,
    is_masked: bool,
}

impl Quiet {
    pub fn begin() -> Self {
        let synchronous = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS];
        let block = !synchronous.iter().fold(0u64, |mask, number| mask | 1 << (number - 1));
        let errno = errno();
        let mut mask = 0u64;
        // SAFETY: both sets are 8 bytes, as the kernel expects them. The system call is made directly because the C
        // library's functions do not block the C library's own signals.
        let status = unsafe { syscall(number::RT_SIGPROCMASK, SIG_BLOCK, &block, &mut mask, 8usize) };
        Self { mask, errno, is_masked: status == 0 }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let nothing = std::ptr::null_mut::<u64>();
        // SAFETY: the set that `begin` received.
        unsafe {
            if self.is_masked {
                syscall(number::RT_SIGPROCMASK, SIG_SETMASK, &self.mask, nothing, 8usize);
            }
            *__errno_location() = self.errno;
        }
    }
}

/// Returns the time of a clock in nanoseconds.
pub fn nanoseconds(clock: c_int) -> u64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: a struct with the C library's layout.
    unsafe { clock_gettime(clock, &mut now) };
    now.seconds as u64 * 1_000_000_000 + now.nanoseconds as u64
}

pub fn process_id() -> u32 {
    // SAFETY: the call takes no arguments.
    unsafe { getpid() as u32 }
}

pub fn parent_id() -> u32 {
    // SAFETY: the call takes no arguments.
    unsafe { getppid() as u32 }
}

pub fn thread_id() -> u32 {
    // SAFETY: the call takes no arguments.
    unsafe { syscall(number::GETTID) as u32 }
}

pub fn page_bytes() -> u64 {
    // SAFETY: the argument is a plain number.
    unsafe { sysconf(SC_PAGESIZE) as u64 }
}

/// Returns whether a thread of this process has ended.
pub fn is_thread_gone(thread: u32) -> bool {
    // SAFETY: signal 0 sends no signal.
    unsafe { syscall(number::TGKILL, getpid(), thread as c_int, 0 as c_int) != 0 && errno() == ESRCH }
}

pub fn is_on_signal_stack() -> bool {
    let mut present = SignalStack { address: std::ptr::null_mut(), flags: 0, bytes: 0 };
    // SAFETY: the call only asks for the present state.
    unsafe { sigaltstack(std::ptr::null(), &mut present) == 0 && present.flags & SS_ONSTACK != 0 }
}

/// Returns a limit of this process; None if it cannot be asked for. u64::MAX: no limit.
pub fn limit(resource: c_int) -> Option<u64> {
    let mut limit = Limit { present: 0, most: 0 };
    // SAFETY: a struct with the C library's layout.
    (unsafe { getrlimit(resource, &mut limit) } == 0).then_some(limit.present)
}

/// Returns a variable of the environment; None in a process that gained privileges when it was started. `name` ends
/// with NUL.
pub fn environment(name: &'static str) -> Option<&'static [u8]> {
    debug_assert!(name.ends_with('\0'));
    // SAFETY: `name` ends with NUL, and so does the value that the C library returns. The value lives until the program
    // changes its environment, which the program does not do while it attaches.
    unsafe {
        let text = secure_getenv(name.as_ptr().cast());
        (!text.is_null()).then(|| CStr::from_ptr(text).to_bytes())
    }
}

/// Returns whether the C library knows that this process has only one thread.
pub fn is_single_threaded() -> bool {
    // SAFETY: the C library's word, which is a char, if the C library has it.
    unsafe {
        let word = dlsym(std::ptr::null_mut(), "__libc_single_threaded\0".as_ptr().cast());
        !word.is_null() && *word.cast::<u8>() != 0
    }
}

/// Returns whether the process has registered for the kernel's barriers on all processors.
pub fn is_barrier_registered() -> bool {
    // SAFETY: the arguments are plain numbers.
    let registered = unsafe { syscall(number::MEMBARRIER, MEMBARRIER_GET_REGISTRATIONS, 0 as c_long, 0 as c_long) };
    registered > 0 && registered & MEMBARRIER_REGISTER_GLOBAL_EXPEDITED != 0
}

pub fn barrier_register() -> bool {
    // SAFETY: the arguments are plain numbers.
    unsafe { syscall(number::MEMBARRIER, MEMBARRIER_REGISTER_GLOBAL_EXPEDITED, 0 as c_long, 0 as c_long) == 0 }
}

/// Wakes one thread that waits on a word.
pub fn futex_wake(word: &std::sync::atomic::AtomicU32) {
    // SAFETY: a word that is mapped; the remaining arguments are not read.
    unsafe { syscall(number::FUTEX, word, FUTEX_WAKE, 1 as c_int, 0usize, 0usize, 0 as c_int) };
}

pub fn random(bytes: &mut [u8]) -> bool {
    // SAFETY: `room` has this many bytes.
    unsafe { syscall(number::GETRANDOM, bytes.as_mut_ptr(), bytes.len(), GRND_NONBLOCK) == bytes.len() as c_long }
}

pub fn yield_processor() {
    // SAFETY: the call takes no arguments.
    unsafe { sched_yield() };
}

/// Makes the C library call a function in forked children.
pub fn at_fork(child: extern "C" fn()) -> bool {
    // SAFETY: the function lives as long as the program.
    unsafe { pthread_atfork(None, None, Some(child)) == 0 }
}

/// Makes a key whose destructor is called when a thread ends. Returns None if setting the key could allocate.
pub fn thread_key(destructor: extern "C" fn(*mut c_void)) -> Option<u32> {
    const WITHOUT_ALLOCATION: u32 = 32;
    let mut key = 0;
    // SAFETY: the function lives as long as the program.
    unsafe {
        if pthread_key_create(&mut key, Some(destructor)) != 0 {
            return None;
        }
        if key >= WITHOUT_ALLOCATION {
            pthread_key_delete(key);
            return None;
        }
    }
    Some(key)
}

/// Makes the C library call the key's destructor for this thread.
pub fn thread_key_arm(key: u32) {
    // SAFETY: any value but NULL; the destructor does not look at it.
    unsafe { pthread_setspecific(key, 1 as *const c_void) };
}

/// A descriptor of the probe's own.
pub struct Descriptor(c_int);

impl Descriptor {
    fn from_call(number: c_long) -> Option<Self> {
        (number >= 0).then_some(Self(number as c_int))
    }

    /// Opens a file for reading; `path` ends with NUL.
    pub fn open(path: &str) -> Option<Self> {
        debug_assert!(path.ends_with('\0'));
        Self::open_as(CStr::from_bytes_with_nul(path.as_bytes()).ok()?, O_RDONLY)
    }

    /// Opens a file with these flags; a file that is made gets the mode 0600.
    pub fn open_as(path: &CStr, flags: c_int) -> Option<Self> {
        const PRIVATE: c_uint = 0o600;
        // SAFETY: a path that ends with NUL.
        Self::from_call(unsafe { syscall(number::OPENAT, AT_FDCWD, path.as_ptr(), flags | O_CLOEXEC, PRIVATE) })
    }

    /// Locks the file for this process, without waiting.
    pub fn lock(&self) -> bool {
        const LOCK_EXCLUSIVE_NOW: c_int = 2 | 4;
        // SAFETY: the arguments are plain numbers.
        unsafe { flock(self.0, LOCK_EXCLUSIVE_NOW) == 0 }
    }

    /// Gives the file all its blocks.
    pub fn allocate(&self, bytes: u64) -> bool {
        // SAFETY: the arguments are plain numbers.
        unsafe { posix_fallocate(self.0, 0, bytes as i64) == 0 }
    }

    pub fn read_at(&self, room: &mut [u8], offset: u64) -> bool {
        // SAFETY: `room` has this many bytes.
        unsafe { pread(self.0, room.as_mut_ptr(), room.len(), offset as i64) == room.len() as isize }
    }

    /// Makes a sealable memory file, with a high descriptor number.
    pub fn memory() -> Option<Self> {
        let flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
        let name = "corotracer\0".as_ptr();
        // SAFETY: a name that ends with NUL.
        let low = unsafe {
            let low = syscall(number::MEMFD_CREATE, name, flags | MFD_NOEXEC_SEAL);
            if low < 0 && errno() == EINVAL {
                syscall(number::MEMFD_CREATE, name, flags)
            } else {
                low
            }
        };
        Self::from_call(low)?.raised()
    }

    /// Moves the descriptor to a high number, away from the low numbers that programs count on.
    pub fn raised(self) -> Option<Self> {
        const OUT_OF_THE_WAY: c_int = 200;
        const BEHIND_STANDARD: c_int = 3;
        // SAFETY: the arguments are plain numbers.
        let high = unsafe {
            let high = syscall(number::FCNTL, self.0, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
            if high < 0 {
                syscall(number::FCNTL, self.0, F_DUPFD_CLOEXEC, BEHIND_STANDARD)
            } else {
                high
            }
        };
        Self::from_call(high)
    }

    pub fn resize(&self, bytes: u64) -> bool {
        // SAFETY: the arguments are plain numbers.
        unsafe { ftruncate(self.0, bytes as i64) == 0 }
    }

    pub fn seal(&self) -> bool {
        // SAFETY: the arguments are plain numbers.
        unsafe { syscall(number::FCNTL, self.0, F_ADD_SEALS, SEALS) == 0 }
    }

    pub fn read(&self, room: &mut [u8]) -> usize {
        // SAFETY: `room` has this many bytes.
        let length = unsafe { syscall(number::READ, self.0, room.as_mut_ptr(), room.len()) };
        usize::try_from(length).unwrap_or(0)
    }

    pub fn write_at(&self, bytes: &[u8], offset: u64) -> bool {
        // SAFETY: `bytes` has this many bytes.
        unsafe { pwrite(self.0, bytes.as_ptr(), bytes.len(), offset as i64) == bytes.len() as isize }
    }

    pub fn number(&self) -> c_int {
        self.0
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        close(self.0);
    }
}

/// Closes a descriptor that was kept open.
pub fn close(number: c_int) {
    // SAFETY: a number; the caller owns the descriptor.
    unsafe { syscall(number::CLOSE, number) };
}

/// Returns the address of a socket whose name begins with NUL, and its length; None if the name does not fit.
fn unix_address(name: &[u8]) -> Option<(UnixAddress, c_uint)> {
    let mut address = UnixAddress { family: AF_UNIX as u16, path: [0; 108] };
    if name.is_empty() || name.len() >= address.path.len() {
        return None;
    }
    address.path[1..=name.len()].copy_from_slice(name);
    Some((address, 2 + 1 + name.len() as c_uint))
}

/// Connects to a socket with this abstract name, without waiting.
pub fn connect(name: &[u8]) -> Option<Descriptor> {
    const TRIES: u32 = 64;
    let (address, length) = unix_address(name)?;
    // SAFETY: the arguments are plain numbers.
    let socket = Descriptor::from_call(unsafe {
        syscall(number::SOCKET, AF_UNIX, SOCK_SEQPACKET_NONBLOCK_CLOEXEC, 0 as c_int)
    })?;
    for _ in 0..TRIES {
        // SAFETY: an address of this length.
        if unsafe { syscall(number::CONNECT, socket.0, &address, length) } == 0 {
            return Some(socket);
        }
        if errno() != EAGAIN && errno() != EINTR {
            break;
        }
        yield_processor();
    }
    None
}

/// Returns whether the socket's peer is our own user or the superuser.
pub fn is_peer_trusted(socket: &Descriptor) -> bool {
    let mut peer = Credentials { pid: 0, user: 0, group: 0 };
    let mut bytes = std::mem::size_of::<Credentials>() as c_uint;
    let room = std::ptr::addr_of_mut!(peer).cast();
    // SAFETY: `room` has this many bytes.
    let status = unsafe { getsockopt(socket.0, SOL_SOCKET, SO_PEERCRED, room, &mut bytes) };
    // SAFETY: the call takes no arguments.
    status == 0 && (peer.user == unsafe { geteuid() } || peer.user == 0)
}

/// Sends bytes together with a descriptor, without waiting.
pub fn send(socket: &Descriptor, bytes: &[u8], descriptor: &Descriptor) -> bool {
    let header = std::mem::size_of::<usize>() + 2 * std::mem::size_of::<c_int>();
    let control = Control {
        length: header + std::mem::size_of::<c_int>(),
        level: SOL_SOCKET,
        kind: SCM_RIGHTS,
        descriptor: descriptor.0,
        rest: 0,
    };
    let part = Part { bytes: bytes.as_ptr().cast(), length: bytes.len() };
    let message = Message {
        name: std::ptr::null_mut(),
        name_length: 0,
        parts: &part,
        nr_parts: 1,
        control: &control,
        control_length: std::mem::size_of::<Control>(),
        flags: 0,
    };
    // SAFETY: the message and everything that it points to live until the call returns.
    unsafe { syscall(number::SENDMSG, socket.0, &message, MSG_NOSIGNAL_DONTWAIT) == bytes.len() as c_long }
}

/// Returns the target of a symbolic link; empty if the link cannot be read. `path` ends with NUL.
pub fn link_target(path: &str) -> Vec<u8> {
    let mut room = vec![0; 4095];
    debug_assert!(path.ends_with('\0'));
    // SAFETY: `room` has this many bytes.
    let length = unsafe { readlink(path.as_ptr().cast(), room.as_mut_ptr(), room.len()) };
    room.truncate(usize::try_from(length).unwrap_or(0));
    room
}

/// Reserves addresses without memory; None if there are not enough.
pub fn reserve(bytes: u64) -> Option<*mut u8> {
    // SAFETY: a new mapping.
    let place = unsafe {
        mmap(std::ptr::null_mut(), bytes as usize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    };
    (place as isize != -1).then_some(place.cast())
}

/// # Safety
/// Nobody uses the memory that is mapped there.
pub unsafe fn unmap(place: *mut u8, bytes: u64) {
    unsafe {
        if bytes != 0 {
            munmap(place.cast(), bytes as usize);
        }
    }
}

/// Maps `bytes` bytes of a file, from `offset` on, over the memory at `place`.
///
/// # Safety
/// Nobody relies on the present content at `place`, or only on atomics there.
pub unsafe fn map_over(place: *mut u8, file: &Descriptor, offset: u64, bytes: u64) -> bool {
    unsafe {
        let flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
        mmap(place.cast(), bytes as usize, PROT_READ_WRITE, flags, file.0, offset as i64) as isize != -1
    }
}

/// Replaces the mapping at `place` by zeros that belong to this process alone.
///
/// # Safety
/// The contract of `map_over` holds.
pub unsafe fn map_nothing(place: *mut u8, bytes: u64) {
    unsafe {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
        mmap(place.cast(), bytes as usize, PROT_READ_WRITE, flags, -1, 0);
    }
}

/// Gives the kernel advice that changes no content on which the program relies.
///
/// # Safety
/// The range is mapped.
pub unsafe fn advise(place: *mut u8, bytes: u64, advice: c_int) -> bool {
    unsafe { madvise(place.cast(), bytes as usize, advice) == 0 }
}

extern "C" fn visit(module: *const ModuleInfo, _bytes: usize, context: *mut c_void) -> c_int {
    // SAFETY: `each_module` passed its closure, and the linker a module; both live during this call.
    unsafe { (*context.cast::<&mut dyn FnMut(&ModuleInfo)>())(&*module) };
    0
}

/// Calls `look` for each module of the program: the executable, and the libraries that it is linked with.
pub fn each_module(mut look: &mut dyn FnMut(&ModuleInfo)) {
    // SAFETY: `visit` knows the type of the context; the linker calls `visit` before it returns.
    unsafe { dl_iterate_phdr(visit, std::ptr::addr_of_mut!(look).cast()) };
}
