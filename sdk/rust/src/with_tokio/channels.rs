// SPDX-License-Identifier: MIT
//! Traced forms of tokio's channels, which record the tasks that wait for room, the tasks that wait for an item, and
//! the items that were sent and received.
//!
//! A send is recorded before a receiver can see the item; a receive after the receiver has got the item (see
//! [`Resource`]).

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::probe;
use crate::resource::{on, On, Resource};
use crate::with_tokio::Place;

/// One side of a channel, as a resource, and how many tasks wait for it. Not a zero-sized type: the address is the
/// identity.
#[derive(Debug, Default)]
pub(super) struct Side {
    nr_waiting: AtomicU32,
}

/// Counts one waiting task, until this value is dropped.
struct Waiting<'a>(&'a Side);

impl<'a> Waiting<'a> {
    fn new(side: &'a Side) -> Self {
        side.nr_waiting.fetch_add(1, Ordering::Relaxed);
        Self(side)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.nr_waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Side {
    /// The side as the resource of a wait that ends when one waiter gets an item, or room.
    fn channel(&self) -> Resource {
        Resource::channel(self)
    }

    /// The side as the resource of a wait that ends when all waiters are notified.
    pub(super) fn event(&self) -> Resource {
        Resource::event(self)
    }

    /// Waits for `resource` by awaiting `future`.
    pub(super) async fn wait<F: Future>(&self, resource: Resource, place: Place, future: F) -> F::Output {
        let _waiting = Waiting::new(self);
        on(resource, future).at(place).await
    }

    /// Records that at most `nr` of the waiters are given something.
    pub(super) fn tell_given(&self, resource: Resource, nr: u32, place: Place) {
        if probe::is_attached() {
            let nr_found = self.nr_waiting.load(Ordering::Relaxed).min(nr);
            probe::notify(probe::current(), resource.handle(), nr_found, probe::site_of(place, None));
        }
    }

    /// Records that all waiters are notified, and that whoever comes later has nothing of it.
    pub(super) fn tell_all(&self, resource: Resource, place: Place) {
        if probe::is_attached() {
            let nr_found = self.nr_waiting.load(Ordering::Relaxed);
            probe::notify_unkept(probe::current(), resource.handle(), nr_found, probe::site_of(place, None));
        }
    }
}

fn tell_taken(resource: Resource, place: Place) {
    if probe::is_attached() {
        probe::acquire(probe::current(), resource.handle(), probe::site_of(place, None));
    }
}

/// The resources of a channel: its items, and its room if the channel is bounded.
#[derive(Debug, Default)]
struct Ends {
    items: Side,
    room: Option<Side>,
}

impl Ends {
    fn new(has_room: bool) -> Arc<Self> {
        Arc::new(Self { items: Side::default(), room: has_room.then(Side::default) })
    }

    /// Records that an item is about to be sent to one receiver.
    fn tell_sent(&self, place: Place) {
        if let Some(room) = &self.room {
            tell_taken(room.channel(), place);
        }
        self.items.tell_given(self.items.channel(), 1, place);
    }

    /// Records that an item was received.
    fn tell_received(&self, place: Place) {
        tell_taken(self.items.channel(), place);
        if let Some(room) = &self.room {
            room.tell_given(room.channel(), 1, place);
        }
    }

    /// Records that something is about to be sent to all receivers.
    fn tell_sent_to_all(&self, place: Place) {
        self.items.tell_given(self.items.event(), u32::MAX, place);
    }

    /// Waits for an item that is sent to one receiver.
    async fn wait_for_item<F: Future>(&self, place: Place, future: F) -> F::Output {
        self.items.wait(self.items.channel(), place, future).await
    }

    /// Waits for something that is sent to all receivers.
    async fn wait_for_event<F: Future>(&self, place: Place, future: F) -> F::Output {
        self.items.wait(self.items.event(), place, future).await
    }
}

/// Defines one end of a channel, with the channel's recorded resources.
macro_rules! end {
    ($name:ident of $inner:ident::$end:ident, made by $maker:ident $(; $is_clone:ident)?) => {
        #[doc = concat!("The ", stringify!($end), " of a [`", stringify!($maker), "`].")]
        #[derive(Debug)]
        pub struct $name<T> {
            inner: $inner::$end<T>,
            ends: Arc<Ends>,
        }

        impl<T> $name<T> {
            /// The untraced end.
            pub fn get_ref(&self) -> &$inner::$end<T> {
                &self.inner
            }

            /// The untraced end.
            pub fn get_mut(&mut self) -> &mut $inner::$end<T> {
                &mut self.inner
            }
        }

        $(impl<T> $is_clone for $name<T> {
            fn clone(&self) -> Self {
                Self { inner: self.inner.clone(), ends: Arc::clone(&self.ends) }
            }
        })?
    };
}

/// Makes the two traced ends from the ends that `$made` makes; the two share the recorded resources.
macro_rules! pair {
    ($sender:ident, $receiver:ident, $has_room:expr, $made:expr) => {{
        let (sender, receiver) = $made;
        let ends = Ends::new($has_room);
        ($sender { inner: sender, ends: Arc::clone(&ends) }, $receiver { inner: receiver, ends })
    }};
}

/// Defines the methods by which a queue's receiver receives.
macro_rules! receives {
    ($name:ident, $inner:literal) => {
        impl<T> $name<T> {
            #[doc = concat!("`", $inner, "::recv`.")]
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> + '_ {
                let place = Location::caller();
                async move {
                    let item = match self.inner.try_recv() {
                        Ok(item) => Some(item),
                        Err(mpsc::error::TryRecvError::Disconnected) => None,
                        Err(mpsc::error::TryRecvError::Empty) => {
                            self.ends.wait_for_item(place, self.inner.recv()).await
                        }
                    };
                    if item.is_some() {
                        self.ends.tell_received(place);
                    }
                    item
                }
            }

            #[doc = concat!("`", $inner, "::try_recv`.")]
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, mpsc::error::TryRecvError> {
                let item = self.inner.try_recv()?;
                self.ends.tell_received(Location::caller());
                Ok(item)
            }

            #[doc = concat!("`", $inner, "::blocking_recv`.")]
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                let place = Location::caller();
                let waiting = Waiting::new(&self.ends.items);
                let item = self.inner.blocking_recv()?;
                drop(waiting);
                self.ends.tell_received(place);
                Some(item)
            }
        }
    };
}

