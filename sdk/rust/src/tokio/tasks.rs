// SPDX-License-Identifier: MIT
//! The hooks that tokio has for tasks, which it calls unstable: each spawn, poll and end.
//!
//! Tokio calls them around a poll: the one in front also of a task that is over, which it then does not poll; the one
//! behind when another worker may poll the task already. So both are told as hooks (P-36).

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use tokio::runtime::{Builder, TaskMeta};

use crate::probe::{self, life, point};

/// Ids of tasks begin here: above all that this process hands out, below what another process can name.
const FIRST: u64 = 1 << 33;

/// Takes the number out of a task's id, which tells it to hashers alone.
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
    FIRST | number.finish() & (FIRST - 1)
}

thread_local! {
    static BEFORE: Cell<u64> = const { Cell::new(0) };
}

fn spawned(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        probe::create(coro_of(task), 0, probe::site_of(task.spawned_at(), None));
    }
}

fn poll_begins(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        BEFORE.with(|before| before.set(probe::current()));
        probe::resume_around(coro_of(task), point::AWAIT);
    }
}

/// Tokio tells the end of a task before that of its last poll, and then it does not run any more.
fn poll_ended(task: &TaskMeta<'_>) {
    if probe::is_attached() {
        let coro = coro_of(task);
        if probe::current() == coro {
            probe::suspend_around(coro, probe::site_of(task.spawned_at(), None), point::AWAIT);
        }
        BEFORE.with(|before| probe::current_set(before.get()));
    }
}

fn ended(task: &TaskMeta<'_>) {
    probe::destroy(coro_of(task), life::UNTOLD);
}

pub(super) fn trace(builder: &mut Builder) {
    builder.on_task_spawn(spawned).on_before_task_poll(poll_begins).on_after_task_poll(poll_ended);
    builder.on_task_terminate(ended);
}
