// SPDX-License-Identifier: MIT
//! Memory that the engine may read and write at any time: reached by places, word by word, and never as a struct.
//!
//! A reference to plain memory that another process changes would be undefined behaviour. So no such reference exists:
//! a [`Base`] hands out atomics only, and its addresses stay mapped until the process ends.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// The place of a word of 64 bits, counted from the beginning of what it belongs to.
#[derive(Clone, Copy)]
pub struct Word(usize);

/// The place of a word of 32 bits, or of the first one of an array.
#[derive(Clone, Copy)]
pub struct Half(usize);

/// The place of bytes that are written before anybody else can see them.
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

/// The beginning of a header, a ring, a site, the orders, or a record, in memory that stays mapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Base(NonNull<u8>);

// SAFETY: a Base is an address. What can be reached through it are atomics, and bytes whose writers `fill` names.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

impl Base {
    /// # Safety
    /// `address` is a multiple of 64 and not 0, and what the places used with it reach stays mapped, readable and writable,
    /// until the process ends or nobody has the Base any more.
    pub const unsafe fn new(address: *mut u8) -> Self {
        Self(NonNull::new_unchecked(address))
    }

    #[inline(always)]
    pub fn address(self) -> *mut u8 {
        self.0.as_ptr()
    }

    #[inline(always)]
    pub fn word(self, place: Word) -> &'static AtomicU64 {
        // SAFETY: mapped by the contract of `new`; layout.rs has multiples of 8 for words.
        unsafe { &*self.address().add(place.0).cast::<AtomicU64>() }
    }

    #[inline(always)]
    pub fn half(self, place: Half) -> &'static AtomicU32 {
        // SAFETY: mapped by the contract of `new`; layout.rs has multiples of 4 for halves.
        unsafe { &*self.address().add(place.0).cast::<AtomicU32>() }
    }

    /// The word of an array of halves; `index` is below the array's length, which the caller has made sure of.
    #[inline(always)]
    pub fn half_of(self, array: Half, index: u32) -> &'static AtomicU32 {
        self.half(Half(array.0 + 4 * index as usize))
    }

    /// # Safety
    /// The same as for `new`, of the address so many bytes further on.
    #[inline(always)]
    pub unsafe fn further(self, bytes: u64) -> Self {
        Self::new(self.address().add(bytes as usize))
    }

    /// What lies so many bytes behind a place.
    ///
    /// # Safety
    /// The same as for `new`, of that address.
    pub unsafe fn inside(self, place: Bytes, bytes: usize) -> Self {
        Self::new(self.address().add(place.0 + bytes))
    }

    /// Writes bytes that nobody else reads or writes before a later release store publishes them.
    ///
    /// # Safety
    /// They lie within what is mapped, and no other thread writes them.
    pub unsafe fn fill(self, place: Bytes, bytes: &[u8]) {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address().add(place.0), bytes.len());
    }

    /// Whether the bytes at a place are these. The bytes may have been written by a hostile peer: they decide nothing
    /// but which of two equal names is taken.
    ///
    /// # Safety
    /// They lie within what is mapped, and were published to this thread.
    pub unsafe fn holds(self, place: Bytes, bytes: &[u8]) -> bool {
        let stored = self.address().add(place.0);
        (0..bytes.len()).all(|i| stored.add(i).read_volatile() == bytes[i])
    }

    /// Copies a part of another segment.
    ///
    /// # Safety
    /// Both parts are mapped, do not overlap, and no thread writes the destination.
    pub unsafe fn copy_from(self, other: Base, bytes: usize) {
        std::ptr::copy_nonoverlapping(other.address(), self.address(), bytes);
    }
}

/// A page of the program's own, over which the kernel may put other memory.
#[repr(C, align(4096))]
pub struct Page(UnsafeCell<[u8; 4096]>);

// SAFETY: the page is reached through `base` alone, which hands out atomics.
unsafe impl Sync for Page {}

impl Page {
    pub const fn new() -> Self {
        Self(UnsafeCell::new([0; 4096]))
    }

    #[inline(always)]
    pub fn base(&'static self) -> Base {
        // SAFETY: a page of the program's own, aligned to more than 64.
        unsafe { Base::new(self.0.get().cast()) }
    }
}
