// SPDX-License-Identifier: MIT
//! The same as hung_beside.py, with an executor of its own: while a clock goes on, one future waits for ever, and another
//! one until a line is read; then it waits again. Says "ready", and "moved" when it does so. The end of the input ends
//! the program.
use corotracer::TraceFutureExt;
use std::future::{poll_fn, Future};
use std::io::stdin;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

struct Gate {
    is_open: AtomicBool,
    waiter: Mutex<Option<Waker>>,
}

impl Gate {
    const fn new() -> Gate {
        Gate { is_open: AtomicBool::new(false), waiter: Mutex::new(None) }
    }

    fn open(&self) {
        self.is_open.store(true, Ordering::SeqCst);
        if let Some(waker) = self.waiter.lock().unwrap().take() {
            waker.wake();
        }
    }

    async fn pass(&self) {
        poll_fn(|context| {
            if self.is_open.swap(false, Ordering::SeqCst) {
                return Poll::Ready(());
            }
            *self.waiter.lock().unwrap() = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

static TICK: Gate = Gate::new();
static WAKES: Gate = Gate::new();
static NEVER: Gate = Gate::new();
static AS_WELL: Gate = Gate::new();
static USED: AtomicU32 = AtomicU32::new(0);

async fn clock() {
    loop {
        TICK.pass().await;
    }
}

async fn hung() {
    let attempt = 7;
    NEVER.pass().await;
    USED.fetch_add(attempt, Ordering::SeqCst);
}

async fn moves() {
    let mut stage = 1;
    WAKES.pass().await;
    stage += 1;
    AS_WELL.pass().await;
    USED.fetch_add(stage, Ordering::SeqCst);
}

struct Ready(AtomicBool);

impl Wake for Ready {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

type Task = (Pin<Box<dyn Future<Output = ()>>>, Arc<Ready>);

fn task(future: impl Future<Output = ()> + 'static) -> Task {
    (Box::pin(future), Arc::new(Ready(AtomicBool::new(true))))
}

fn run(tasks: &mut [Task]) {
    for (future, ready) in tasks {
        if ready.0.swap(false, Ordering::SeqCst) {
            let waker = Waker::from(ready.clone());
            assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
    }
}

fn main() {
    corotracer::init_tracer();
    let mut tasks = vec![task(clock().traced()), task(hung().traced()), task(moves().traced())];
    let (to, lines) = channel();
    std::thread::spawn(move || {
        while stdin().read_line(&mut String::new()).unwrap() > 0 {
            to.send(()).unwrap();
        }
    });
    run(&mut tasks);
    println!("ready");
    loop {
        let heard = lines.recv_timeout(Duration::from_millis(50));
        match heard {
            Ok(()) => WAKES.open(),
            Err(RecvTimeoutError::Timeout) => TICK.open(),
            Err(RecvTimeoutError::Disconnected) => std::process::exit(0),
        }
        run(&mut tasks);
        if heard.is_ok() {
            println!("moved"); // it waits again
        }
    }
}
