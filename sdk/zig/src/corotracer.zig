// SPDX-License-Identifier: MIT
//! Tells corotracer what a program's coroutines do: where they wait, who wakes them, what they hold.
//!
//! The events are written by the C probe, which Zig compiles with the program (`build.zig`): what this module adds are
//! places from `@src()`, and coroutines with methods. All other calls are `calls.ctp_...`, as `ctp_probe.h` has them.
//! All may be called on any thread at any time, also when nobody traces: then they cost a call, a load and a branch.
//! Nothing allocates, blocks, prints, or fails.
const std = @import("std");
const contract = @import("contract.zig");

pub const calls = contract.calls;
pub const Life = contract.Life;
pub const Mark = contract.Mark;
pub const Outcome = contract.Outcome;
pub const Point = contract.Point;
pub const Resource = contract.Resource;

const functions = struct {
    extern fn ctp_attach() bool;
    extern fn ctp_detach() void;
    extern fn ctp_record_flight(path: ?[*:0]const u8, bytes: usize) bool;
    extern fn ctp_site_remember(place: ?*const anyopaque, position: u64, reason_key: ?*const anyopaque, source: *const Source) u32;
};

/// What a site is told by, as `struct ctp_site_source`. Texts live as long as the process.
pub const Source = extern struct {
    kind: u32,
    line: u32 = 0,
    column: u32 = 0,
    reason_bytes: u32 = 0,
    file: ?[*:0]const u8 = null,
    function: ?[*:0]const u8 = null,
    reason: ?[*:0]const u8 = null,
    address: u64 = 0,
};

/// A place that keeps its own number, as `struct ctp_site_here`.
pub const Here = extern struct {
    id: u32 = 0,
    source: Source,
};

/// Attaches to the engine that started this program (`corotracer run`). Call it once, early in `main`, before threads.
/// False: nobody asked, or the machine refused; an engine that comes later (`corotracer attach`) still finds the program.
pub fn attach() bool {
    return functions.ctp_attach();
}

/// Attaches; and where no engine is there, keeps the latest events in the file `path`, in at most `bytes` (0: 16 MiB).
pub fn recordFlight(path: ?[*:0]const u8, bytes: usize) bool {
    return functions.ctp_record_flight(path, bytes);
}

/// Closes the gate: no event is written from here on.
pub fn detach() void {
    functions.ctp_detach();
}

/// True while events are recorded.
pub fn isAttached() bool {
    return calls.ctp_is_attached();
}

fn Place(comptime source: std.builtin.SourceLocation, comptime name: ?[:0]const u8) type {
    return struct {
        var here = Here{ .source = .{
            .kind = @intFromEnum(contract.SiteKind.source) | @intFromEnum(contract.Form.c) << 8,
            .line = source.line,
            .column = source.column,
            .file = source.file.ptr,
            .function = source.fn_name.ptr,
            .reason = if (name) |text| text.ptr else null,
        } };
    };
}

/// The number of a place: `site(@src(), null)`, or with the name of what is waited for or done there. The place is interned
/// at its first use; later on its number is a load.
pub inline fn site(comptime source: std.builtin.SourceLocation, comptime name: ?[:0]const u8) u32 {
    return calls.ctp_site_use(&Place(source, name).here);
}

/// A site told in full. Each call takes a number of the 65,536 that a process has: keep what it returns.
pub fn intern(source: Source) u32 {
    return functions.ctp_site_remember(null, 0, null, &source);
}

/// A resource handle: a kind, and what tells it from others of its kind, a pointer or a number.
pub fn resource(kind: Resource, identity: anytype) u64 {
    const number: u64 = switch (@typeInfo(@TypeOf(identity))) {
        .pointer => @intFromPtr(identity),
        else => @intCast(identity),
    };
    return @as(u64, @intFromEnum(kind)) << 56 | (number & 0x00ff_ffff_ffff_ffff);
}

/// A coroutine, by the number that reports name it by. A value: to be copied, kept anywhere, and never freed.
pub const Coro = struct {
    /// 0: none, which is the thread itself where a coroutine acts.
    id: u64 = 0,

    pub const none: Coro = .{};

    /// A new one, which has not run yet. `where`: the place that made it.
    pub fn create(where: u32) Coro {
        const coro = Coro{ .id = calls.ctp_coro_new() };
        calls.ctp_create(coro.id, 0, where);
        return coro;
    }

    /// The one that runs on this thread.
    pub fn current() Coro {
        return .{ .id = calls.ctp_current() };
    }

    /// Its name in reports, beside the place that made it.
    pub fn nameAs(coro: Coro, text: []const u8) void {
        if (isAttached())
            calls.ctp_name_coro(coro.id, calls.ctp_intern(text.ptr, @intCast(text.len)));
    }

    /// It runs on this thread from here on; `point`: that at which it was suspended, at first `.initial`.
    pub fn tellResume(coro: Coro, point: Point) void {
        calls.ctp_resume(coro.id, point);
    }

    /// It gives up this thread and waits, at `where`, for a resource. To be told before anybody else can resume it.
    pub fn tellSuspend(coro: Coro, wanted: u64, where: u32) void {
        calls.ctp_suspend(coro.id, wanted, where, .@"await");
    }

    /// `tellSuspend`; the wait ends then, whatever happens: CLOCK_MONOTONIC in nanoseconds.
    pub fn tellSuspendUntil(coro: Coro, wanted: u64, where: u32, deadline_ns: u64) void {
        calls.ctp_suspend_until(coro.id, wanted, where, .@"await", deadline_ns);
    }

    /// It lets others run, and is ready: to be told before `tellWake`.
    pub fn tellYield(coro: Coro, where: u32) void {
        calls.ctp_suspend(coro.id, 0, where, .yield);
    }

    /// The coroutine or thread that runs here makes it ready. To be told before another worker can see it.
    pub fn tellWake(coro: Coro, where: u32, outcome: Outcome) void {
        calls.ctp_wake(calls.ctp_current(), resource(.coroutine, coro.id), where, outcome);
    }

    /// It has run to its end, and is gone.
    pub fn tellEnd(coro: Coro) void {
        calls.ctp_return(coro.id);
        calls.ctp_destroy(coro.id, .done);
    }

    /// It is gone before its end; `life`: how far it had come.
    pub fn tellDestroy(coro: Coro, life: Life) void {
        calls.ctp_destroy(coro.id, life);
    }
};

/// Around the sleep of a worker that found nothing to run; `wanted` is what it sleeps on, or 0.
pub fn park(wanted: u64, where: u32) void {
    calls.ctp_park(wanted, where);
}

/// The worker is awake again.
pub fn unpark(wanted: u64) void {
    calls.ctp_unpark(wanted);
}

/// The coroutine that runs here tells the resource's waiters, and finds so many; 0 is worth telling. To be told before the
/// first of them can run.
pub fn notify(told: u64, nr_woken: usize, where: u32) void {
    calls.ctp_notify(calls.ctp_current(), told, @intCast(@min(nr_woken, 255)), where);
}

/// The coroutine that runs here holds the resource from here on.
pub fn acquire(taken: u64, where: u32) void {
    calls.ctp_acquire(calls.ctp_current(), taken, where);
}

/// The coroutine that runs here gives the resource back. To be told before the next owner can be seen.
pub fn release(given: u64, where: u32) void {
    calls.ctp_release(calls.ctp_current(), given, where);
}
