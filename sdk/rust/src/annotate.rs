// SPDX-License-Identifier: MIT
//! What a program tells of itself: tasks, regions, messages, counters, names, marks.
//!
//! Names are literals: they are interned at their first use, with the place where they stand. An annotation belongs to
//! the traced future that runs on this thread, or else to the thread.

use crate::probe::{self, mark};

/// A task begins, such as a request, and the future that runs here works for it from now on, as do those that it spawns.
/// Returns the task's number; 0 while nothing is recorded.
#[track_caller]
pub fn task_begin(name: &'static str) -> u64 {
    if !probe::is_attached() {
        return 0;
    }
    let task = probe::task_new();
    probe::task_begin(probe::current(), task, probe::site_here(Some(name)));
    task
}

/// The task has ended; on any thread.
pub fn task_end(task: u64) {
    if task != 0 {
        probe::task_end(0, task);
    }
}

/// The future that runs here works for this task from now on; 0: for none.
pub fn task_set(task: u64) {
    probe::task_set(probe::current(), task);
}

/// A named piece of work, until it is dropped. It may stand across an await: it belongs to the future that it began in.
#[derive(Debug)]
#[must_use = "the region ends when this is dropped"]
pub struct Region {
    coro: u64,
    site: u32,
}

/// A region begins.
#[track_caller]
pub fn region(name: &'static str) -> Region {
    if !probe::is_attached() {
        return Region { coro: 0, site: 0 };
    }
    let region = Region { coro: probe::current(), site: probe::site_here(Some(name)) };
    probe::region_begin(region.coro, 0, region.site);
    region
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.site != 0 {
            probe::region_end(self.coro, self.site);
        }
    }
}

/// A message.
#[track_caller]
pub fn log(message: &'static str) {
    if probe::is_attached() {
        probe::log(probe::current(), probe::site_here(Some(message)));
    }
}

/// A message with a number, which stands where the message has `{}`, or behind it.
#[track_caller]
pub fn log_number(message: &'static str, number: i64) {
    if probe::is_attached() {
        probe::log_number(probe::current(), number, probe::site_here(Some(message)));
    }
}

/// A message with a text that is made at run time, cut after 128 bytes; it stands where the message has `{}`, or behind.
#[track_caller]
pub fn log_text(message: &'static str, text: &str) {
    if probe::is_attached() {
        probe::log_text(probe::current(), text, probe::site_here(Some(message)));
    }
}

/// A quantity of the program has this value from now on.
#[track_caller]
pub fn counter(name: &'static str, value: i64) {
    if probe::is_attached() {
        probe::counter(value, probe::site_here(Some(name)));
    }
}

/// Names the traced future that runs here. Each call takes one of the 65,536 names that a process has.
pub fn name_current(name: &str) {
    if probe::is_attached() {
        probe::name_coro(probe::current(), probe::intern(name));
    }
}

/// Names the calling thread.
pub fn name_thread(name: &str) {
    if probe::is_attached() {
        probe::name_thread(probe::intern(name));
    }
}

/// The number by which reports name the traced future that runs on this thread; 0: there is none.
pub fn current_id() -> u64 {
    probe::current()
}

/// This worker found no work and goes to sleep: an executor's own, behind its last look at its queue.
#[track_caller]
pub fn park() {
    if probe::is_attached() {
        probe::park(0, probe::site_here(None));
    }
}

/// This worker is awake again.
pub fn unpark() {
    probe::unpark(0);
}

/// A phase of the program begins.
#[track_caller]
pub fn phase(name: &'static str) {
    if probe::is_attached() {
        probe::mark(0, mark::PHASE, 0, probe::site_here(Some(name)));
    }
}

/// The program asks a flight recorder to keep the past.
#[track_caller]
pub fn dump(why: &'static str) {
    if probe::is_attached() {
        probe::mark(0, mark::DUMP, 0, probe::site_here(Some(why)));
    }
}
