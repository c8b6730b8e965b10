// SPDX-License-Identifier: MIT
//! Each traced form of the things that tasks wait for, and faults with some of them.
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::time::Duration;

use corotracer::with_tokio::{
    spawn, traced_blocking_lock, traced_blocking_read, traced_blocking_write, traced_broadcast, traced_channel,
    traced_lock, traced_oneshot, traced_read, traced_sleep, traced_try_acquire, traced_try_lock, traced_try_read,
    traced_try_write, traced_unbounded_channel, traced_watch, traced_write, TracedJoinSet, TracedNotify,
};
use corotracer::{with_tokio, TraceFutureExt};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, RwLock, Semaphore};
use tokio::task::spawn_blocking;

use crate::BLOCKING_THREADS;

const SHORT: Duration = Duration::from_millis(5);
const TASKS: usize = 4;

/// Readers, and a writer between them.
async fn read_and_write() {
    let sum = Arc::new(RwLock::new(0));
    let mut tasks = TracedJoinSet::new();
    for number in 0..TASKS {
        let sum = Arc::clone(&sum);
        tasks.spawn(async move {
            if number % 2 == 0 {
                let guard = traced_read(&sum).await;
                traced_sleep(SHORT).await;
                drop(guard);
            } else {
                *traced_write(&sum).await += number;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.expect("an end");
    }
    assert_eq!(*traced_try_read(&sum).expect("nobody has it"), 4);
    assert_eq!(*traced_try_write(&sum).expect("nobody has it"), 4);
}

async fn send_without_room() {
    let (sender, mut receiver) = traced_unbounded_channel();
    let adding = spawn(async move {
        let mut sum = 0;
        while let Some(number) = receiver.recv().await {
            sum += number;
        }
        sum
    });
    for number in 0..TASKS {
        traced_sleep(SHORT).await;
        sender.send(number).expect("a receiver");
    }
    drop(sender);
    assert_eq!(adding.await.expect("an end"), 6);
}

async fn send_once() {
    let (sender, receiver) = traced_oneshot();
    let waiting = spawn(receiver);
    traced_sleep(SHORT).await;
    sender.send(7).expect("a receiver");
    assert_eq!(waiting.await.expect("an end"), Ok(7));
    let (sender, mut receiver) = traced_oneshot();
    assert!(receiver.try_recv().is_err());
    sender.send(8).expect("a receiver");
    assert_eq!(spawn_blocking(move || receiver.blocking_recv()).await.expect("an end"), Ok(8));
}

async fn send_to_all() {
    let (sender, first) = traced_broadcast(TASKS);
    let (changes, value) = traced_watch(0);
    let mut tasks = TracedJoinSet::new();
    for mut receiver in [sender.subscribe(), first] {
        tasks.spawn(async move { receiver.recv().await.expect("a value") });
    }
    let (mut one, mut other) = (value.clone(), value);
    tasks.spawn(async move {
        one.changed().await.expect("a sender");
        let latest = *one.borrow_and_update();
        latest
    });
    tasks.spawn(async move { *other.wait_for(|&value| value == 3).await.expect("a sender") });
    traced_sleep(SHORT).await;
    sender.send(3).expect("receivers");
    changes.send(3).expect("receivers");
    while let Some(ended) = tasks.join_next().await {
        assert_eq!(ended.expect("an end"), 3);
    }
}

async fn notify_in_turn() {
    let notify = Arc::new(TracedNotify::new());
    let mut tasks = TracedJoinSet::new();
    for _ in 0..TASKS {
        let notify = Arc::clone(&notify);
        tasks.spawn(async move { notify.notified().await });
    }
    traced_sleep(SHORT).await;
    notify.notify_one();
    notify.notify_waiters();
    while let Some(ended) = tasks.join_next().await {
        ended.expect("an end");
    }
}

/// Threads that wait, beside tasks that wait.
async fn block() {
    let (mutex, lock) = (Arc::new(Mutex::new(0)), Arc::new(RwLock::new(0)));
    let guard = traced_lock(&mutex).await;
    assert!(traced_try_lock(&mutex).is_err());
    let blocking = {
        let (mutex, lock) = (Arc::clone(&mutex), Arc::clone(&lock));
        spawn_blocking(move || {
            *traced_blocking_lock(&mutex) += 1;
            *traced_blocking_write(&lock) += *traced_blocking_lock(&mutex);
            let seen = *traced_blocking_read(&lock);
            seen
        })
    };
    traced_sleep(SHORT).await;
    drop(guard);
    assert_eq!(blocking.await.expect("an end"), 1);
    let (sender, mut receiver) = traced_channel(1);
    sender.try_send(1).expect("room");
    assert!(sender.try_send(2).is_err());
    let sending = spawn_blocking(move || sender.blocking_send(2));
    traced_sleep(SHORT).await;
    assert_eq!((receiver.try_recv(), receiver.recv().await), (Ok(1), Some(2)));
    assert!(sending.await.expect("an end").is_ok());
    assert_eq!(spawn_blocking(move || receiver.blocking_recv()).await.expect("an end"), None);
    assert!(traced_try_acquire(&Semaphore::new(1)).is_ok());
}

pub async fn play() {
    read_and_write().await;
    send_without_room().await;
    send_once().await;
    send_to_all().await;
    notify_in_turn().await;
    block().await;
}

/// A task notifies all waiters at a moment when the task that it means does not wait yet.
pub async fn notify(is_fault: bool) {
    let notify = Arc::new(TracedNotify::new());
    let waiting = {
        let notify = Arc::clone(&notify);
        spawn(async move {
            traced_sleep(SHORT).await;
            notify.notified().await;
        })
    };
    if is_fault {
        notify.notify_waiters();
    } else {
        notify.notify_one();
    }
    waiting.await.expect("an end");
}

/// A task that holds a read lock wants the write lock, and keeps the read lock until it gets it.
pub async fn upgrade(is_fault: bool) {
    let lock = Arc::new(RwLock::new(0));
    let upgrading = spawn(async move {
        let reading = traced_read(&lock).await;
        let next = *reading + 1;
        if !is_fault {
            drop(reading);
            *traced_write(&lock).await = next;
            return;
        }
        *traced_write(&lock).await = next;
        drop(reading);
    });
    upgrading.await.expect("an end");
}

/// A task waits for the end of another task, which waits for something that only the first task would send.
pub async fn handles(is_fault: bool) {
    let (sender, receiver) = traced_oneshot();
    let child = spawn(receiver);
    let parent = spawn(async move {
        if is_fault {
            let _ = child.await;
            let _ = sender.send(());
        } else {
            let _ = sender.send(());
            let _ = child.await;
        }
    });
    parent.await.expect("an end");
}

/// An item is ready only when it is asked for a second time: the first poll keeps no waker, or does not even take one.
async fn ask_twice(is_fault: bool, takes: bool) {
    let mut was_asked = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut was_asked, true) {
            return Poll::Ready(());
        }
        if !is_fault {
            context.waker().wake_by_ref();
        } else if takes {
            drop(context.waker().clone());
        }
        Poll::Pending
    })
    .await
}

