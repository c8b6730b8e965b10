// SPDX-License-Identifier: MIT
//! Programs on tokio for the tests: a load of ten thousand tasks, faults that real programs of futures have, and the
//! correct twin of each fault. The argument names the program. A fault stands still, and is ended after some seconds,
//! or by the process that started it.
mod faults;
mod handoff;
mod load;
mod names;
mod older;
mod shapes;
mod waits;

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc;
use std::time::Duration;

use corotracer::with_tokio::trace_runtime;
use corotracer::TraceFutureExt;
use tracing_subscriber::prelude::*;

const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than a worker may be busy before it is reported.
const STANDSTILL: Duration = Duration::from_millis(2500);

/// The number of threads for blocking work.
const BLOCKING_THREADS: usize = 4;

type Scene = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Clone, Copy)]
enum Kind {
    Correct,
    /// Stands still, and is ended after a while.
    Fault,
    /// Stands still, says so to the process that started it, and is ended by that process.
    Hang,
}

/// Returns the program to run, and how it ends.
fn scene(name: &str) -> Option<(Scene, Kind)> {
    let fault = |scene: Scene| Some((scene, Kind::Fault));
    let correct = |scene: Scene| Some((scene, Kind::Correct));
    let hanging = |scene: Scene| Some((scene, Kind::Hang));
    match name {
        "load" => correct(Box::pin(load::play(10_000))),
        "small" => correct(Box::pin(load::play(500))),
        "spans" => correct(Box::pin(load::spans())),
        "older" => correct(Box::pin(older::play())),
        "waits" => correct(Box::pin(waits::play())),
        "names" => correct(Box::pin(names::play())),
        "unregistered" => hanging(Box::pin(waits::unregistered(true, true))),
        "unregistered-correct" => correct(Box::pin(waits::unregistered(false, true))),
        "never-taken" => hanging(Box::pin(waits::unregistered(true, false))),
        "never-taken-correct" => correct(Box::pin(waits::unregistered(false, false))),
        "branch" => hanging(Box::pin(waits::branch(true))),
        "branch-correct" => correct(Box::pin(waits::branch(false))),
        "panic" => hanging(Box::pin(waits::panic(true))),
        "panic-correct" => correct(Box::pin(waits::panic(false))),
        "pool" => hanging(Box::pin(waits::pool(true))),
        "pool-correct" => correct(Box::pin(waits::pool(false))),
        "notify" => hanging(Box::pin(waits::notify(true))),
        "notify-correct" => correct(Box::pin(waits::notify(false))),
        "upgrade" => hanging(Box::pin(waits::upgrade(true))),
        "upgrade-correct" => correct(Box::pin(waits::upgrade(false))),
        "handles" => hanging(Box::pin(waits::handles(true))),
        "handles-correct" => correct(Box::pin(waits::handles(false))),
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
    let Some((scene, kind)) = scene(&name) else {
        eprintln!("rust-programs: there is no scene '{name}'");
        std::process::exit(2);
    };
    corotracer::init_tracer();
    tracing_subscriber::registry().with(corotracer::with_tracing::Layer::default()).init();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    trace_runtime(&mut builder).worker_threads(2).max_blocking_threads(BLOCKING_THREADS);
    let runtime = builder.enable_all().build().expect("a runtime");
    let (done, is_done) = mpsc::channel();
    runtime.spawn(
        async move {
            scene.await;
            let _ = done.send(());
        }
        .traced()
        .named("scene"),
    );
    let patience = if matches!(kind, Kind::Correct) { PATIENCE } else { STANDSTILL };
    if is_done.recv_timeout(patience).is_ok() {
        return drop(runtime);
    }
    // A fault stands still, as intended; from here on nothing happens that could be observed.
    match kind {
        Kind::Correct => std::process::exit(1),
        Kind::Fault => std::process::exit(0),
        Kind::Hang => hang(),
    }
}

/// Prints that the program stands still, and which thread prints it, so that the test can see the thread sleep.
fn hang() -> ! {
    let thread = std::fs::read_link("/proc/thread-self").expect("a thread");
    println!("stands still {}", thread.display());
    loop {
        std::thread::park();
    }
}
