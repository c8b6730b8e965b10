// SPDX-License-Identifier: MIT
//! A traced form of tokio's `Notify`.

use std::future::Future;
use std::panic::Location;

use tokio::sync::Notify;

use crate::with_tokio::channels::Side;

/// [`Notify`], which records who waits, and how many waiters a notification has found.
#[derive(Debug, Default)]
pub struct TracedNotify {
    notify: Notify,
    side: Side,
}

impl TracedNotify {
    /// `Notify::new`.
    pub fn new() -> Self {
        Self::default()
    }

    /// `Notify::notified`.
    #[track_caller]
    pub fn notified(&self) -> impl Future<Output = ()> + '_ {
        let place = Location::caller();
        // Made here, so that `notify_waiters` reaches the future from now on.
        let notified = self.notify.notified();
        async move { self.side.wait(self.side.event(), place, notified).await }
    }

    /// `Notify::notify_one`.
    #[track_caller]
    pub fn notify_one(&self) {
        self.side.tell_given(self.side.event(), 1, Location::caller());
        self.notify.notify_one();
    }

    /// `Notify::notify_waiters`.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.side.tell_all(self.side.event(), Location::caller());
        self.notify.notify_waiters();
    }

    /// The untraced `Notify`.
    pub fn get_ref(&self) -> &Notify {
        &self.notify
    }
}