/*
/* ---------------------------------------------------------------- bounded channels */
 */

end!(TracedSender of mpsc::Sender, made by traced_channel; Clone);
end!(TracedReceiver of mpsc::Receiver, made by traced_channel);
receives!(TracedReceiver, "mpsc::Receiver");

/// `mpsc::channel`, which records who waits for room, who waits for an item, and what was sent.
pub fn traced_channel<T>(capacity: usize) -> (TracedSender<T>, TracedReceiver<T>) {
    pair!(TracedSender, TracedReceiver, true, mpsc::channel(capacity))
}

impl<T> TracedSender<T> {
    /// `mpsc::Sender::send`.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), mpsc::error::SendError<T>>> + '_
    where
        T: Send,
    {
        let place = Location::caller();
        async move {
            let reserved = match (self.inner.try_reserve(), &self.ends.room) {
                (Err(_), Some(room)) => room.wait(room.channel(), place, self.inner.reserve()).await.ok(),
                (reserved, _) => reserved.ok(),
            };
            let Some(permit) = reserved else {
                return Err(mpsc::error::SendError(value));
            };
            self.ends.tell_sent(place);
            permit.send(value);
            Ok(())
        }
    }

    /// `mpsc::Sender::try_send`.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), mpsc::error::TrySendError<T>> {
        use mpsc::error::TrySendError;

        match self.inner.try_reserve() {
            Ok(permit) => {
                self.ends.tell_sent(Location::caller());
                permit.send(value);
                Ok(())
            }
            Err(TrySendError::Full(())) => Err(TrySendError::Full(value)),
            Err(TrySendError::Closed(())) => Err(TrySendError::Closed(value)),
        }
    }

    /// `mpsc::Sender::blocking_send`. If the call blocks, a receiver may get the item before the send is recorded.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), mpsc::error::SendError<T>> {
        use mpsc::error::{SendError, TrySendError};

        let place = Location::caller();
        match self.try_send(value) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(value)) => Err(SendError(value)),
            Err(TrySendError::Full(value)) => {
                let _waiting = self.ends.room.as_ref().map(Waiting::new);
                self.inner.blocking_send(value)?;
                self.ends.tell_sent(place);
                Ok(())
            }
        }
    }
}

