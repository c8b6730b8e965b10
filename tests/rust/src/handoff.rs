// SPDX-License-Identifier: MIT
//! A channel whose sender hands the message directly to the waiting receiver: a receiver that is dropped while it holds
//! the message has to give it back, or the message is lost.
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use corotracer::{on, Resource, TraceFutureExt};

struct Hand<T> {
    message: Option<T>,
    waker: Option<Waker>,
    owner: u64,
}

struct Inner<T> {
    queue: VecDeque<T>,
    waiting: VecDeque<Arc<Mutex<Hand<T>>>>,
}

pub struct Handoff<T> {
    inner: Mutex<Inner<T>>,
    loses: bool,
}

/// A wait for one message.
struct Receive<'a, T> {
    channel: &'a Handoff<T>,
    hand: Option<Arc<Mutex<Hand<T>>>>,
}

impl<T: Send> Handoff<T> {
    pub fn new(loses: bool) -> Self {
        Self { inner: Mutex::new(Inner { queue: VecDeque::new(), waiting: VecDeque::new() }), loses }
    }

    fn resource(&self) -> Resource {
        Resource::channel(self)
    }

    pub fn receive(&self) -> impl Future<Output = T> + Send + '_ {
        on(self.resource(), Receive { channel: self, hand: None }).traced()
    }

    pub fn send(&self, message: T) {
        let mut inner = self.inner.lock().expect("nobody panics");
        let Some(hand) = inner.waiting.pop_front() else {
            self.resource().notify(0);
            inner.queue.push_back(message);
            return;
        };
        let mut hand = hand.lock().expect("nobody panics");
        self.resource().hand_over(hand.owner);
        hand.message = Some(message);
        if let Some(waker) = hand.waker.take() {
            waker.wake();
        }
    }

    /// Waits until a receiver waits.
    pub async fn wait_for_receiver(&self) {
        while self.inner.lock().expect("nobody panics").waiting.is_empty() {
            tokio::task::yield_now().await;
        }
    }
}

impl<T> Future for Receive<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut inner = self.channel.inner.lock().expect("nobody panics");
        let Some(hand) = &self.hand else {
            if let Some(message) = inner.queue.pop_front() {
                Resource::channel(self.channel).acquire();
                return Poll::Ready(message);
            }
            let owner = corotracer::current_id();
            let hand = Hand { message: None, waker: Some(context.waker().clone()), owner };
            let hand = Arc::new(Mutex::new(hand));
            inner.waiting.push_back(Arc::clone(&hand));
            drop(inner);
            self.hand = Some(hand);
            return Poll::Pending;
        };
        let mut own = hand.lock().expect("nobody panics");
        match own.message.take() {
            Some(message) => Poll::Ready(message),
            None => {
                own.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for Receive<'_, T> {
    fn drop(&mut self) {
        let Some(hand) = self.hand.take() else {
            return;
        };
        let mut inner = self.channel.inner.lock().expect("nobody panics");
        inner.waiting.retain(|other| !Arc::ptr_eq(other, &hand));
        let mut own = hand.lock().expect("nobody panics");
        let owner = own.owner;
        if let (Some(message), false) = (own.message.take(), self.channel.loses) {
            let channel = Resource::channel(self.channel).handle();
            corotracer::probe::release(owner, channel, corotracer::probe::site_here(None));
            inner.queue.push_front(message);
        }
    }
}
