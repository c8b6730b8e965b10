// SPDX-License-Identifier: MIT
//! Faults, and the same programs without them.
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use corotracer::with_tokio::{spawn, traced_acquire, traced_lock, traced_sleep, traced_yield};
use tokio::sync::{oneshot, Mutex, Notify, Semaphore};

use crate::handoff::Handoff;

const SHORT: Duration = Duration::from_millis(20);
const LONGER: Duration = Duration::from_millis(80);

/// Asks for a permit, loses patience, and goes on to something else: with the request still in the queue (the fault),
/// or without it.
async fn lose_patience(permits: Arc<Semaphore>, others: Arc<Notify>, is_fault: bool) {
    let mut wanted = Box::pin(traced_acquire(&permits));
    tokio::select! {
        _permit = &mut wanted => return,
        () = traced_sleep(SHORT) => {}
    }
    if !is_fault {
        drop(wanted);
        others.notified().await;
        return;
    }
    // The request is still in the queue, and nobody polls it.
    others.notified().await;
    drop(wanted);
}

/// A permit is granted to a future that nobody polls any more.
pub async fn permit(is_fault: bool) {
    let permits = Arc::new(Semaphore::new(1));
    let others = Arc::new(Notify::new());
    let first = traced_acquire(&permits).await;
    let patient = spawn(lose_patience(Arc::clone(&permits), Arc::clone(&others), is_fault));
    traced_sleep(LONGER).await;
    drop(first);
    let second = spawn(async move {
        let _permit = traced_acquire(&permits).await;
        others.notify_one();
    });
    second.await.expect("a permit");
    patient.await.expect("a notification");
}

fn block_for_ever() {
    let (_never, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv();
}

/// A task yields, and its worker goes on with a task that blocks: the wake of the yield is put off without end.
pub async fn deferred_yield(is_fault: bool) {
    let yielding = spawn(async move {
        let blocking = spawn(async move {
            if is_fault {
                block_for_ever();
            } else {
                tokio::task::spawn_blocking(|| std::thread::sleep(SHORT)).await.expect("a sleep");
            }
        });
        traced_yield().await;
        blocking.await.expect("an end");
    });
    yielding.await.expect("an end");
}

/// A task wakes another task, which lies in its worker's slot, and blocks its thread until that task has answered.
pub async fn slot(is_fault: bool) {
    let (ask, question) = oneshot::channel::<()>();
    let (answer, answered) = std::sync::mpsc::channel();
    let answering = spawn(async move {
        let _ = question.await;
        let _ = answer.send(());
    });
    let asking = spawn(async move {
        traced_sleep(SHORT).await;
        let _ = ask.send(());
        if is_fault {
            let _ = answered.recv();
        } else {
            tokio::task::spawn_blocking(move || answered.recv()).await.expect("a thread").expect("an answer");
        }
    });
    asking.await.expect("an answer");
    answering.await.expect("an end");
}

/// A task spawns another task, which lies in its worker's slot, and blocks its thread until that task has answered.
pub async fn spawned(is_fault: bool) {
    let asking = spawn(async move {
        let (answer, answered) = std::sync::mpsc::channel();
        spawn(async move {
            let _ = answer.send(());
        });
        if is_fault {
            let _ = answered.recv();
        } else {
            tokio::task::spawn_blocking(move || answered.recv()).await.expect("a thread").expect("an answer");
        }
    });
    asking.await.expect("an answer");
}

pub(crate) async fn take_both(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) {
    let mut one = traced_lock(&first).await;
    traced_sleep(SHORT).await;
    let mut other = traced_lock(&second).await;
    *one += 1;
    *other += 1;
}

/// Two tasks hold a guard across an await, and each wants the other's lock.
pub async fn circle(is_fault: bool) {
    let (one, other) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let there = spawn(take_both(Arc::clone(&one), Arc::clone(&other)));
    let back = if is_fault { spawn(take_both(other, one)) } else { spawn(take_both(one, other)) };
    there.await.expect("both locks");
    back.await.expect("both locks");
}

/// Takes a message, and also waits for an interrupt: if the interrupt comes first, the wait for the message is dropped.
async fn take_message(channel: Arc<Handoff<u32>>, interrupt: Arc<Notify>) -> u32 {
    loop {
        let mut message = pin!(channel.receive());
        let mut interrupted = pin!(interrupt.notified());
        // Polled in this order, so a message that has come meanwhile is dropped with the future that holds it.
        tokio::select! {
            biased;
            () = &mut interrupted => {}
            message = &mut message => return message,
        }
    }
}

/// `select!` drops a receiver that has been handed a message already: the message is gone with it.
pub async fn select(is_fault: bool) {
    let channel = Arc::new(Handoff::new(is_fault));
    let interrupt = Arc::new(Notify::new());
    let receiver = spawn(take_message(Arc::clone(&channel), Arc::clone(&interrupt)));
    channel.wait_for_receiver().await;
    // Both events are there before the receiver runs.
    interrupt.notify_one();
    channel.send(1);
    receiver.await.expect("the message");
}
