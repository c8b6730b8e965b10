// SPDX-License-Identifier: MIT
//
// Two coroutines that wait for a lock, behind a function that the compiler takes into its callers, one of which is a
// closure. The lines that a report should name say so in a comment.
use std::hint::black_box;

extern "C" {
    fn shim_attach() -> bool;
    fn shim_begin() -> u64;
    fn shim_wait(coro: u64);
    fn shim_wait_for_engine();
}

pub mod net {
    pub struct Lock<T> {
        pub value: T,
    }

    impl<T> Lock<T> {
        #[inline(always)]
        pub fn take(&self, coro: u64) {
            unsafe { super::shim_wait(coro) }; // innermost
            std::hint::black_box(coro);
        }
    }
}

#[inline(never)]
fn serve<T>(lock: &net::Lock<T>, coro: u64) {
    lock.take(coro); // generic
    black_box(coro);
}

#[inline(never)]
fn call(run: &dyn Fn(u64), coro: u64) {
    run(coro);
}

fn main() {
    let lock = net::Lock { value: 5u32 };
    let run = |coro| {
        lock.take(coro); // closure
        black_box(coro);
    };
    unsafe {
        assert!(shim_attach());
        serve(&lock, shim_begin());
        call(black_box(&run), shim_begin());
        shim_wait_for_engine();
    }
    black_box(lock.value);
}