/*
/* ---------------------------------------------------------------- unbounded channels */
 */

end!(TracedUnboundedSender of mpsc::UnboundedSender, made by traced_unbounded_channel; Clone);
end!(TracedUnboundedReceiver of mpsc::UnboundedReceiver, made by traced_unbounded_channel);
receives!(TracedUnboundedReceiver, "mpsc::UnboundedReceiver");

/// `mpsc::unbounded_channel`, which records who waits for an item, and what was sent.
pub fn traced_unbounded_channel<T>() -> (TracedUnboundedSender<T>, TracedUnboundedReceiver<T>) {
    pair!(TracedUnboundedSender, TracedUnboundedReceiver, false, mpsc::unbounded_channel())
}

impl<T> TracedUnboundedSender<T> {
    /// `mpsc::UnboundedSender::send`.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), mpsc::error::SendError<T>> {
        if !self.inner.is_closed() {
            self.ends.tell_sent(Location::caller());
        }
        self.inner.send(value)
    }
}

/*
/* ---------------------------------------------------------------- channels for one item */
 */

end!(TracedOneshotSender of oneshot::Sender, made by traced_oneshot);

/// The receiver of a [`traced_oneshot`].
#[derive(Debug)]
pub struct TracedOneshotReceiver<T> {
    inner: On<oneshot::Receiver<T>>,
    ends: Arc<Ends>,
}

/// `oneshot::channel`, which records who waits for the item, and that the item was sent. Reports show the wait at the
/// place of this call.
#[track_caller]
pub fn traced_oneshot<T>() -> (TracedOneshotSender<T>, TracedOneshotReceiver<T>) {
    let (sender, receiver) = oneshot::channel();
    let ends = Ends::new(false);
    let inner = on(ends.items.channel(), receiver);
    (TracedOneshotSender { inner: sender, ends: Arc::clone(&ends) }, TracedOneshotReceiver { inner, ends })
}

impl<T> TracedOneshotSender<T> {
    /// `oneshot::Sender::send`.
    #[track_caller]
    pub fn send(self, value: T) -> Result<(), T> {
        if !self.inner.is_closed() {
            self.ends.tell_sent(Location::caller());
        }
        self.inner.send(value)
    }
}

impl<T> TracedOneshotReceiver<T> {
    fn tell_received(&self, place: Place) {
        self.ends.items.nr_waiting.store(0, Ordering::Relaxed);
        self.ends.tell_received(place);
    }

    /// `oneshot::Receiver::try_recv`.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, oneshot::error::TryRecvError> {
        let item = self.inner.get_mut().try_recv()?;
        self.tell_received(Location::caller());
        Ok(item)
    }

    /// `oneshot::Receiver::blocking_recv`.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, oneshot::error::RecvError> {
        let (place, ends) = (Location::caller(), self.ends);
        ends.items.nr_waiting.store(1, Ordering::Relaxed);
        let item = self.inner.into_inner().blocking_recv()?;
        ends.tell_received(place);
        Ok(item)
    }

    /// `oneshot::Receiver::close`.
    pub fn close(&mut self) {
        self.inner.get_mut().close();
    }
}

impl<T> Future for TracedOneshotReceiver<T> {
    type Output = Result<T, oneshot::error::RecvError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Counted before the poll: a task that sends the item from here on finds one waiter.
        self.ends.items.nr_waiting.store(1, Ordering::Relaxed);
        let received = Pin::new(&mut self.inner).poll(context);
        if let Poll::Ready(Ok(_)) = received {
            self.tell_received(self.inner.place());
        }
        received
    }
}

/*
/* ---------------------------------------------------------------- broadcast channels */
 */

end!(TracedBroadcastSender of broadcast::Sender, made by traced_broadcast; Clone);
end!(TracedBroadcastReceiver of broadcast::Receiver, made by traced_broadcast);

/// `broadcast::channel`, which records who waits for an item, and that an item was sent.
pub fn traced_broadcast<T: Clone>(capacity: usize) -> (TracedBroadcastSender<T>, TracedBroadcastReceiver<T>) {
    pair!(TracedBroadcastSender, TracedBroadcastReceiver, false, broadcast::channel(capacity))
}

