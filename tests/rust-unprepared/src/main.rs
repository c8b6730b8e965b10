// SPDX-License-Identifier: MIT
//! Tasks of tokio that wait at many kinds of places, without any help for who looks from outside.
//!
//! unprepared [current] [busy] [end] COUNT: makes COUNT tasks for each place, and then says in one line of JSON how many
//! wait at which line of this file. `current`: on the scheduler of one thread. `busy`: tasks run all the time besides.
//! `sizes`: says instead how many blocks of which size it has that are aligned as tasks are, which nothing else is.
//! `circle`: two more wait for locks in a circle. `tables`: likewise, for locks of readers and writers; another one has
//! the permit for which one waits. `line`: three wait for a number from a line that has three. `locals`: one has variables
//! of many types. `end`: aborts. Otherwise ends with its input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as Lock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, Mutex, Notify, RwLock, Semaphore};

static LINES: Lock<BTreeMap<u32, usize>> = Lock::new(BTreeMap::new());
/// Blocks of 128 bytes and multiples of it, which are aligned to 128 bytes, by their size.
static BLOCKS: [AtomicUsize; 256] = [const { AtomicUsize::new(0) }; 256];
const TASK_ALIGN: usize = 128;

struct Counting;

// SAFETY: all is done by the system's allocator; beside it numbers are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() == TASK_ALIGN {
            BLOCKS[(layout.size() / TASK_ALIGN).min(255)].fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.align() == TASK_ALIGN {
            BLOCKS[(layout.size() / TASK_ALIGN).min(255)].fetch_sub(1, Ordering::Relaxed);
        }
        // SAFETY: as the caller says.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static MARKED: AtomicUsize = AtomicUsize::new(0);

/// The task waits at the line at which this stands.
macro_rules! mark {
    () => {
        *LINES.lock().unwrap().entry(line!()).or_insert(0) += 1;
        MARKED.fetch_add(1, Ordering::SeqCst);
    };
}

struct Shared {
    notify: Notify,
    lock: Mutex<u32>,
    permits: Semaphore,
    table: RwLock<u32>,
}

type All = Arc<Shared>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

async fn notified(all: All) {
    #[rustfmt::skip]
    { mark!(); all.notify.notified().await };
}

async fn nested(all: All) {
    let keep = [all.clone(), all.clone()];
    notified(all).await;
    drop(keep);
}

async fn recursive(all: All, depth: u32) {
    if depth > 0 {
        return Box::pin(recursive(all, depth - 1)).await;
    }
    notified(all).await;
}

fn dynamic(all: All) -> Boxed {
    Box::pin(async move { notified(all).await })
}

async fn dynamically(all: All) {
    dynamic(all).await;
}

async fn timed(all: All) {
    let _ = tokio::time::timeout(Duration::from_secs(100_000), notified(all)).await;
}

async fn locking(all: All) {
    #[rustfmt::skip]
    let guard = { mark!(); all.lock.lock().await };
    drop(guard);
}

async fn permitted(all: All) {
    #[rustfmt::skip]
    let permit = { mark!(); all.permits.acquire().await };
    drop(permit);
}

async fn reading(all: All) {
    #[rustfmt::skip]
    let guard = { mark!(); all.table.read().await };
    drop(guard);
}

async fn sleeping(_: All) {
    #[rustfmt::skip]
    { mark!(); tokio::time::sleep(Duration::from_secs(100_000)).await };
}

async fn receiving(_: All) {
    let (to, mut from) = mpsc::channel::<u32>(1);
    #[rustfmt::skip]
    let got = { mark!(); from.recv().await };
    drop((to, got));
}

async fn answered(_: All) {
    let (to, from) = oneshot::channel::<u32>();
    #[rustfmt::skip]
    let got = { mark!(); from.await };
    drop((to, got.is_ok()));
}

async fn joining(all: All) {
    let child = tokio::spawn(notified(all));
    #[rustfmt::skip]
    let ended = { mark!(); child.await };
    assert!(ended.is_ok());
}

async fn in_a_loop(all: All) {
    for round in 0.. {
        match round % 3 {
            0 => drop(all.clone()),
            1 => tokio::task::yield_now().await,
            #[rustfmt::skip]
            _ => { mark!(); all.notify.notified().await }
        }
    }
}

async fn turning() {
    loop {
        let child = tokio::spawn(async { tokio::task::yield_now().await });
        tokio::task::yield_now().await;
        assert!(child.await.is_ok());
    }
}

async fn crossing(first: Arc<Mutex<u32>>, second: Arc<Mutex<u32>>) {
    let one = first.lock().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let other = second.lock().await;
    drop((one, other));
}

async fn crossing_tables(first: Arc<RwLock<u32>>, second: Arc<RwLock<u32>>) {
    let one = first.write().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let other = second.read().await;
    drop((one, other));
}

/// Keeps an odd number of items for ever.
#[allow(dead_code)] // what nobody reads here is read from outside
struct Line {
    items: Lock<VecDeque<u32>>,
    waiting: Lock<Vec<Waker>>,
    is_closed: AtomicBool,
    room: usize,
    order: Order,
    last: Option<u32>,
    next: Option<Box<u32>>,
}

#[derive(Clone, Copy)]
enum Order {
    First,
    Last,
}

struct Pop {
    line: Arc<Line>,
    polls: u32,
}

