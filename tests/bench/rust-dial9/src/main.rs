// SPDX-License-Identifier: MIT
//! The echo server of `tests/bench/rust`, recorded by another crate, dial9-tokio-telemetry: requests a second.
//!
//!     bench-dial9 SECONDS [TRACE]
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

fn plain(seconds: f64) -> f64 {
    let runtime = builder().build().expect("a runtime");
    echo::requests_a_second(seconds, |listener| {
        runtime.spawn(echo::serve(listener, |stream| {
            tokio::spawn(echo::answer(stream));
        }));
    })
}

fn recorded(seconds: f64, path: &str) -> f64 {
    let recording = recorder(DiskBuffer::single_file(path).expect("a file")).build();
    let runtime: Runtime = recording
        .handle()
        .attach_tokio_runtime(
            builder(),
            TokioAttachOptions::builder().runtime_name("echo").build(),
        )
        .expect("a runtime");
    let told = echo::requests_a_second(seconds, |listener| {
        runtime.spawn(async move {
            let serving = spawn(echo::serve(listener, |stream| {
                spawn(echo::answer(stream));
            }));
            let _ = serving.await;
        });
    });
    drop(runtime);
    let _ = recording.graceful_shutdown(Duration::from_secs(5));
    told
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments
        .first()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2.0);
    let told = match arguments.get(1) {
        Some(path) => recorded(seconds, path),
        None => plain(seconds),
    };
    println!("{told:.0}");
}
