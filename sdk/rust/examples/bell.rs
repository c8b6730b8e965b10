// SPDX-License-Identifier: MIT
//! A bell that is rung before anybody waits for it: `corotracer run -- cargo run --example bell` records the wait that
//! never ends, and `corotracer report` says that the bell had already rung.
use corotracer::{on, Resource, TraceFutureExt};
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};

struct Nobody;

impl Wake for Nobody {
    fn wake(self: std::sync::Arc<Self>) {}
}

fn main() {
    corotracer::init_tracer();
    let bell = 0;
    let event = Resource::event(&bell);

    event.notify(0); // it rings, and nobody hears it
    let visitor = async {
        let rung = on(event, poll_fn(|_| Poll::<()>::Pending));
        rung.await
    };
    let waker = Waker::from(std::sync::Arc::new(Nobody));
    let mut visitor = pin!(visitor.traced().named("visitor"));
    let waits = visitor.as_mut().poll(&mut Context::from_waker(&waker)).is_pending();
    println!("the visitor waits: {waits}");
}
