// SPDX-License-Identifier: MIT
//! Measures what a poll of a traced future costs, beside the machine's own floor and other crates' ways, as JSON.
//!
//!     bench-rust [ROUNDS]
//!     bench-rust --serve | --ask PORT SECONDS
//!
//! The floor is what no tracer with time-stamps and records can do without: one reading of the counter, one 32-byte
//! record, one release store of a head. Each round runs a short batch of every case; a ratio is the median of the
//! rounds' own ratios. Between batches, outside of the measured time, this program drains the ring itself. --serve is
//! an echo server whose every task is traced; --ask are its clients, which print requests per second.
mod echo;
mod ring;

use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use corotracer::with_tokio::{spawn, trace_runtime};
use corotracer::TraceFutureExt;
use tokio_metrics::TaskMonitor;
use tracing::Instrument;
use tracing_subscriber::prelude::*;

const BATCH: usize = 1024;
const ROUNDS: usize = 400;

/// A future that is never ready.
struct Leaf;

impl Future for Leaf {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

/// A future that is never ready, and keeps its waker, as every waiting future does.
#[derive(Default)]
struct Keeping(Option<Waker>);

impl Future for Keeping {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &self.0 {
            Some(waker) if waker.will_wake(context.waker()) => waker.wake_by_ref(),
            _ => self.0 = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

/// An executor's waker that only counts.
struct Count(AtomicU64);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

type Case<'a> = (&'static str, Box<dyn FnMut() + 'a>);

fn poll_case<'a>(mut future: Pin<Box<dyn Future<Output = ()> + 'a>>, waker: &'a Waker) -> Box<dyn FnMut() + 'a> {
    Box::new(move || {
        for _ in 0..BATCH {
            let _ = black_box(future.as_mut().poll(&mut Context::from_waker(waker)));
        }
    })
}

/// The same events, recorded only by the calls of the probe.
fn events_case<'a>(has_wake: bool) -> Box<dyn FnMut() + 'a> {
    use corotracer::probe;
    let coro = probe::coro_new();
    let itself = probe::handle(probe::resource::COROUTINE, coro);
    let site = probe::site_here(None);
    Box::new(move || {
        for _ in 0..BATCH {
            probe::resume(black_box(coro), probe::point::AWAIT);
            if has_wake {
                probe::wake(coro, itself, 0, probe::outcome::QUEUED);
            }
            probe::suspend(coro, 0, site, probe::point::AWAIT);
        }
    })
}

fn cases(waker: &Waker) -> Vec<Case<'_>> {
    let monitor = TaskMonitor::new();
    let span = tracing::info_span!("task");
    vec![
        ("floor", Box::new(ring::floor(BATCH))),
        ("untraced poll", poll_case(Box::pin(Leaf), waker)),
        ("untraced poll with wake", poll_case(Box::pin(Keeping::default()), waker)),
        ("the events of a poll", events_case(false)),
        ("the events of a poll with wake", events_case(true)),
        ("traced poll", poll_case(Box::pin(Leaf.traced()), waker)),
        ("traced poll with wake", poll_case(Box::pin(Keeping::default().traced()), waker)),
        ("tokio-metrics poll", poll_case(Box::pin(TaskMonitor::instrument(&monitor, Leaf)), waker)),
        (
            "tokio-metrics poll with wake",
            poll_case(Box::pin(TaskMonitor::instrument(&monitor, Keeping::default())), waker),
        ),
        ("tracing span poll", poll_case(Box::pin(Leaf.instrument(span)), waker)),
    ]
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the nanoseconds of each case in each round.
fn measure(cases: &mut [Case<'_>], rounds: usize) -> Vec<Vec<f64>> {
    let mut took = vec![Vec::new(); cases.len()];
    for round in 0..rounds {
        for turn in 0..cases.len() {
            let index = (turn + round) % cases.len();
            ring::drain();
            let begin = Instant::now();
            cases[index].1();
            took[index].push(begin.elapsed().as_nanos() as f64 / BATCH as f64);
        }
    }
    took
}

fn print(what: &str, cases: &mut [Case<'_>], rounds: usize) {
    let took = measure(cases, rounds);
    println!("  \"{what}\": {{");
    for (index, ((name, _), own)) in cases.iter().zip(&took).enumerate() {
        let ratios = own.iter().zip(&took[0]).map(|(own, floor)| own / floor).collect();
        let comma = if index + 1 == cases.len() { "" } else { "," };
        let ns = median(own.clone());
        println!("    \"{name}\": {{\"ns\": {ns:.1}, \"floors\": {:.2}}}{comma}", median(ratios));
    }
    print!("  }}");
}

/// Runs an echo server whose every task is traced.
fn serve() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = trace_runtime(&mut builder).worker_threads(1).enable_all().build().expect("a runtime");
    echo::serve_until_told(|listener| {
        runtime.spawn(
            echo::serve(listener, |stream| {
                spawn(echo::answer(stream));
            })
            .traced(),
        );
    });
}

/// Parses an argument as a number.
fn number<T: std::str::FromStr>(arguments: &[String], index: usize) -> Option<T> {
    arguments.get(index)?.parse().ok()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = arguments.first().map(String::as_str);
    if word == Some("--ask") {
        let port = number(&arguments, 1).expect("a port");
        println!("{:.0}", echo::requests_a_second(port, number(&arguments, 2).unwrap_or(2.0)));
        return;
    }
    let is_traced = corotracer::init_tracer();
    if word == Some("--serve") {
        return serve();
    }
    assert!(is_traced, "no engine is there: tests/bench/run-probe stands in for one");
    tracing_subscriber::registry().init();
    let rounds = number(&arguments, 0).unwrap_or(ROUNDS);
    let waker = Waker::from(Arc::new(Count(AtomicU64::new(0))));
    let mut cases = cases(&waker);
    measure(&mut cases, 20);
    println!("{{");
    print("attached", &mut cases, rounds);
    println!(",");
    corotracer::probe::detach();
    print("not attached", &mut cases, rounds);
    println!("\n}}");
}
