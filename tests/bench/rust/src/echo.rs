// SPDX-License-Identifier: MIT
//! An echo server and its clients, on tokio, every task traced.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use corotracer::tokio::{spawn, trace_runtime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CONNECTIONS: usize = 32;
const MESSAGE: usize = 64;

async fn answer(mut stream: TcpStream) {
    let mut room = [0; MESSAGE];
    while stream.read_exact(&mut room).await.is_ok() {
        if stream.write_all(&room).await.is_err() {
            return;
        }
    }
}

async fn serve(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        spawn(answer(stream));
    }
}

async fn ask(port: u16, until: Instant, count: Arc<AtomicU64>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a server");
    let mut room = [7; MESSAGE];
    let _ = stream.set_nodelay(true);
    while Instant::now() < until {
        stream.write_all(&room).await.expect("a server");
        stream.read_exact(&mut room).await.expect("an answer");
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Requests that were answered, a second.
pub fn requests_a_second(seconds: f64) -> f64 {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = trace_runtime(&mut builder).worker_threads(2).enable_all().build().expect("a runtime");
    let count = Arc::new(AtomicU64::new(0));
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("a port").port();
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        spawn(serve(listener));
        let asking: Vec<_> = (0..CONNECTIONS).map(|_| spawn(ask(port, until, Arc::clone(&count)))).collect();
        for one in asking {
            one.await.expect("answers");
        }
    });
    count.load(Ordering::Relaxed) as f64 / seconds
}
