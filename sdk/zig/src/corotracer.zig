// SPDX-License-Identifier: MIT
//! Records for corotracer what a program's coroutines do: where they wait, who wakes them, what they hold.
//!
//! The C probe, which Zig compiles with the program (`build.zig`), writes the events. This module adds places from
//! `@src()`, and coroutines with methods. All other calls are `calls.ctp_...`, as `ctp_probe.h` describes them. All
//! functions may be called on any thread at any time, also while nobody traces the program: a function then costs its
//! call, a load and a branch. No function allocates, blocks, prints, or fails.
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

/// The source of a site, as `struct ctp_site_source`. Texts live as long as the process.
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

/// A place that keeps its own site number, as `struct ctp_site_here`.
pub const Here = extern struct {
    id: u32 = 0,
    source: Source,
};

/// Attaches to the engine that started this program (`corotracer run`). Call it once, early in `main`, before threads
/// start. Returns false if no engine asked for events, or the machine refused memory; an engine that comes later
/// (`corotracer attach`) can still find the program.
pub fn attach() bool {
    return functions.ctp_attach();
}

/// Attaches; if there is no engine, keeps the latest events in the file `path`, in at most `bytes` bytes (0: 16 MiB).
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

/// Returns the site number of a place: `site(@src(), null)`, or with the name of what is waited for or done there. The
/// place is interned at its first use; each later use costs one load.
pub inline fn site(comptime source: std.builtin.SourceLocation, comptime name: ?[:0]const u8) u32 {
    return calls.ctp_site_use(&Place(source, name).here);
}

/// Interns a site whose source is given in full. Each call takes one of the 65,536 site numbers of a process, so keep
/// the result.
pub fn intern(source: Source) u32 {
    return functions.ctp_site_remember(null, 0, null, &source);
}

/// Makes a resource handle from a kind and an identity within the kind: a pointer or a number.
pub fn resource(kind: Resource, identity: anytype) u64 {
    const number: u64 = switch (@typeInfo(@TypeOf(identity))) {
        .pointer => @intFromPtr(identity),
        else => @intCast(identity),
    };
    return @as(u64, @intFromEnum(kind)) << 56 | (number & 0x00ff_ffff_ffff_ffff);
}

/// A coroutine, identified by the number by which reports name it. A value: it may be copied and kept anywhere, and is
/// never freed.
pub const Coro = struct {
    /// 0: no coroutine; as the actor of an event, 0 means the thread itself.
    id: u64 = 0,

    pub const none: Coro = .{};

    /// Makes a new coroutine, which has not run yet. `where`: the place that made the coroutine.
    pub fn create(where: u32) Coro {
        const coro = Coro{ .id = calls.ctp_coro_new() };
        calls.ctp_create(coro.id, 0, where);
        return coro;
    }

    /// Returns the coroutine that runs on this thread.
    pub fn current() Coro {
        return .{ .id = calls.ctp_current() };
    }

    /// Gives the coroutine a name, which reports show beside the place that made it.
    pub fn nameAs(coro: Coro, text: []const u8) void {
        if (isAttached())
            calls.ctp_name_coro(coro.id, calls.ctp_intern(text.ptr, @intCast(text.len)));
    }

    /// The coroutine runs on this thread from here on. `point`: the point at which the coroutine was suspended;
    /// `.initial` for its first run.
    pub fn tellResume(coro: Coro, point: Point) void {
        calls.ctp_resume(coro.id, point);
    }

    /// The coroutine gives up this thread and waits, at `where`, for a resource. Call this before another thread can
    /// resume the coroutine.
    pub fn tellSuspend(coro: Coro, wanted: u64, where: u32) void {
        calls.ctp_suspend(coro.id, wanted, where, .@"await");
    }

    /// Does what `tellSuspend` does, for a wait that ends at `deadline_ns` at the latest (CLOCK_MONOTONIC in
    /// nanoseconds).
    pub fn tellSuspendUntil(coro: Coro, wanted: u64, where: u32, deadline_ns: u64) void {
        calls.ctp_suspend_until(coro.id, wanted, where, .@"await", deadline_ns);
    }

    /// The coroutine yields, and is ready. Call this before `tellWake`.
    pub fn tellYield(coro: Coro, where: u32) void {
        calls.ctp_suspend(coro.id, 0, where, .yield);
    }

    /// The coroutine or thread that runs here makes this coroutine ready. Call this before another worker can see the
    /// coroutine.
    pub fn tellWake(coro: Coro, where: u32, outcome: Outcome) void {
        calls.ctp_wake(calls.ctp_current(), resource(.coroutine, coro.id), where, outcome);
    }

    /// The coroutine has run to its end, and is gone.
    pub fn tellEnd(coro: Coro) void {
        calls.ctp_return(coro.id);
        calls.ctp_destroy(coro.id, .done);
    }

    /// The coroutine is gone before its end. `life`: how far the coroutine had come.
    pub fn tellDestroy(coro: Coro, life: Life) void {
        calls.ctp_destroy(coro.id, life);
    }
};

/// This worker found no work and goes to sleep; `wanted` is the resource that it sleeps on, or 0.
pub fn park(wanted: u64, where: u32) void {
    calls.ctp_park(wanted, where);
}

/// This worker is awake again.
pub fn unpark(wanted: u64) void {
    calls.ctp_unpark(wanted);
}

/// The coroutine that runs here notifies the resource's waiters and wakes `nr_woken` of them. A notification that finds
/// no waiter (0) is worth recording. Call this before the first of the waiters can run.
pub fn notify(told: u64, nr_woken: usize, where: u32) void {
    calls.ctp_notify(calls.ctp_current(), told, @intCast(@min(nr_woken, 255)), where);
}

/// The coroutine that runs here holds the resource from here on.
pub fn acquire(taken: u64, where: u32) void {
    calls.ctp_acquire(calls.ctp_current(), taken, where);
}

/// The coroutine that runs here gives the resource back. Call this before the next owner can be seen.
pub fn release(given: u64, where: u32) void {
    calls.ctp_release(calls.ctp_current(), given, where);
}
