// SPDX-License-Identifier: MIT
//! Tasks on smol: an executor that is not tokio, on two threads; channels, timers, sockets, a lock.
use std::sync::Arc;
use std::time::Duration;

use corotracer::{on, Resource, TraceFutureExt};
use smol::channel::unbounded;
use smol::io::{AsyncReadExt, AsyncWriteExt};
use smol::net::{TcpListener, TcpStream};
use smol::{Executor, Timer};

const TASKS: usize = 200;

async fn echo(listener: TcpListener) {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut room = [0; 16];
    while let Ok(length @ 1..) = stream.read(&mut room).await {
        stream.write_all(&room[..length]).await.expect("a peer");
    }
}

async fn talk(executor: &Executor<'_>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let server = executor.spawn(echo(listener).traced());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a server");
    for number in 0..20u8 {
        let mut answer = [0];
        stream.write_all(&[number]).await.expect("a server");
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(answer, [number]);
    }
    drop(stream);
    server.await;
}

async fn play(executor: &Executor<'_>) {
    let (sender, receiver) = unbounded();
    let lock = Arc::new(smol::lock::Mutex::new(0));
    for number in 0..TASKS {
        let (sender, lock) = (sender.clone(), Arc::clone(&lock));
        let work = async move {
            Timer::after(Duration::from_micros(number as u64 * 7)).await;
            let mut sum = on(Resource::lock(&*lock), lock.lock()).await;
            let _held = Resource::lock(&*lock).hold();
            *sum += number;
            sender.send(number).await.expect("a receiver");
        };
        executor.spawn(work.traced()).detach();
    }
    let mut sum = 0;
    for _ in 0..TASKS {
        sum += on(Resource::channel(&receiver), receiver.recv()).await.expect("a number");
    }
    assert_eq!(sum, TASKS * (TASKS - 1) / 2);
    talk(executor).await;
}

fn main() {
    corotracer::init_tracer();
    let executor = Arc::new(Executor::new());
    let (done, is_done) = std::sync::mpsc::channel();
    for _ in 0..2 {
        let executor = Arc::clone(&executor);
        std::thread::spawn(move || smol::block_on(executor.run(smol::future::pending::<()>())));
    }
    let own = Arc::clone(&executor);
    let scene = async move {
        play(&own).await;
        done.send(()).expect("main waits");
    };
    executor.spawn(scene.traced()).detach();
    is_done.recv().expect("an end");
}
