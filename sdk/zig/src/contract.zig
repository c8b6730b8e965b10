// SPDX-License-Identifier: MIT
//! The contract's numbers and the probe's calls, as `include/corotracer/ctp.h` and `def/functions.def` have them.
//!
//! Made by `tools/make-layout zig`: change the header or its tables, and make this file anew.

const Here = @import("corotracer.zig").Here;

pub const magic = 3622940649156793411;
pub const version = 2;
pub const page_bytes = 4096;
pub const record_bytes = 32;
pub const chunk_bytes = 65536;
pub const chunk_records = 2048;
pub const ring_chunks = 256;
pub const ring_stride = 2560;
pub const ring_max = 4096;
pub const site_max = 65536;
pub const name_bytes = 8388608;
pub const chunk_max = 16384;
pub const id_block = 1024;
pub const wanted_engine = 1;
pub const wanted_flight = 2;
pub const wanted_bits = 8;
pub const feature_categories = 1;
pub const feature_wanted = 2;
pub const feature_wakes = 8;
pub const feature_flight = 16;
pub const feature_about = 32;
pub const log_has_number = 1;
pub const log_text_max = 128;
pub const text_detail_bytes = 8;
pub const told_around = 1;
pub const enqueue_private = 1;
pub const park_untimed = 1;
pub const return_failed = 1;
pub const return_cancelled = 2;
pub const waker_taken = 1;
pub const notify_unkept = 1;
pub const syscall_ready = 1;

pub const Kind = enum(c_uint) {
    create = 1,
    frame = 2,
    @"resume" = 3,
    @"suspend" = 4,
    cancel = 5,
    wake = 6,
    enqueue = 7,
    dequeue = 8,
    @"return" = 9,
    destroy = 10,
    @"await" = 11,
    await_done = 12,
    acquire = 13,
    release = 14,
    hand_over = 15,
    notify = 16,
    @"switch" = 17,
    detail = 18,
    descriptor_open = 24,
    descriptor_close = 25,
    descriptor_arm = 26,
    descriptor_ready = 27,
    descriptor_io = 28,
    descriptor_shutdown = 29,
    descriptor_dup = 30,
    descriptor_timer = 31,
    syscall_begin = 32,
    syscall_end = 33,
    range_begin = 34,
    range_end = 35,
    processor = 36,
    sample = 37,
    thread_start = 40,
    thread_stop = 41,
    park = 42,
    unpark = 43,
    block_begin = 44,
    block_end = 45,
    task_begin = 50,
    task_end = 51,
    region_begin = 52,
    region_end = 53,
    log = 54,
    counter = 55,
    mark = 56,
    task_set = 57,
    name = 58,
    lost = 60,
    clock = 61,
    crash = 62,
    thread_state = 63,
    thread_time = 64,
    thread_poll = 65,
    thread_off = 66,
    page_fault = 67,
    faults = 68,
    _,
};

pub const Resource = enum(c_uint) {
    none = 0,
    descriptor = 1,
    lock = 2,
    condition = 3,
    channel = 4,
    semaphore = 5,
    timer = 6,
    coroutine = 7,
    frame = 8,
    queue = 9,
    event = 10,
    process = 11,
    other = 12,
    remote = 13,
    network = 14,
    processor = 15,
    _,
};

pub const Outcome = enum(c_uint) {
    queued = 0,
    already_queued = 1,
    target_running = 2,
    dropped = 3,
    no_target = 4,
    resumed = 5,
    no_waker = 6,
    passed_on = 7,
    _,
};

pub const Point = enum(c_uint) {
    @"await" = 0,
    initial = 1,
    final = 2,
    yield = 3,
    preempted = 4,
    _,
};

pub const Life = enum(c_uint) {
    done = 0,
    suspended = 1,
    unseen = 2,
    untold = 3,
    _,
};

pub const Mark = enum(c_uint) {
    daemon = 1,
    expect_idle = 2,
    phase = 3,
    start = 4,
    stop = 5,
    dump = 6,
    left_out = 7,
    signals_end = 8,
    runtime = 9,
    held = 10,
    thread_at = 11,
    thread_name = 12,
    blocking = 13,
    signal = 14,
    _,
};

pub const Loss = enum(c_uint) {
    full = 0,
    nested = 1,
    overwritten = 2,
    no_ring = 3,
    corrupt = 4,
    output = 5,
    sequence = 6,
    no_station = 7,
    part = 8,
    paused = 9,
    category = 10,
    sample = 11,
    left_out = 12,
    before = 13,
    open_end = 14,
    no_room = 15,
    _,
};

pub const Call = enum(c_uint) {
    other = 0,
    epoll_wait = 1,
    poll = 2,
    select = 3,
    read = 4,
    write = 5,
    accept = 6,
    lock = 7,
    _,
};

pub const Detail = enum(c_uint) {
    deadline = 1,
    receiver = 2,
    resource = 3,
    numbering = 4,
    missing = 5,
    address = 6,
    text = 7,
    caller = 8,
    swept = 9,
    reclaimed = 10,
    other_end = 11,
    bytes = 12,
    sender = 13,
    unreached = 14,
    _,
};

pub const Range = enum(c_uint) {
    other = 0,
    pause = 1,
    mark = 2,
    sweep = 3,
    assist = 4,
    gc_worker = 5,
    gc_idle = 6,
    _,
};

pub const Processor = enum(c_uint) {
    unseen = 0,
    idle = 1,
    running = 2,
    syscall = 3,
    gone = 4,
    _,
};

pub const Category = enum(c_uint) {
    scheduling = 0,
    resources = 1,
    descriptors = 2,
    tasks = 3,
    regions = 4,
    logs = 5,
    counters = 6,
    runtime = 7,
    samples = 8,
    _,
};

