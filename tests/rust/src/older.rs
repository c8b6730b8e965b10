// SPDX-License-Identifier: MIT
//! The older crate's calls, as existing programs make them.
use std::pin::Pin;
use std::time::Duration;

use corotracer::{trace_future, PollTrace, TraceFutureExt};
use tokio::sync::{oneshot, Barrier};
use tokio::time::sleep;

async fn exchange() {
    let (sender, receiver) = oneshot::channel::<u32>();
    let producer = tokio::spawn(
        async move {
            sleep(Duration::from_millis(2)).await;
            sender.send(42).expect("a receiver");
        }
        .traced(),
    );
    let consumer = tokio::spawn(async move { receiver.await.expect("a sender") }.traced());
    assert_eq!(consumer.await.expect("a value"), 42);
    producer.await.expect("an end");
}

async fn meet() {
    let barrier = std::sync::Arc::new(Barrier::new(4));
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let barrier = barrier.clone();
        tasks.push(tokio::spawn(async move { barrier.wait().await.is_leader() }.traced()));
    }
    let mut leaders = 0;
    for task in tasks {
        leaders += u32::from(task.await.expect("an end"));
    }
    assert_eq!(leaders, 1);
}

async fn panic_in_task() {
    let failed = tokio::spawn(async { panic!("meant") }.traced()).await;
    assert!(failed.expect_err("a panic").is_panic());
}

async fn drop_while_suspended() {
    let long = sleep(Duration::from_secs(9999)).traced();
    tokio::select! {
        () = long => unreachable!(),
        () = sleep(Duration::from_millis(5)) => {}
    }
}

/// A poll loop of the program's own.
fn probe_by_hand() {
    let mut probe = PollTrace::new();
    probe.on_pending_addr(0x1000);
    probe.on_resume();
    probe.on_pending(Pin::new(&mut std::future::pending::<()>()));
    probe.on_resume();
    probe.on_ready();
    probe.mark_dead();
    probe.mark_dead();
    assert!(!probe.is_enabled());
}

pub async fn play() {
    std::panic::set_hook(Box::new(|_| {}));
    sleep(Duration::from_millis(1)).traced().await;
    exchange().await;
    meet().await;
    panic_in_task().await;
    drop_while_suspended().await;
    probe_by_hand();
    assert_eq!(trace_future(async { 7 }).await, 7);
    assert_eq!(async { 8 }.traced().into_inner().await, 8);
}
