// SPDX-License-Identifier: MIT
//! Tasks of executors other than tokio's, which wait at many kinds of places, without any help for who looks from outside.
//!
//! executors [busy] COUNT: makes COUNT tasks of async-executor for each place, and then says in one line of JSON how many
//! wait at which line of this file. `busy`: tasks run all the time besides. `circle`: two more wait for locks in a circle.
//! Ends with its input.

#[path = "../places.rs"]
mod places;

use async_executor::Executor;
use async_lock::{Mutex, Semaphore};
use futures_lite::future;
use places::{all, dynamic, dynamically, locking, nested, recursive, say, starting, wait_for, All, MARKED};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

static EXECUTOR: Executor<'static> = Executor::new();
static PERMITS: Semaphore = Semaphore::new(0);

async fn permitted() {
    #[rustfmt::skip]
    let permit = { mark!(); PERMITS.acquire().await };
    drop(permit);
}

async fn joining(all: All) {
    #[rustfmt::skip]
    { let child = EXECUTOR.spawn(starting(all)); mark!(); child.await };
}

/// The executor puts so large a future into a box.
async fn large(all: All) {
    let mut keep = [0u8; 4096];
    keep[MARKED.load(Ordering::SeqCst) % 4096] = 1;
    starting(all).await;
    println!("{}", keep.iter().map(|one| u32::from(*one)).sum::<u32>());
}

async fn turning() {
    loop {
        future::yield_now().await;
        EXECUTOR.spawn(future::yield_now()).await;
    }
}

async fn crossing(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) {
    let one = first.lock().await;
    while Arc::strong_count(&second) > 0 && second.try_lock().is_some() {
        future::yield_now().await;
    }
    let other = second.lock().await;
    println!("{} {}", *one, *other);
}

fn spawn(all: &All) -> usize {
    EXECUTOR.spawn(starting(all.clone())).detach();
    EXECUTOR.spawn(nested(all.clone())).detach();
    EXECUTOR.spawn(recursive(all.clone(), 3)).detach();
    EXECUTOR.spawn(dynamic(all.clone())).detach();
    EXECUTOR.spawn(dynamically(all.clone())).detach();
    EXECUTOR.spawn(locking(all.clone())).detach();
    EXECUTOR.spawn(permitted()).detach();
    EXECUTOR.spawn(joining(all.clone())).detach();
    EXECUTOR.spawn(large(all.clone())).detach();
    10
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |word: &str| words.iter().any(|given| given == word);
    let count: usize = words.last().and_then(|word| word.parse().ok()).unwrap_or(5);
    let all = all();
    let guard = future::block_on(all.lock.lock());
    for _ in 0..2 {
        std::thread::spawn(|| future::block_on(EXECUTOR.run(future::pending::<()>())));
    }
    let made: usize = (0..count).map(|_| spawn(&all)).sum();
    wait_for(made);
    if is_asked("busy") {
        (0..3).for_each(|_| EXECUTOR.spawn(turning()).detach());
    }
    if is_asked("circle") {
        let locks = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        EXECUTOR.spawn(crossing(locks.0.clone(), locks.1.clone())).detach();
        EXECUTOR.spawn(crossing(locks.1, locks.0)).detach();
    }
    std::thread::sleep(Duration::from_millis(100));
    say();
    let is_read = std::io::stdin().read_line(&mut String::new()).is_ok();
    drop((guard, is_read));
    std::process::exit(0);
}