pub const SiteKind = enum(c_uint) {
    source = 1,
    address = 2,
    function = 3,
    name = 4,
    instruction = 5,
    caller = 6,
    _,
};

pub const Form = enum(c_uint) {
    c = 1,
    cpp = 2,
    co_await = 3,
    _,
};

/// The calls of `ctp_probe.h`, which says what each of them tells, and when.
pub const calls = struct {
    pub extern fn ctp_is_attached() bool;
    pub extern fn ctp_emit(coro: u64, object: u64, tail: u64) void;
    pub extern fn ctp_emit_with(coro: u64, object: u64, tail: u64, detail: Detail, number: u64) void;
    pub extern fn ctp_attachment() u32;
    pub extern fn ctp_coro_new() u64;
    pub extern fn ctp_current() u64;
    pub extern fn ctp_site_address(address: ?*const anyopaque, kind: u32) u32;
    pub extern fn ctp_site_use(here: *Here) u32;
    pub extern fn ctp_create(coro: u64, address: u64, site: u32) void;
    pub extern fn ctp_frame(coro: u64, frame: ?*const anyopaque, function_site: u32) void;
    pub extern fn ctp_resume(coro: u64, point: Point) void;
    pub extern fn ctp_suspend(coro: u64, resource: u64, site: u32, point: Point) void;
    pub extern fn ctp_suspend_until(coro: u64, resource: u64, site: u32, point: Point, deadline_ns: u64) void;
    pub extern fn ctp_switch(from: u64, to: u64, site: u32, point: Point) void;
    pub extern fn ctp_switch_for(from: u64, to: u64, resource: u64, site: u32, point: Point) void;
    pub extern fn ctp_cancel(coro: u64) void;
    pub extern fn ctp_wake(waker: u64, target: u64, site: u32, outcome: Outcome) void;
    pub extern fn ctp_return(coro: u64) void;
    pub extern fn ctp_return_failed(coro: u64, site: u32) void;
    pub extern fn ctp_return_cancelled(coro: u64, site: u32) void;
    pub extern fn ctp_destroy(coro: u64, life: Life) void;
    pub extern fn ctp_destroy_at(coro: u64, life: Life, site: u32) void;
    pub extern fn ctp_await(parent: u64, child: u64, site: u32) void;
    pub extern fn ctp_await_done(parent: u64, child: u64) void;
    pub extern fn ctp_acquire(coro: u64, resource: u64, site: u32) void;
    pub extern fn ctp_release(coro: u64, resource: u64, site: u32) void;
    pub extern fn ctp_block(lock: u64, timeout_ms: i64, site: u32) void;
    pub extern fn ctp_block_done(site: u32) void;
    pub extern fn ctp_hand_over(coro: u64, resource: u64, receiver: u64, site: u32) void;
    pub extern fn ctp_notify(coro: u64, resource: u64, nr_woken: c_uint, site: u32) void;
    pub extern fn ctp_enqueue(coro: u64, queue: u64) void;
    pub extern fn ctp_enqueue_private(coro: u64, queue: u64) void;
    pub extern fn ctp_dequeue(coro: u64, queue: u64) void;
    pub extern fn ctp_descriptor_open(descriptor: u64, site: u32) void;
    pub extern fn ctp_descriptor_close(descriptor: u64, site: u32) void;
    pub extern fn ctp_descriptor_arm(descriptor: u64, operation: c_uint, events: u16, user_data: u64, site: u32) void;
    pub extern fn ctp_descriptor_ready(descriptor: u64, events: u16, user_data: u64) void;
    pub extern fn ctp_park(resource: u64, site: u32) void;
    pub extern fn ctp_park_until(resource: u64, site: u32, deadline_ns: u64) void;
    pub extern fn ctp_park_untimed(resource: u64, site: u32) void;
    pub extern fn ctp_unpark(resource: u64) void;
    pub extern fn ctp_range_begin(coro: u64, processor: u64, range: Range, site: u32) void;
    pub extern fn ctp_range_end(coro: u64, processor: u64, range: Range) void;
    pub extern fn ctp_processor_state(number: u64, state: Processor) void;
    pub extern fn ctp_syscall_begin(coro: u64, number: u64, site: u32) void;
    pub extern fn ctp_syscall_end(coro: u64, is_ready: bool) void;
    pub extern fn ctp_intern(text: [*]const u8, bytes: u32) u32;
    pub extern fn ctp_task_new() u64;
    pub extern fn ctp_task_begin(coro: u64, task: u64, site: u32) void;
    pub extern fn ctp_task_end(coro: u64, task: u64) void;
    pub extern fn ctp_task_set(coro: u64, task: u64) void;
    pub extern fn ctp_region_begin(coro: u64, task: u64, site: u32) void;
    pub extern fn ctp_region_end(coro: u64, site: u32) void;
    pub extern fn ctp_log(coro: u64, site: u32) void;
    pub extern fn ctp_log_number(coro: u64, number: i64, site: u32) void;
    pub extern fn ctp_log_text(coro: u64, text: [*]const u8, bytes: usize, site: u32) void;
    pub extern fn ctp_counter(value: i64, site: u32) void;
    pub extern fn ctp_name_coro(coro: u64, site: u32) void;
    pub extern fn ctp_name_thread(site: u32) void;
    pub extern fn ctp_name_resource(resource: u64, site: u32) void;
    pub extern fn ctp_mark(coro: u64, mark: Mark, value: u64, site: u32) void;
    pub extern fn ctp_daemon(coro: u64) void;
    pub extern fn ctp_expect_idle(coro: u64) void;
    pub extern fn ctp_start() void;
    pub extern fn ctp_stop() void;
};
