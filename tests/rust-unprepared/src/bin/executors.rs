// SPDX-License-Identifier: MIT
//! Tasks of executors other than tokio's, which wait at many kinds of places, without any help for who looks from outside.
//!
//! executors [busy] COUNT: makes COUNT tasks of async-executor for each place, and then says in one line of JSON how many
//! wait at which line of this file. `busy`: tasks run all the time besides. `circle`: two more wait for locks in a circle.
//! Ends with its input.

use async_executor::Executor;
use async_lock::{Barrier, Mutex, Semaphore};
use futures_lite::future;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as Lock};
use std::time::Duration;

static LINES: Lock<BTreeMap<u32, usize>> = Lock::new(BTreeMap::new());
static MARKED: AtomicUsize = AtomicUsize::new(0);
static EXECUTOR: Executor<'static> = Executor::new();

/// The task waits at the line at which this stands.
macro_rules! mark {
    () => {
        *LINES.lock().unwrap().entry(line!()).or_insert(0) += 1;
        MARKED.fetch_add(1, Ordering::SeqCst);
    };
}

struct Shared {
    start: Barrier,
    lock: Mutex<u32>,
    permits: Semaphore,
}

type All = Arc<Shared>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

async fn starting(all: All) {
    #[rustfmt::skip]
    { mark!(); all.start.wait().await };
}

async fn nested(all: All) {
    let keep = [all.clone(), all.clone()];
    starting(all).await;
    drop(keep);
}

async fn recursive(all: All, depth: u32) {
    if depth > 0 {
        return Box::pin(recursive(all, depth - 1)).await;
    }
    starting(all).await;
}

fn dynamic(all: All) -> Boxed {
    Box::pin(async move { starting(all).await })
}

async fn dynamically(all: All) {
    dynamic(all).await;
}

async fn locking(all: All) {
    #[rustfmt::skip]
    let guard = { mark!(); all.lock.lock().await };
    drop(guard);
}

async fn permitted(all: All) {
    #[rustfmt::skip]
    let permit = { mark!(); all.permits.acquire().await };
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
    EXECUTOR.spawn(permitted(all.clone())).detach();
    EXECUTOR.spawn(joining(all.clone())).detach();
    EXECUTOR.spawn(large(all.clone())).detach();
    10
}

fn say() {
    let lines: Vec<String> = LINES.lock().unwrap().iter().map(|(line, count)| format!("\"{line}\": {count}")).collect();
    println!("{{{}}}", lines.join(", "));
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |word: &str| words.iter().any(|given| given == word);
    let count: usize = words.last().and_then(|word| word.parse().ok()).unwrap_or(5);
    let all = Arc::new(Shared { start: Barrier::new(usize::MAX), lock: Mutex::new(0), permits: Semaphore::new(0) });
    let guard = future::block_on(all.lock.lock());
    for _ in 0..2 {
        std::thread::spawn(|| future::block_on(EXECUTOR.run(future::pending::<()>())));
    }
    let made: usize = (0..count).map(|_| spawn(&all)).sum();
    while MARKED.load(Ordering::SeqCst) < made {
        std::thread::sleep(Duration::from_millis(1));
    }
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
