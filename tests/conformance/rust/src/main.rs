// SPDX-License-Identifier: MIT
//! The player of the Rust probe: executes the lines on standard input (`../README.md`).
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex};

use corotracer::probe::{self, Source};

/// One argument: a number, or a text.
#[derive(Clone, Default)]
struct Argument {
    number: u64,
    text: Option<String>,
}

/// The state that the lines share.
#[derive(Default)]
struct State {
    registers: [u64; 16],
    result: u64,
}

fn number_of(word: &str) -> u64 {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
        None => word.parse::<i128>().expect("a number") as u64,
    }
}

fn argument_of(word: &str, state: &State) -> Argument {
    if let Some(text) = word.strip_prefix('\'') {
        return Argument { number: 0, text: Some(text.replace('_', " ")) };
    }
    let number = match word.strip_prefix('$') {
        Some(register) => state.registers[register.parse::<usize>().expect("a register")],
        None if word == "-" => 0,
        None => number_of(word),
    };
    Argument { number, text: None }
}

/// Arguments as numbers of the types that the calls expect.
struct Arguments(Vec<Argument>);

impl Arguments {
    fn n(&self, index: usize) -> u64 {
        self.0.get(index).map_or(0, |argument| argument.number)
    }
    fn w(&self, index: usize) -> u32 {
        self.n(index) as u32
    }
    fn b(&self, index: usize) -> u8 {
        self.n(index) as u8
    }
    fn t(&self, index: usize) -> Option<&str> {
        self.0.get(index).and_then(|argument| argument.text.as_deref())
    }
    fn text(&self, index: usize) -> &str {
        self.t(index).unwrap_or("")
    }
    fn source(&self) -> Source<'_> {
        Source {
            kind: self.w(0),
            line: self.w(1),
            column: self.w(2),
            file: self.t(3),
            function: self.t(4),
            reason: self.t(5),
            address: self.n(6),
        }
    }
}

/// Makes a call that has a result; None: the call has no result.
fn perform_result(name: &str, a: &Arguments) -> Option<u64> {
    Some(match name {
        "is_attached" => u64::from(probe::is_attached()),
        "coro_new" => probe::coro_new(),
        "current" => probe::current(),
        "site_address" => u64::from(probe::site_address(a.n(0), a.w(1))),
        "intern" => u64::from(probe::intern(a.text(0))),
        "task_new" => probe::task_new(),
        "site" => u64::from(probe::site(&a.source())),
        _ => return None,
    })
}

fn perform_scheduling(name: &str, a: &Arguments) -> bool {
    match name {
        "emit" => probe::emit(a.n(0), a.n(1), a.n(2)),
        "emit_with" => probe::emit_with(a.n(0), a.n(1), a.n(2), a.b(3), a.n(4)),
        "create" => probe::create(a.n(0), a.n(1), a.w(2)),
        "frame" => probe::frame(a.n(0), a.n(1), a.w(2)),
        "resume" => probe::resume(a.n(0), a.b(1)),
        "suspend" => probe::suspend(a.n(0), a.n(1), a.w(2), a.b(3)),
        "suspend_until" => probe::suspend_until(a.n(0), a.n(1), a.w(2), a.b(3), a.n(4)),
        "switch" => probe::switch(a.n(0), a.n(1), a.w(2), a.b(3)),
        "switch_for" => probe::switch_for(a.n(0), a.n(1), a.n(2), a.w(3), a.b(4)),
        "cancel" => probe::cancel(a.n(0)),
        "wake" => probe::wake(a.n(0), a.n(1), a.w(2), a.b(3)),
        "return" => probe::return_(a.n(0)),
        "return_failed" => probe::return_failed(a.n(0), a.w(1)),
        "return_cancelled" => probe::return_cancelled(a.n(0), a.w(1)),
        "destroy" => probe::destroy(a.n(0), a.b(1)),
        "destroy_at" => probe::destroy_at(a.n(0), a.b(1), a.w(2)),
        "await" => probe::await_(a.n(0), a.n(1), a.w(2)),
        "await_done" => probe::await_done(a.n(0), a.n(1)),
        "enqueue" => probe::enqueue(a.n(0), a.n(1)),
        "enqueue_private" => probe::enqueue_private(a.n(0), a.n(1)),
        "dequeue" => probe::dequeue(a.n(0), a.n(1)),
        "park" => probe::park(a.n(0), a.w(1)),
        "park_untimed" => probe::park_untimed(a.n(0), a.w(1)),
        "park_until" => probe::park_until(a.n(0), a.w(1), a.n(2)),
        "unpark" => probe::unpark(a.n(0)),
        "range_begin" => probe::range_begin(a.n(0), a.n(1), a.b(2), a.w(3)),
        "range_end" => probe::range_end(a.n(0), a.n(1), a.b(2)),
        "processor_state" => probe::processor_state(a.n(0), a.b(1)),
        "syscall_begin" => probe::syscall_begin(a.n(0), a.n(1), a.w(2)),
        "syscall_end" => probe::syscall_end(a.n(0), a.n(1) != 0),
        _ => return false,
    }
    true
}

