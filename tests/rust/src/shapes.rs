// SPDX-License-Identifier: MIT
//! Each way in which tokio runs futures, in a program of its own: one thread, tasks that stay on it, several futures in
//! one task, waits that end by the clock, and tasks that are cancelled.
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use corotracer::with_tokio::{trace_runtime, traced_sleep, traced_timeout};
use corotracer::{on, Resource, TraceFutureExt};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, Barrier, Notify};
use tokio::task::LocalSet;

const CHILDREN: usize = 3;

fn one_thread() -> Runtime {
    let mut builder = Builder::new_current_thread();
    trace_runtime(&mut builder).enable_all().build().expect("a runtime")
}

/// Tasks of a runtime that has one thread, the thread that calls block_on.
fn current_thread() {
    one_thread().block_on(
        async {
            let barrier = Arc::new(Barrier::new(CHILDREN));
            let tasks: Vec<_> = (0..CHILDREN)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    tokio::spawn(async move { barrier.wait().await.is_leader() }.traced())
                })
                .collect();
            let mut leaders = 0;
            for task in tasks {
                leaders += usize::from(task.await.expect("an end"));
            }
            assert_eq!(leaders, 1);
        }
        .traced(),
    );
}

/// Tasks that are not `Send`.
fn local_set() {
    let (runtime, set) = (one_thread(), LocalSet::new());
    let (numbers, is_full) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Notify::new()));
    for number in 0..CHILDREN {
        let (numbers, is_full) = (Rc::clone(&numbers), Rc::clone(&is_full));
        set.spawn_local(
            async move {
                traced_sleep(Duration::from_millis(1)).await;
                numbers.borrow_mut().push(number);
                is_full.notify_one();
            }
            .traced(),
        );
    }
    let reader = async {
        while numbers.borrow().len() < CHILDREN {
            on(Resource::event(&*is_full), is_full.notified()).await;
        }
    };
    set.block_on(&runtime, reader.traced());
    runtime.block_on(set);
}

/// A child that is ready at once, and a child that is not.
fn at_once() {
    one_thread().block_on(
        async {
            async {}.traced().await;
            tokio::task::yield_now().traced().await;
        }
        .traced(),
    );
}

/// One task waits for three futures at once, each of which another task wakes.
fn join() {
    one_thread().block_on(
        async {
            let (a, in_a) = oneshot::channel();
            let (b, in_b) = oneshot::channel();
            let (c, in_c) = oneshot::channel();
            let sender = tokio::spawn(
                async move {
                    for (number, channel) in [(3, c), (2, b), (1, a)] {
                        tokio::task::yield_now().await;
                        channel.send(number).expect("a receiver");
                    }
                }
                .traced(),
            );
            let got = tokio::join!(in_a.traced(), in_b.traced(), in_c.traced());
            assert_eq!(got, (Ok(1), Ok(2), Ok(3)));
            sender.await.expect("an end");
        }
        .traced(),
    );
}

/// A wait that ends in time, a wait that does not, and inside of it a wait with a time-out of its own.
fn timeouts() {
    one_thread().block_on(
        async {
            let short = Duration::from_millis(2);
            let long = Duration::from_secs(60);
            assert!(traced_timeout(long, traced_sleep(short)).await.is_ok());
            assert!(traced_timeout(short, std::future::pending::<()>()).await.is_err());
            assert!(traced_timeout(short, traced_sleep(long)).await.is_err());
        }
        .traced(),
    );
}

/// Cancels tasks: a waiting task, by another task; a task before its first run; and a task by the end of its runtime.
fn cancellation() {
    let runtime = one_thread();
    runtime.block_on(
        async {
            let unseen = tokio::spawn(std::future::pending::<()>().traced());
            unseen.abort();
            assert!(unseen.await.expect_err("no end").is_cancelled());
            let waiting = tokio::spawn(std::future::pending::<()>().traced());
            tokio::task::yield_now().await;
            waiting.abort();
            assert!(waiting.await.expect_err("no end").is_cancelled());
            tokio::spawn(std::future::pending::<()>().traced());
            tokio::task::yield_now().await;
        }
        .traced(),
    );
}

/// Tasks that only the runtime's own hooks record.
#[cfg(tokio_unstable)]
fn hooks() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        corotracer::with_tokio::trace_runtime(&mut builder).worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..50).map(|_| tokio::spawn(tokio::task::yield_now())).collect();
        for task in tasks {
            task.await.expect("an end");
        }
    });
}

/// An untraced task spawns another task, and blocks its worker until that task has answered.
#[cfg(tokio_unstable)]
fn hooks_spawned() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        corotracer::with_tokio::trace_runtime(&mut builder).worker_threads(2).enable_all().build().expect("a runtime");
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    runtime.spawn(async move {
        let (answer, answered) = std::sync::mpsc::channel();
        tokio::spawn(async move { answer.send(()) });
        let _ = answered.recv();
        drop(done);
    });
    let _ = is_done.recv_timeout(crate::STANDSTILL);
    std::process::exit(0);
}

/// Tasks that wake themselves while they are polled, and are pending then: another worker may poll them before the
/// first worker has called its hook after the poll.
#[cfg(tokio_unstable)]
fn stolen() {
    use std::task::Poll;

    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        corotracer::with_tokio::trace_runtime(&mut builder).worker_threads(4).enable_all().build().expect("a runtime");
    let turns = || {
        let mut left = 20;
        std::future::poll_fn(move |context| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
    };
    runtime.block_on(async {
        for _ in 0..2_000 {
            let tasks: Vec<_> = (0..3).map(|_| tokio::spawn(turns())).collect();
            for task in tasks {
                task.await.expect("an end");
            }
            // The workers go to sleep, and steal when they are woken.
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    });
}

/// Two tasks that only the runtime's own hooks record hold a lock each, and want the other's: in the fault for ever, in
/// the correct form for as long as their patience lasts.
#[cfg(tokio_unstable)]
fn hooks_circle(is_fault: bool) {
    use std::sync::Arc;

    use tokio::sync::Mutex;

    use crate::faults::take_both;

    const PATIENCE: Duration = Duration::from_millis(300);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime =
        corotracer::with_tokio::trace_runtime(&mut builder).worker_threads(2).enable_all().build().expect("a runtime");
    let take = |first, second| async move {
        if is_fault {
            return take_both(first, second).await;
        }
        let _ = tokio::time::timeout(PATIENCE, take_both(first, second)).await;
    };
    let (one, other) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let tasks = [runtime.spawn(take(Arc::clone(&one), Arc::clone(&other))), runtime.spawn(take(other, one))];
    if is_fault {
        std::thread::sleep(crate::STANDSTILL);
        crate::hang();
    }
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("an end");
        }
    });
}

/// The program for a name, if there is one.
pub fn find(name: &str) -> Option<fn()> {
    Some(match name {
        "current-thread" => current_thread,
        "local-set" => local_set,
        "join" => join,
        "at-once" => at_once,
        "timeouts" => timeouts,
        "cancellation" => cancellation,
        #[cfg(tokio_unstable)]
        "hooks" => hooks,
        #[cfg(tokio_unstable)]
        "hooks-spawned" => hooks_spawned,
        #[cfg(tokio_unstable)]
        "hooks-circle" => || hooks_circle(true),
        #[cfg(tokio_unstable)]
        "hooks-circle-correct" => || hooks_circle(false),
        #[cfg(tokio_unstable)]
        "stolen" => stolen,
        _ => return None,
    })
}