/// A task that nobody can wake, because it kept no waker; another task waits for its end, and others go on.
pub async fn unregistered(is_fault: bool, takes: bool) {
    let ticking = spawn(async {
        loop {
            traced_sleep(SHORT).await;
        }
    });
    spawn(ask_twice(is_fault, takes)).await.expect("an end");
    ticking.abort();
}

/// A task holds a future that was woken but does not poll it, and waits for something that this future would have led
/// to.
pub async fn branch(is_fault: bool) {
    let (sender, receiver) = traced_oneshot();
    let done = Arc::new(TracedNotify::new());
    let has_slept = Arc::new(AtomicBool::new(false));
    let waiting = {
        let (done, has_slept) = (Arc::clone(&done), Arc::clone(&has_slept));
        spawn(async move {
            let mut received = pin!(receiver.traced());
            tokio::select! {
                _ = &mut received => return,
                () = traced_sleep(SHORT) => {}
            }
            has_slept.store(true, Ordering::Release);
            if is_fault {
                done.notified().await;
            }
            received.await.expect("a sender");
            done.notify_one();
        })
    };
    while !has_slept.load(Ordering::Acquire) {
        traced_sleep(SHORT * 4).await;
    }
    sender.send(()).expect("a receiver");
    waiting.await.expect("an end");
}

/// The task that was to notify panics.
pub async fn panic(is_fault: bool) {
    let notify = Arc::new(TracedNotify::new());
    let notifying = {
        let notify = Arc::clone(&notify);
        spawn(async move {
            traced_sleep(SHORT).await;
            assert!(!is_fault, "meant");
            notify.notify_one();
        })
    };
    notify.notified().await;
    notifying.await.expect("an end");
}

async fn look_up(number: u32) -> u32 {
    with_tokio::spawn_blocking(move || number * 7).await.expect("an answer")
}

/// A job for the pool of blocking threads; keeps its thread while it looks something up (the fault).
fn convert(number: u32, all: &Barrier, handle: &Handle, is_fault: bool) -> u32 {
    all.wait();
    if is_fault {
        return handle.block_on(spawn(look_up(number))).expect("an answer");
    }
    number
}

/// Jobs have all threads of the pool, and each waits for a job that needs a thread of the same pool.
pub async fn pool(is_fault: bool) {
    let all = Arc::new(Barrier::new(BLOCKING_THREADS));
    let jobs: Vec<_> = (0..BLOCKING_THREADS as u32)
        .map(|number| {
            let (all, handle) = (Arc::clone(&all), Handle::current());
            let job = with_tokio::spawn_blocking(move || convert(number, &all, &handle, is_fault));
            spawn(async move { look_up(job.await.expect("a number")).await })
        })
        .collect();
    for job in jobs {
        job.await.expect("an answer");
    }
    let failed = with_tokio::spawn_blocking(|| std::panic::resume_unwind(Box::new("no such number")));
    assert!(failed.await.expect_err("a panic").is_panic());
}
