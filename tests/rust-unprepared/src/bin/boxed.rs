// SPDX-License-Identifier: MIT
//! An executor of the program's own, whose tasks are futures in boxes, without any help for who looks from outside.
//!
//! boxed [busy] COUNT: makes COUNT tasks for each place, and then says in one line of JSON how many wait at which line of this
//! file. `busy`: tasks run all the time besides. Ends with its input.

use async_lock::{Barrier, Mutex};
use futures_lite::future;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex as Lock};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

static LINES: Lock<BTreeMap<u32, usize>> = Lock::new(BTreeMap::new());
static MARKED: AtomicUsize = AtomicUsize::new(0);

/// The task waits at the line at which this stands.
macro_rules! mark {
    () => {
        *LINES.lock().unwrap().entry(line!()).or_insert(0) += 1;
        MARKED.fetch_add(1, Ordering::SeqCst);
    };
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Task {
    future: Lock<Option<Boxed>>,
    ready: Sender<Arc<Task>>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let ready = self.ready.clone();
        drop(ready.send(self));
    }
}

fn run(tasks: Receiver<Arc<Task>>) {
    while let Ok(task) = tasks.recv() {
        let waker = Waker::from(task.clone());
        let mut future = task.future.lock().unwrap();
        let is_over = future.as_mut().is_some_and(|it| it.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
        if is_over {
            *future = None;
        }
    }
}

fn spawn(ready: &Sender<Arc<Task>>, future: Boxed) {
    Arc::new(Task { future: Lock::new(Some(future)), ready: ready.clone() }).wake();
}

struct Shared {
    start: Barrier,
    lock: Mutex<u32>,
}

type All = Arc<Shared>;

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

async fn turning() {
    loop {
        let inner: Boxed = Box::pin(future::yield_now());
        inner.await;
    }
}

fn spawn_all(ready: &Sender<Arc<Task>>, all: &All) -> usize {
    spawn(ready, Box::pin(starting(all.clone())));
    spawn(ready, Box::pin(nested(all.clone())));
    spawn(ready, Box::pin(recursive(all.clone(), 3)));
    spawn(ready, dynamic(all.clone()));
    spawn(ready, Box::pin(dynamically(all.clone())));
    spawn(ready, Box::pin(locking(all.clone())));
    6
}

fn say() {
    let lines: Vec<String> = LINES.lock().unwrap().iter().map(|(line, count)| format!("\"{line}\": {count}")).collect();
    println!("{{{}}}", lines.join(", "));
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = words.last().and_then(|word| word.parse().ok()).unwrap_or(5);
    let all = Arc::new(Shared { start: Barrier::new(usize::MAX), lock: Mutex::new(0) });
    let guard = future::block_on(all.lock.lock());
    let (ready, tasks) = channel();
    std::thread::spawn(|| run(tasks));
    let made: usize = (0..count).map(|_| spawn_all(&ready, &all)).sum();
    while MARKED.load(Ordering::SeqCst) < made {
        std::thread::sleep(Duration::from_millis(1));
    }
    if words.iter().any(|word| word == "busy") {
        (0..3).for_each(|_| spawn(&ready, Box::pin(turning())));
    }
    std::thread::sleep(Duration::from_millis(100));
    say();
    let is_read = std::io::stdin().read_line(&mut String::new()).is_ok();
    drop((guard, is_read));
    std::process::exit(0);
}
