// SPDX-License-Identifier: MIT
//! Programs on tokio for the tests: a load of ten thousand tasks, faults that programs of futures really have, and each
//! fault's correct twin. What it is to play is its argument; a fault stands still, and is ended after some seconds.
mod faults;
mod handoff;
mod load;
mod older;
mod shapes;

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc;
use std::time::Duration;

use corotracer::tokio::trace_runtime;
use corotracer::TraceFutureExt;
use tracing_subscriber::prelude::*;

const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than a worker may be busy before it is told of.
const STANDSTILL: Duration = Duration::from_millis(2500);

type Scene = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What to play, and how long it may take.
fn scene(name: &str) -> Option<(Scene, Duration)> {
    let fault = |scene: Scene| Some((scene, STANDSTILL));
    let correct = |scene: Scene| Some((scene, PATIENCE));
    match name {
        "load" => correct(Box::pin(load::play(10_000))),
        "small" => correct(Box::pin(load::play(500))),
        "spans" => correct(Box::pin(load::spans())),
        "older" => correct(Box::pin(older::play())),
        "permit" => fault(Box::pin(faults::permit(true))),
        "permit-correct" => correct(Box::pin(faults::permit(false))),
        "yield" => fault(Box::pin(faults::deferred_yield(true))),
        "yield-correct" => correct(Box::pin(faults::deferred_yield(false))),
        "slot" => fault(Box::pin(faults::slot(true))),
        "slot-correct" => correct(Box::pin(faults::slot(false))),
        "spawned" => fault(Box::pin(faults::spawned(true))),
        "spawned-correct" => correct(Box::pin(faults::spawned(false))),
        "circle" => fault(Box::pin(faults::circle(true))),
        "circle-correct" => correct(Box::pin(faults::circle(false))),
        "select" => fault(Box::pin(faults::select(true))),
        "select-correct" => correct(Box::pin(faults::select(false))),
        _ => None,
    }
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    if let Some(play) = shapes::find(&name) {
        corotracer::init_tracer();
        return play();
    }
    let Some((scene, patience)) = scene(&name) else {
        eprintln!("rust-programs: there is no scene '{name}'");
        std::process::exit(2);
    };
    corotracer::init_tracer();
    tracing_subscriber::registry().with(corotracer::tracing::Layer::default()).init();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = trace_runtime(&mut builder).worker_threads(2).enable_all().build().expect("a runtime");
    let (done, is_done) = mpsc::channel();
    runtime.spawn(
        async move {
            scene.await;
            let _ = done.send(());
        }
        .traced()
        .named("scene"),
    );
    let is_over = is_done.recv_timeout(patience).is_ok();
    if is_over {
        drop(runtime);
        return;
    }
    // A fault stands still, as it should; nothing that could be told apart happens any more.
    std::process::exit(i32::from(patience == PATIENCE));
}
