// SPDX-License-Identifier: MIT
//! A correct load: tasks over channels, timers, sockets and a semaphore.
use std::sync::Arc;
use std::time::Duration;

use corotracer::with_tokio::{
    spawn, traced_acquire, traced_channel, traced_lock, traced_sleep, traced_timeout, traced_yield,
};
use corotracer::with_tokio::{TracedReceiver, TracedSender};
use corotracer::TraceFutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore};
use tokio::task::JoinSet;
use tracing::Instrument;

const CONNECTIONS: usize = 20;
const PERMITS: usize = 100;

/// The state that all tasks share.
struct Shared {
    permits: Semaphore,
    sum: Mutex<usize>,
}

async fn work(number: usize, shared: Arc<Shared>, results: TracedSender<usize>) {
    let permit = traced_acquire(&shared.permits).await.expect("a permit");
    match number % 4 {
        0 => traced_sleep(Duration::from_millis(1 + number as u64 % 5)).await,
        1 => tokio::time::sleep(Duration::from_micros(500)).await,
        2 => traced_yield().await,
        _ => tokio::task::yield_now().await,
    }
    *traced_lock(&shared.sum).await += number;
    drop(permit);
    results.send(number).await.expect("a receiver");
}

async fn add_up(mut results: TracedReceiver<usize>) -> usize {
    let mut sum = 0;
    while let Some(number) = results.recv().await {
        sum += number;
    }
    sum
}

async fn echo(mut stream: TcpStream) {
    let mut room = [0; 64];
    while let Ok(length @ 1..) = stream.read(&mut room).await {
        stream.write_all(&room[..length]).await.expect("a peer");
    }
}

async fn serve(listener: TcpListener) {
    let mut connections = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (stream, _) = listener.accept().await.expect("a connection");
        connections.spawn(echo(stream).traced());
    }
    while connections.join_next().await.is_some() {}
}

async fn ask(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a server");
    for number in 0..20u8 {
        let mut answer = [0];
        stream.write_all(&[number]).await.expect("a server");
        let read = traced_timeout(Duration::from_secs(30), stream.read_exact(&mut answer)).await;
        read.expect("in time").expect("an answer");
        assert_eq!(answer, [number]);
    }
}

async fn talk() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let server = spawn(serve(listener));
    let asking: Vec<_> = (0..CONNECTIONS).map(|_| spawn(ask(port))).collect();
    for one in asking {
        one.await.expect("answers");
    }
    server.await.expect("an end");
}

/// A task that is cancelled while it waits, as programs do with tasks that are no longer needed.
async fn cancel_some() {
    let waiting: Vec<_> = (0..10).map(|_| spawn(std::future::pending::<()>())).collect();
    traced_yield().await;
    for one in waiting {
        one.abort();
        assert!(one.await.is_err());
    }
}

pub async fn play(tasks: usize) {
    let shared = Arc::new(Shared { permits: Semaphore::new(PERMITS), sum: Mutex::new(0) });
    let (sender, receiver) = traced_channel(64);
    let sum = spawn(add_up(receiver));
    let talking = spawn(talk());
    for number in 0..tasks {
        spawn(work(number, Arc::clone(&shared), sender.clone()));
    }
    drop(sender);
    let wanted = tasks * (tasks - 1) / 2;
    assert_eq!(sum.await.expect("a sum"), wanted);
    assert_eq!(*traced_lock(&shared.sum).await, wanted);
    talking.await.expect("an end");
    cancel_some().await;
}

async fn request(number: u32) {
    let query = async {
        tracing::info!(number, "asks");
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    query.instrument(tracing::info_span!("query")).await;
}

/// Requests, each of which is a root span with one span below it.
pub async fn spans() {
    for number in 0..5 {
        spawn(request(number).instrument(tracing::info_span!(parent: None, "request"))).await.expect("an end");
    }
}