fn perform_resource(name: &str, a: &Arguments) -> bool {
    match name {
        "acquire" => probe::acquire(a.n(0), a.n(1), a.w(2)),
        "release" => probe::release(a.n(0), a.n(1), a.w(2)),
        "block" => probe::block(a.n(0), a.n(1) as i64, a.w(2)),
        "block_done" => probe::block_done(a.w(0)),
        "hand_over" => probe::hand_over(a.n(0), a.n(1), a.n(2), a.w(3)),
        "notify" => probe::notify(a.n(0), a.n(1), a.w(2), a.w(3)),
        "descriptor_open" => probe::descriptor_open(a.n(0), a.w(1)),
        "descriptor_close" => probe::descriptor_close(a.n(0), a.w(1)),
        "descriptor_arm" => probe::descriptor_arm(a.n(0), a.b(1), a.n(2) as u16, a.n(3), a.w(4)),
        "descriptor_ready" => probe::descriptor_ready(a.n(0), a.n(1) as u16, a.n(2)),
        _ => return false,
    }
    true
}

fn perform_annotation(name: &str, a: &Arguments) -> bool {
    match name {
        "task_begin" => probe::task_begin(a.n(0), a.n(1), a.w(2)),
        "task_end" => probe::task_end(a.n(0), a.n(1)),
        "task_set" => probe::task_set(a.n(0), a.n(1)),
        "region_begin" => probe::region_begin(a.n(0), a.n(1), a.w(2)),
        "region_end" => probe::region_end(a.n(0), a.w(1)),
        "log" => probe::log(a.n(0), a.w(1)),
        "log_number" => probe::log_number(a.n(0), a.n(1) as i64, a.w(2)),
        "log_text" => probe::log_text(a.n(0), a.text(1), a.w(2)),
        "counter" => probe::counter(a.n(0) as i64, a.w(1)),
        "name_coro" => probe::name_coro(a.n(0), a.w(1)),
        "name_thread" => probe::name_thread(a.w(0)),
        "name_resource" => probe::name_resource(a.n(0), a.w(1)),
        "mark" => probe::mark(a.n(0), a.b(1), a.n(2), a.w(3)),
        "daemon" => probe::daemon(a.n(0)),
        "expect_idle" => probe::expect_idle(a.n(0)),
        "start" => probe::start(),
        "stop" => probe::stop(),
        "detach" => probe::detach(),
        _ => return false,
    }
    true
}

fn perform(name: &str, arguments: &Arguments) -> u64 {
    if let Some(result) = perform_result(name, arguments) {
        return result;
    }
    let is_known =
        perform_scheduling(name, arguments) || perform_resource(name, arguments) || perform_annotation(name, arguments);
    assert!(is_known, "there is no call {name}");
    0
}

fn answer() {
    println!("ok");
    std::io::stdout().flush().expect("an answer");
}

fn play_words(words: &[&str], state: &Arc<Mutex<State>>) {
    if words[0] == "thread" {
        let state = Arc::clone(state);
        answer();
        std::thread::spawn(move || play(&state)).join().expect("a thread");
        return;
    }
    let mut state = state.lock().expect("one thread at a time");
    let (times, words) = match words {
        ["repeat", times, rest @ ..] => (number_of(times), rest),
        _ => (1, words),
    };
    let arguments = Arguments(words[1..].iter().map(|word| argument_of(word, &state)).collect());
    if words[0] == "keep" {
        state.registers[arguments.n(0) as usize] = state.result;
        return;
    }
    for _ in 0..times {
        state.result = perform(words[0], &arguments);
    }
}

/// Executes lines until the input ends, or the line that ends this thread.
fn play(state: &Arc<Mutex<State>>) {
    loop {
        let mut line = String::new();
        let length = std::io::stdin().lock().read_line(&mut line).expect("a line");
        let words: Vec<&str> = line.split_whitespace().collect();
        if length == 0 || words.is_empty() || words[0] == "end" {
            return;
        }
        play_words(&words, state);
        answer();
    }
}

fn main() {
    assert!(probe::attach(), "nobody traces this program");
    play(&Arc::default());
}
