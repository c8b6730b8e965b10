// SPDX-License-Identifier: MIT
//! Tasks on monoio, whose buffers belong to the kernel during a transfer: completions, not readiness. If the machine
//! has no io_uring, monoio uses epoll instead.
use std::time::Duration;

use corotracer::TraceFutureExt;
use monoio::io::{AsyncReadRentExt, AsyncWriteRentExt};
use monoio::net::{TcpListener, TcpStream};

const ROUNDS: usize = 50;
const MESSAGE: usize = 32;

async fn echo(listener: TcpListener) {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut room = vec![0; MESSAGE];
    loop {
        let (read, filled) = stream.read_exact(room).await;
        if read.is_err() {
            return;
        }
        let (written, emptied) = stream.write_all(filled).await;
        written.expect("a peer");
        room = emptied;
    }
}

async fn ask(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a server");
    let mut room = vec![7; MESSAGE];
    for _ in 0..ROUNDS {
        let (written, full) = stream.write_all(room).await;
        written.expect("a server");
        let (read, answer) = stream.read_exact(full).await;
        read.expect("an answer");
        room = answer;
        monoio::time::sleep(Duration::from_micros(100)).traced().await;
    }
}

async fn play() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let server = monoio::spawn(echo(listener).traced());
    monoio::spawn(ask(port).traced()).await;
    server.await;
}

fn main() {
    corotracer::init_tracer();
    let mut runtime = monoio::RuntimeBuilder::<monoio::FusionDriver>::new().enable_all().build().expect("a runtime");
    runtime.block_on(play().traced());
}
