// SPDX-License-Identifier: MIT
//! A scheduler in Zig, of coroutines that are state machines, with mailboxes.
//!
//!     mail             all letters are read
//!     mail --fault     some readers never read their letters
//!
//! The fault is in `Mailbox.read`: the reader goes into a list of its own, which `write` does not look at.
const std = @import("std");
const corotracer = @import("corotracer");

const letters_each = 50;
const nr_mailboxes = 4;
const nr_tasks = 2 * nr_mailboxes + 1;
const clock_ticks = 100_000; // microseconds of processor time after which a program that is stuck gives up

extern fn clock() c_long;

/// The result of a step: the coroutine has ended, or it yields, or it waits and was put where its waker will find it.
const Step = enum { ended, yields, waits };

/// First in, first out.
const List = struct {
    tasks: [nr_tasks]*Task = undefined,
    first: usize = 0,
    count: usize = 0,

    fn put(list: *List, task: *Task) void {
        list.tasks[(list.first + list.count) % nr_tasks] = task;
        list.count += 1;
    }

    fn take(list: *List) ?*Task {
        if (list.count == 0)
            return null;
        defer list.first = (list.first + 1) % nr_tasks;
        list.count -= 1;
        return list.tasks[list.first];
    }
};

const Task = struct {
    coro: corotracer.Coro,
    point: corotracer.Point = .initial,
    mailbox: *Mailbox,
    letters_left: usize = letters_each,
    step: *const fn (*Task) Step,

    fn yieldAt(task: *Task, where: u32) Step {
        task.coro.tellYield(where);
        task.point = .yield;
        return .yields;
    }

    fn waitFor(task: *Task, wanted: u64, where: u32) Step {
        task.coro.tellSuspend(wanted, where);
        task.point = .@"await";
        return .waits;
    }
};

const Scheduler = struct {
    ready: List = .{},
    nr_alive: usize = 0,

    fn wake(self: *Scheduler, task: *Task, where: u32) void {
        task.coro.tellWake(where, .queued);
        self.ready.put(task);
    }

    fn spawn(self: *Scheduler, task: *Task) void {
        self.nr_alive += 1;
        self.ready.put(task);
    }

    fn run(self: *Scheduler) void {
        while (self.ready.take()) |task| {
            task.coro.tellResume(task.point);
            switch (task.step(task)) {
                .yields => self.wake(task, corotracer.site(@src(), null)),
                .waits => {},
                .ended => {
                    task.coro.tellEnd();
                    self.nr_alive -= 1;
                },
            }
        }
    }
};

const Mailbox = struct {
    letters: usize = 0,
    readers: List = .{},
    late: List = .{},

    fn handle(mailbox: *Mailbox) u64 {
        return corotracer.resource(.channel, mailbox);
    }

    fn read(mailbox: *Mailbox, task: *Task) ?Step {
        if (mailbox.letters == 0) {
            const readers = if (is_faulty) &mailbox.late else &mailbox.readers;
            readers.put(task);
            return task.waitFor(mailbox.handle(), corotracer.site(@src(), "a letter"));
        }
        mailbox.letters -= 1;
        return null;
    }

    fn write(mailbox: *Mailbox) void {
        mailbox.letters += 1;
        corotracer.notify(mailbox.handle(), @min(1, mailbox.readers.count), corotracer.site(@src(), null));
        if (mailbox.readers.take()) |reader|
            scheduler.wake(reader, corotracer.site(@src(), null));
    }
};

var is_faulty = false;
var scheduler = Scheduler{};

fn readAll(task: *Task) Step {
    while (task.letters_left > 0) : (task.letters_left -= 1)
        if (task.mailbox.read(task)) |step|
            return step;
    return .ended;
}

fn writeAll(task: *Task) Step {
    if (task.letters_left == 0)
        return .ended;
    task.letters_left -= 1;
    task.mailbox.write();
    return task.yieldAt(corotracer.site(@src(), null));
}

fn tick(task: *Task) Step {
    return if (clock() < clock_ticks) task.yieldAt(corotracer.site(@src(), null)) else .ended;
}

fn spawnMade(task: *Task, name: []const u8) void {
    task.coro.nameAs(name);
    scheduler.spawn(task);
}

pub fn main(init: std.process.Init.Minimal) u8 {
    var mailboxes: [nr_mailboxes]Mailbox = @splat(.{});
    var tasks: [nr_tasks]Task = undefined;
    var arguments = init.args.iterate();

    _ = arguments.next();
    if (arguments.next()) |word|
        is_faulty = std.mem.eql(u8, word, "--fault");
    _ = corotracer.attach();
    for (&mailboxes, 0..) |*mailbox, i| {
        tasks[2 * i] = .{ .coro = .create(corotracer.site(@src(), null)), .mailbox = mailbox, .step = readAll };
        tasks[2 * i + 1] = .{ .coro = .create(corotracer.site(@src(), null)), .mailbox = mailbox, .step = writeAll };
        spawnMade(&tasks[2 * i], "reader");
        spawnMade(&tasks[2 * i + 1], "writer");
    }
    tasks[nr_tasks - 1] = .{ .coro = .create(corotracer.site(@src(), null)), .mailbox = &mailboxes[0], .step = tick };
    spawnMade(&tasks[nr_tasks - 1], "clock");
    scheduler.run();
    if (scheduler.nr_alive > 0)
        std.debug.print("nothing is left to run, and {} coroutines sleep\n", .{scheduler.nr_alive});
    return if (scheduler.nr_alive > 0) 1 else 0;
}