impl Future for Pop {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        self.polls += 1;
        let mut items = self.line.items.lock().unwrap();
        if items.len() % 2 == 0 {
            let got = if let Order::First = self.line.order { items.pop_front() } else { items.pop_back() };
            return got.map_or(Poll::Pending, Poll::Ready);
        }
        self.line.waiting.lock().unwrap().push(context.waker().clone());
        Poll::Pending
    }
}

async fn popping(line: Arc<Line>) {
    let got = Pop { line, polls: 0 }.await;
    assert!(got > 0);
}

fn line_of_three() -> Arc<Line> {
    Arc::new(Line {
        items: Lock::new(VecDeque::from([7, 8, 9])),
        waiting: Lock::default(),
        is_closed: AtomicBool::new(true),
        room: 16,
        order: if MARKED.load(Ordering::SeqCst) > 1_000_000 { Order::First } else { Order::Last },
        last: Some(6),
        next: None,
    })
}

async fn keeping(few: Arc<Semaphore>) {
    let kept = few.acquire().await;
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    drop(kept);
}

async fn needing(few: Arc<Semaphore>) {
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(few.acquire().await);
}

fn spawn(all: &All) -> usize {
    tokio::spawn(nested(all.clone()));
    tokio::spawn(recursive(all.clone(), 3));
    tokio::spawn(dynamic(all.clone()));
    tokio::spawn(dynamically(all.clone()));
    tokio::spawn(timed(all.clone()));
    tokio::spawn(locking(all.clone()));
    tokio::spawn(permitted(all.clone()));
    tokio::spawn(reading(all.clone()));
    tokio::spawn(sleeping(all.clone()));
    tokio::spawn(receiving(all.clone()));
    tokio::spawn(answered(all.clone()));
    tokio::spawn(joining(all.clone()));
    tokio::spawn(in_a_loop(all.clone()));
    14
}

enum Step {
    Read,
    Write { bytes: u32 },
    Lost(String),
}

struct Purchase {
    id: u64,
    path: String,
    step: Step,
}

async fn bought(order: &Purchase, attempt: u32, all: All) -> u32 {
    let host: &str = "für alle, die hier auf ihre Bestellung warten";
    let is_last = attempt > 2;
    all.notify.notified().await;
    attempt + u32::from(is_last) + host.len() as u32 + order.path.len() as u32
}

/// The text that came in is in `order` by the time at which the task waits, and the other one is gone.
async fn buying(id: u64, path: String, unused: String, all: All) {
    let steps = vec![Step::Read, Step::Lost(unused)];
    let step = if id > 1 { Step::Write { bytes: 7 } } else { Step::Read };
    drop(steps);
    let order = Purchase { id, path, step };
    let counts = vec![1, 2, 3];
    let last = Some(-4);
    let none: Option<u32> = None;
    let sum = bought(&order, 1, all).await;
    if let Step::Write { bytes } = order.step {
        println!("{counts:?} {last:?} {none:?} {} {sum} {bytes}", order.id);
    }
}

fn say() {
    let lines: Vec<String> = LINES.lock().unwrap().iter().map(|(line, count)| format!("\"{line}\": {count}")).collect();
    println!("{{{}}}", lines.join(", "));
}

fn say_sizes() {
    let counts = BLOCKS.iter().map(|count| count.load(Ordering::Relaxed)).enumerate().filter(|(_, count)| *count > 0);
    let sizes: Vec<String> = counts.map(|(size, count)| format!("\"{}\": {count}", size * TASK_ALIGN)).collect();
    println!("{{{}}}", sizes.join(", "));
}

async fn run(words: Vec<String>) {
    let is_asked = |word: &str| words.iter().any(|given| given == word);
    let count: usize = words.last().and_then(|word| word.parse().ok()).unwrap_or(5);
    let all = Arc::new(Shared {
        notify: Notify::new(),
        lock: Mutex::new(0),
        permits: Semaphore::new(0),
        table: RwLock::new(0),
    });
    let guards = (all.lock.lock().await, all.table.write().await);
    let made: usize = (0..count).map(|_| spawn(&all)).sum();
    while MARKED.load(Ordering::SeqCst) < made {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    if is_asked("busy") {
        for _ in 0..3 {
            tokio::spawn(turning());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if is_asked("circle") {
        let locks = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        tokio::spawn(crossing(locks.0.clone(), locks.1.clone()));
        tokio::spawn(crossing(locks.1, locks.0));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    if is_asked("tables") {
        let tables = (Arc::new(RwLock::new(0)), Arc::new(RwLock::new(0)));
        tokio::spawn(crossing_tables(tables.0.clone(), tables.1.clone()));
        tokio::spawn(crossing_tables(tables.1, tables.0));
        let few = Arc::new(Semaphore::new(1));
        tokio::spawn(keeping(few.clone()));
        tokio::spawn(needing(few));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    if is_asked("line") {
        let line = line_of_three();
        (0..3).for_each(|_| drop(tokio::spawn(popping(line.clone()))));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if is_asked("locals") {
        tokio::spawn(buying(3, "/orders/3".to_owned(), "gone".to_owned(), all.clone()));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    if is_asked("sizes") {
        say_sizes();
    } else {
        say();
    }
    if is_asked("end") {
        std::process::abort();
    }
    let input = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
    drop((input.await.is_ok(), guards));
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut builder = if words.iter().any(|word| word == "current") {
        tokio::runtime::Builder::new_current_thread()
    } else {
        tokio::runtime::Builder::new_multi_thread()
    };
    builder.worker_threads(2).enable_all().build().unwrap().block_on(run(words));
    std::process::exit(0);
}
