// SPDX-License-Identifier: MIT
//! An executor of the program's own, whose tasks are futures in boxes, without any help for who looks from outside.
//!
//! boxed [busy] COUNT: makes COUNT tasks for each place, and then says in one line of JSON how many wait at which line of this
//! file. `busy`: tasks run all the time besides. Ends with its input.

#[path = "../places.rs"]
mod places;

use futures_lite::future;
use places::{all, dynamic, dynamically, locking, nested, recursive, say, starting, wait_for, All, Boxed};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex as Lock};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

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

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let count: usize = words.last().and_then(|word| word.parse().ok()).unwrap_or(5);
    let all = all();
    let guard = future::block_on(all.lock.lock());
    let (ready, tasks) = channel();
    std::thread::spawn(|| run(tasks));
    let made: usize = (0..count).map(|_| spawn_all(&ready, &all)).sum();
    wait_for(made);
    if words.iter().any(|word| word == "busy") {
        (0..3).for_each(|_| spawn(&ready, Box::pin(turning())));
    }
    std::thread::sleep(Duration::from_millis(100));
    say();
    let is_read = std::io::stdin().read_line(&mut String::new()).is_ok();
    drop((guard, is_read));
    std::process::exit(0);
}
