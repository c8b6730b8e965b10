// SPDX-License-Identifier: MIT
//! Places at which tasks wait, whoever runs them, each of which says where it is.

use async_lock::{Barrier, Mutex};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as Lock};
use std::time::Duration;

pub static LINES: Lock<BTreeMap<u32, usize>> = Lock::new(BTreeMap::new());
pub static MARKED: AtomicUsize = AtomicUsize::new(0);

/// The task waits at the line at which this stands.
#[macro_export]
macro_rules! mark {
    () => {
        *$crate::places::LINES.lock().unwrap().entry(line!()).or_insert(0) += 1;
        $crate::places::MARKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    };
}

pub struct Shared {
    pub start: Barrier,
    pub lock: Mutex<u32>,
}

pub type All = Arc<Shared>;
pub type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

pub fn all() -> All {
    Arc::new(Shared { start: Barrier::new(usize::MAX), lock: Mutex::new(0) })
}

pub async fn starting(all: All) {
    #[rustfmt::skip]
    { mark!(); all.start.wait().await };
}

pub async fn nested(all: All) {
    let keep = [all.clone(), all.clone()];
    starting(all).await;
    drop(keep);
}

pub async fn recursive(all: All, depth: u32) {
    if depth > 0 {
        return Box::pin(recursive(all, depth - 1)).await;
    }
    starting(all).await;
}

pub fn dynamic(all: All) -> Boxed {
    Box::pin(async move { starting(all).await })
}

pub async fn dynamically(all: All) {
    dynamic(all).await;
}

pub async fn locking(all: All) {
    #[rustfmt::skip]
    let guard = { mark!(); all.lock.lock().await };
    drop(guard);
}

/// Returns when so many tasks are at their places.
pub fn wait_for(made: usize) {
    while MARKED.load(Ordering::SeqCst) < made {
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn say() {
    let lines: Vec<String> = LINES.lock().unwrap().iter().map(|(line, count)| format!("\"{line}\": {count}")).collect();
    println!("{{{}}}", lines.join(", "));
}
