// SPDX-License-Identifier: MIT
//! What wakers can be made to do, one case after the other, by hand: each future below is named after its case, and is
//! polled by this program, without an executor.
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use corotracer::{init_tracer, on, Resource, TraceFutureExt, TracedFuture};

/// The executor's waker, which counts its wakes.
struct Count(AtomicU32);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A future that keeps its waker where others reach it, and ends at its last poll.
#[derive(Clone, Default)]
struct Leaf {
    waker: Arc<Mutex<Option<Waker>>>,
    polls_left: u32,
    wakes_itself: bool,
}

impl Leaf {
    fn of(polls_left: u32) -> Self {
        Self { polls_left, ..Self::default() }
    }

    fn take(&self) -> Waker {
        self.waker.lock().expect("one thread").take().expect("a waker")
    }
}

impl Future for Leaf {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.polls_left == 0 {
            return Poll::Ready(());
        }
        self.polls_left -= 1;
        *self.waker.lock().expect("one thread") = Some(context.waker().clone());
        if self.wakes_itself {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

/// Polls both futures; ends when either of them ends.
struct Either<A, B>(A, B);

impl<A: Future + Unpin, B: Future + Unpin> Future for Either<A, B> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Pin::new(&mut self.0).poll(context).is_ready() || Pin::new(&mut self.1).poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

type Boxed<F> = Pin<Box<TracedFuture<F>>>;

fn named<F: Future>(name: &str, future: F) -> Boxed<F> {
    Box::pin(future.traced().named(name))
}

fn poll<F: Future>(future: &mut Boxed<F>, waker: &Waker) -> bool {
    future.as_mut().poll(&mut Context::from_waker(waker)).is_ready()
}

/// Returns a future that has been polled once, and its leaf.
fn started(name: &str, waker: &Waker) -> (Boxed<Leaf>, Leaf) {
    let leaf = Leaf::of(1);
    let mut future = named(name, leaf.clone());
    assert!(!poll(&mut future, waker));
    (future, leaf)
}

fn wakes(waker: &Waker) {
    let (mut woken, leaf) = started("woken", waker);
    leaf.take().wake();
    assert!(poll(&mut woken, waker));

    let (mut twice, leaf) = started("woken twice", waker);
    let own = leaf.take();
    own.wake_by_ref();
    own.wake();
    assert!(poll(&mut twice, waker));

    let (mut late, leaf) = started("woken late", waker);
    assert!(poll(&mut late, waker));
    leaf.take().wake();

    let (_forgotten, leaf) = started("forgotten", waker);
    drop(leaf.take());

    let mut yielding = named("yielding", Leaf { wakes_itself: true, ..Leaf::of(1) });
    assert!(!poll(&mut yielding, waker));
    assert!(poll(&mut yielding, waker));

    // Another executor takes over: the older waker still leads to the same future.
    let (mut moved, leaf) = started("moved", waker);
    let older = leaf.take();
    let other = Waker::from(Arc::new(Count(AtomicU32::new(0))));
    older.wake();
    assert!(poll(&mut moved, &other));
}

fn waits(waker: &Waker) {
    let (lock, leaf) = (0u8, Leaf::of(1));
    let mut one = named("one wait", on(Resource::lock(&lock), leaf.clone()));
    assert!(!poll(&mut one, waker));
    leaf.take().wake();
    assert!(poll(&mut one, waker));

    let told = on(Resource::other(7), Leaf::of(1));
    let mut more = named("more waits", Either(told, Leaf::of(1)));
    assert!(!poll(&mut more, waker));
    assert!(poll(&mut more, waker));

    let leaf = Leaf::of(1);
    let child = Box::pin(on(Resource::other(8), leaf.clone()).traced().named("child"));
    let mut parent = named("parent", child);
    assert!(!poll(&mut parent, waker));
    leaf.take().wake();
    assert!(poll(&mut parent, waker));
}

fn main() {
    init_tracer();
    let count = Arc::new(Count(AtomicU32::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    wakes(&waker);
    waits(&waker);
    drop(waker);
    // The probe no longer holds the executor's waker.
    assert_eq!(Arc::strong_count(&count), 1);
    assert!(count.0.load(Ordering::Relaxed) >= 7);
}
