// SPDX-License-Identifier: MIT
//! An echo server on tokio, and its clients, which run in another process.
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

const CONNECTIONS: usize = 32;
const MESSAGE: usize = 64;

/// The task of one connection.
pub async fn answer(stream: TcpStream) {
    let mut stream = tokio::net::TcpStream::from_std(stream).expect("a stream");
    let mut room = [0; MESSAGE];
    while stream.read_exact(&mut room).await.is_ok() {
        if stream.write_all(&room).await.is_err() {
            return;
        }
    }
}

/// The server's task, which uses `spawn` to start a task for each connection.
pub async fn serve(listener: TcpListener, spawn: impl Fn(TcpStream)) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        spawn(stream.into_std().expect("a stream"));
    }
}

#[allow(dead_code)]
async fn ask(port: u16, until: Instant) -> u64 {
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("a server");
    let mut room = [7; MESSAGE];
    let mut count = 0;
    let _ = stream.set_nodelay(true);
    while Instant::now() < until {
        stream.write_all(&room).await.expect("a server");
        stream.read_exact(&mut room).await.expect("an answer");
        count += 1;
    }
    count
}

/// Returns the nanoseconds that the threads of this process have run, as the kernel accounts for them.
fn processor_time() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("threads");
    tasks
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// Calls `start` to serve a port, prints the port, and waits until the standard input ends; then prints the processor
/// time used.
pub fn serve_until_told(start: impl FnOnce(TcpListener)) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    listener.set_nonblocking(true).expect("a listener");
    start(listener);
    let before = processor_time();
    println!("{port}");
    let _ = std::io::stdin().read(&mut [0]);
    println!("{}", processor_time() - before);
}

/// Returns how many requests per second the server of this port answered.
#[allow(dead_code)] // one program only serves, and sends no requests
pub fn requests_a_second(port: u16, seconds: f64) -> f64 {
    let clients = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let count: u64 = clients.block_on(async {
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        let asking: Vec<_> = (0..CONNECTIONS).map(|_| tokio::spawn(ask(port, until))).collect();
        let mut count = 0;
        for one in asking {
            count += one.await.expect("answers");
        }
        count
    });
    count as f64 / seconds
}