impl<T> TracedBroadcastSender<T> {
    /// `broadcast::Sender::send`.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, broadcast::error::SendError<T>> {
        if self.inner.receiver_count() != 0 {
            self.ends.tell_sent_to_all(Location::caller());
        }
        self.inner.send(value)
    }

    /// `broadcast::Sender::subscribe`.
    pub fn subscribe(&self) -> TracedBroadcastReceiver<T> {
        TracedBroadcastReceiver { inner: self.inner.subscribe(), ends: Arc::clone(&self.ends) }
    }
}

impl<T: Clone> TracedBroadcastReceiver<T> {
    /// `broadcast::Receiver::recv`.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, broadcast::error::RecvError>> + '_ {
        use broadcast::error::{RecvError, TryRecvError};

        let place = Location::caller();
        async move {
            match self.inner.try_recv() {
                Ok(value) => Ok(value),
                Err(TryRecvError::Closed) => Err(RecvError::Closed),
                Err(TryRecvError::Lagged(nr)) => Err(RecvError::Lagged(nr)),
                Err(TryRecvError::Empty) => self.ends.wait_for_event(place, self.inner.recv()).await,
            }
        }
    }

    /// `broadcast::Receiver::try_recv`.
    pub fn try_recv(&mut self) -> Result<T, broadcast::error::TryRecvError> {
        self.inner.try_recv()
    }

    /// `broadcast::Receiver::blocking_recv`.
    pub fn blocking_recv(&mut self) -> Result<T, broadcast::error::RecvError> {
        let _waiting = Waiting::new(&self.ends.items);
        self.inner.blocking_recv()
    }

    /// `broadcast::Receiver::resubscribe`.
    pub fn resubscribe(&self) -> Self {
        Self { inner: self.inner.resubscribe(), ends: Arc::clone(&self.ends) }
    }
}

/*
/* ---------------------------------------------------------------- watch channels */
 */

end!(TracedWatchSender of watch::Sender, made by traced_watch);
end!(TracedWatchReceiver of watch::Receiver, made by traced_watch; Clone);

/// `watch::channel`, which records who waits for a new value, and that there is a new value.
pub fn traced_watch<T>(value: T) -> (TracedWatchSender<T>, TracedWatchReceiver<T>) {
    pair!(TracedWatchSender, TracedWatchReceiver, false, watch::channel(value))
}

impl<T> TracedWatchSender<T> {
    /// `watch::Sender::send`.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), watch::error::SendError<T>> {
        if !self.inner.is_closed() {
            self.ends.tell_sent_to_all(Location::caller());
        }
        self.inner.send(value)
    }

    /// `watch::Sender::send_replace`.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        self.ends.tell_sent_to_all(Location::caller());
        self.inner.send_replace(value)
    }

    /// `watch::Sender::send_modify`.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        self.ends.tell_sent_to_all(Location::caller());
        self.inner.send_modify(modify);
    }

    /// `watch::Sender::borrow`.
    pub fn borrow(&self) -> watch::Ref<'_, T> {
        self.inner.borrow()
    }

    /// `watch::Sender::subscribe`.
    pub fn subscribe(&self) -> TracedWatchReceiver<T> {
        TracedWatchReceiver { inner: self.inner.subscribe(), ends: Arc::clone(&self.ends) }
    }
}

impl<T> TracedWatchReceiver<T> {
    /// `watch::Receiver::changed`.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), watch::error::RecvError>> + '_ {
        let place = Location::caller();
        async move { self.ends.wait_for_event(place, self.inner.changed()).await }
    }

    /// `watch::Receiver::wait_for`.
    #[track_caller]
    pub fn wait_for<'a>(
        &'a mut self,
        is_wanted: impl FnMut(&T) -> bool + 'a,
    ) -> impl Future<Output = Result<watch::Ref<'a, T>, watch::error::RecvError>> + 'a {
        let place = Location::caller();
        async move { self.ends.wait_for_event(place, self.inner.wait_for(is_wanted)).await }
    }

    /// `watch::Receiver::borrow`.
    pub fn borrow(&self) -> watch::Ref<'_, T> {
        self.inner.borrow()
    }

    /// `watch::Receiver::borrow_and_update`.
    pub fn borrow_and_update(&mut self) -> watch::Ref<'_, T> {
        self.inner.borrow_and_update()
    }
}
