// SPDX-License-Identifier: MIT
//! The echo server of `tests/bench/rust`, recorded by another crate, dial9-tokio-telemetry. The clients are those of
//! `tests/bench/rust`.
//!
//!     bench-dial9 [TRACE]
//!
//! Without a trace nothing is recorded.
#[path = "../../rust/src/echo.rs"]
mod echo;

use std::time::Duration;

use dial9_tokio_telemetry::telemetry::{
    recorder, spawn, Dial9HandleTokioExt, DiskBuffer, TokioAttachOptions,
};
use tokio::runtime::{Builder, Runtime};

fn builder() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).enable_all();
    builder
}

fn plain() {
    let runtime = builder().build().expect("a runtime");
    echo::serve_until_told(|listener| {
        runtime.spawn(echo::serve(listener, |stream| {
            tokio::spawn(echo::answer(stream));
        }));
    });
}

fn recorded(path: &str) {
    let recording = recorder(DiskBuffer::single_file(path).expect("a file")).build();
    let runtime: Runtime = recording
        .handle()
        .attach_tokio_runtime(
            builder(),
            TokioAttachOptions::builder().runtime_name("echo").build(),
        )
        .expect("a runtime");
    echo::serve_until_told(|listener| {
        runtime.spawn(async move {
            let serving = spawn(echo::serve(listener, |stream| {
                spawn(echo::answer(stream));
            }));
            let _ = serving.await;
        });
    });
    drop(runtime);
    let _ = recording.graceful_shutdown(Duration::from_secs(5));
}

fn main() {
    match std::env::args().nth(1) {
        Some(path) => recorded(&path),
        None => plain(),
    }
}
