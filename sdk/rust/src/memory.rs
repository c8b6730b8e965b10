// SPDX-License-Identifier: MIT
//! Memory that the engine may read and write at any time: accessed by offset, word by word, and never as a struct.
//!
//! A reference to plain memory that another process changes would be undefined behaviour. So no such reference exists:
//! a [`Base`] hands out atomics only, and the addresses of a [`Base`] stay mapped until the process ends.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The offset of a word of 64 bits, from the beginning of the object that the word belongs to.
#[derive(Clone, Copy)]
pub struct Word(usize);

/// The offset of a word of 32 bits, or of the first such word of an array.
#[derive(Clone, Copy)]
pub struct Half(usize);

/// The offset of bytes that are written before anybody else can see them.
#[derive(Clone, Copy)]
pub struct Bytes(usize);

impl Word {
    pub const fn at(place: usize) -> Self {
        Self(place)
    }
}

impl Half {
    pub const fn at(place: usize) -> Self {
        Self(place)
    }
}

impl Bytes {
    pub const fn at(place: usize) -> Self {
        Self(place)
    }
}

/// The address of a header, a ring, a site, the orders, or a record, in memory that stays mapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Base(NonNull<u8>);

// SAFETY: a Base is an address. Only atomics can be reached through a Base, and bytes that are written by `fill`.
unsafe impl Send for Base {}
// SAFETY: the same as for Send.
unsafe impl Sync for Base {}

impl Base {
    /// # Safety
    /// `address` is a multiple of 64 and not 0. The memory that the offsets used with this Base reach stays mapped,
    /// readable and writable, until the process ends or nobody has the Base any more.
    pub const unsafe fn new(address: *mut u8) -> Self {
        unsafe { Self(NonNull::new_unchecked(address)) }
    }

    #[inline(always)]
    pub fn address(self) -> *mut u8 {
        self.0.as_ptr()
    }

    #[inline(always)]
    pub fn word(self, place: Word) -> &'static AtomicU64 {
        // SAFETY: mapped by the contract of `new`; the offsets of words in layout.rs are multiples of 8.
        unsafe { &*self.address().add(place.0).cast::<AtomicU64>() }
    }

    #[inline(always)]
    pub fn half(self, place: Half) -> &'static AtomicU32 {
        // SAFETY: mapped by the contract of `new`; the offsets of halves in layout.rs are multiples of 4.
        unsafe { &*self.address().add(place.0).cast::<AtomicU32>() }
    }

    /// An element of an array of halves. The caller has made sure that `index` is below the array's length.
    #[inline(always)]
    pub fn half_of(self, array: Half, index: u32) -> &'static AtomicU32 {
        self.half(Half(array.0 + 4 * index as usize))
    }

    /// # Safety
    /// The contract of `new` holds for the address that lies this many bytes further on.
    #[inline(always)]
    pub unsafe fn further(self, bytes: u64) -> Self {
        unsafe { Self::new(self.address().add(bytes as usize)) }
    }

    /// Returns the Base that lies this many bytes after an offset.
    ///
    /// # Safety
    /// The contract of `new` holds for the resulting address.
    pub unsafe fn inside(self, place: Bytes, bytes: usize) -> Self {
        unsafe { Self::new(self.address().add(place.0 + bytes)) }
    }

    /// Writes bytes that nobody else reads or writes before a later release store publishes them.
    ///
    /// # Safety
    /// The bytes lie within mapped memory, and no other thread writes them.
    pub unsafe fn fill(self, place: Bytes, bytes: &[u8]) {
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address().add(place.0), bytes.len());
        }
    }

    /// Returns whether the bytes at an offset are equal to `bytes`. A hostile peer may have written the bytes: the
    /// result decides only which of two equal names is used.
    ///
    /// # Safety
    /// The bytes lie within mapped memory, and were published to this thread.
    pub unsafe fn holds(self, place: Bytes, bytes: &[u8]) -> bool {
        unsafe {
            let stored = self.address().add(place.0);
            (0..bytes.len()).all(|i| stored.add(i).read_volatile() == bytes[i])
        }
    }

    /// Copies a part of another segment.
    ///
    /// # Safety
    /// Both parts are mapped and do not overlap, and no thread writes the destination.
    pub unsafe fn copy_from(self, other: Base, bytes: usize) {
        unsafe {
            std::ptr::copy_nonoverlapping(other.address(), self.address(), bytes);
        }
    }
}

/// A page of the program's own, over which the kernel may put other memory.
#[repr(C, align(4096))]
pub struct Page(UnsafeCell<[u8; 4096]>);

// SAFETY: the page is reached only through `base`, which hands out atomics.
unsafe impl Sync for Page {}

impl Page {
    pub const fn new() -> Self {
        Self(UnsafeCell::new([0; 4096]))
    }

    #[inline(always)]
    pub fn base(&'static self) -> Base {
        // SAFETY: a page of the program's own, aligned to more than 64 bytes.
        unsafe { Base::new(self.0.get().cast()) }
    }
}
