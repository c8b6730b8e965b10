// SPDX-License-Identifier: MIT
//! Annotations, by which a program describes itself: tasks, regions, messages, counters, names, marks.
//!
//! Names are literals: a name is interned at its first use, together with its place in the source. An annotation
//! belongs to the traced future that runs on this thread; if no traced future runs, the annotation belongs to the
//! thread.

use crate::probe::{self, mark};

/// Begins a task, such as a request. The future that runs here works for the task from now on, and so do the futures
/// that this future spawns. Returns the task's number; 0 while nothing is recorded.
#[track_caller]
pub fn task_begin(name: &'static str) -> u64 {
    if !probe::is_attached() {
        return 0;
    }
    let task = probe::task_new();
    probe::task_begin(probe::current(), task, probe::site_here(Some(name)));
    task
}

/// Ends the task; may be called on any thread.
pub fn task_end(task: u64) {
    if task != 0 {
        probe::task_end(0, task);
    }
}

/// The future that runs here works for this task from now on; 0: for no task.
pub fn task_set(task: u64) {
    probe::task_set(probe::current(), task);
}

/// A named piece of work that lasts until this value is dropped. A region may be held across an await: the region
/// belongs to the future in which it began.
#[derive(Debug)]
#[must_use = "the region ends when this is dropped"]
pub struct Region {
    coro: u64,
    site: u32,
}

/// Begins a region.
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

/// Writes a message.
#[track_caller]
pub fn log(message: &'static str) {
    if probe::is_attached() {
        probe::log(probe::current(), probe::site_here(Some(message)));
    }
}

/// Writes a message with a number, which replaces `{}` in the text, or else is shown after the text.
#[track_caller]
pub fn log_number(message: &'static str, number: i64) {
    if probe::is_attached() {
        probe::log_number(probe::current(), number, probe::site_here(Some(message)));
    }
}

/// Writes a message with a text that is made at run time and cut after 128 bytes. The text replaces `{}` in the
/// message, or else is shown after the message.
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

/// The number by which reports name the traced future that runs on this thread; 0: no traced future runs here.
pub fn current_id() -> u64 {
    probe::current()
}

/// This worker found no work and goes to sleep. For an executor of your own, after the worker's last look at its queue.
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
