// SPDX-License-Identifier: MIT
//! The hooks that tokio has for tasks, which tokio calls unstable: for each spawn, poll and end.
//!
//! Tokio calls two hooks around each poll. The hook before the poll is also called for a task that is over, which tokio
//! then does not poll. The hook after the poll may be called when another worker already polls the task. Both events
//! are therefore recorded as coming from hooks (P-36).

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::{Builder, TaskMeta};

use crate::probe::{self, life, point};
use crate::shelf;
use crate::told::{with_task, Wait, Waits};
use crate::worker::FIRST_TASK;

/// Gets the number out of a task's id, which passes the number only to hashers.
#[derive(Default)]
struct Number(u64);

impl Hasher for Number {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0 << 8 | u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn coro_of(task: &TaskMeta<'_>) -> u64 {
    let mut number = Number::default();
    task.id().hash(&mut number);
    FIRST_TASK | number.finish() & (FIRST_TASK - 1)
}

thread_local! {
    static BEFORE: Cell<u64> = const { Cell::new(0) };
}

/// Records the end of a poll: the task waits for what was recorded meanwhile, or for something that is not known.
fn tell_pending(task: &TaskMeta<'_>, coro: u64) {
    with_task(|waits| match waits.and_then(Waits::all) {
        Some((Wait { resource, site, deadline }, is_for_more)) => {
            let deadline = if is_for_more { 0 } else { deadline };
            probe::suspend_around_for(coro, resource, site, point::AWAIT, deadline);
        }
        None => probe::suspend_around(coro, probe::site_of(task.spawned_at(), None), point::AWAIT),
    });
}

/// Tokio calls this hook on the spawning thread, and puts the task into a queue afterwards.
fn spawned(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        let coro = coro_of(task);
        probe::create(coro, 0, probe::site_of(task.spawned_at(), None));
        shelf::tell_spawned(coro, probe::current());
    }
}

fn poll_begins(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        let coro = coro_of(task);
        shelf::leave_slot(coro);
        BEFORE.with(|before| before.set(probe::current()));
        probe::resume_around(coro, point::AWAIT);
        with_task(|waits| waits.map(|waits| waits.forget(0)));
    }
}

/// Tokio reports the end of a task before the end of its last poll; the task does not run any more by then.
fn poll_ended(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        let coro = coro_of(task);
        if probe::current() == coro {
            tell_pending(task, coro);
        }
        BEFORE.with(|before| probe::current_set(before.replace(0)));
    }
}

fn ended(task: &TaskMeta<'_>) {
    let coro = coro_of(task);
    shelf::leave_slot(coro);
    probe::destroy(coro, life::UNTOLD);
}

static IS_TRACED: AtomicBool = AtomicBool::new(false);

/// Returns whether any runtime has these hooks.
pub(super) fn is_traced() -> bool {
    IS_TRACED.load(Ordering::Relaxed)
}

pub(super) fn trace(builder: &mut Builder) {
    IS_TRACED.store(true, Ordering::Relaxed);
    builder.on_task_spawn(spawned).on_before_task_poll(poll_begins).on_after_task_poll(poll_ended);
    builder.on_task_terminate(ended);
}
