// SPDX-License-Identifier: MIT
//! The player of the Zig module: executes the lines on standard input (`../README.md`).
const std = @import("std");
const corotracer = @import("corotracer");

const words_max = 12;
const line_max = 4096;

extern var stdin: *anyopaque;
extern fn fgets(line: [*]u8, bytes: c_int, file: *anyopaque) ?[*:0]u8;
extern fn puts(text: [*:0]const u8) c_int;
extern fn fflush(file: ?*anyopaque) c_int;

/// One argument: a number, or a text.
const Argument = struct {
    number: u64 = 0,
    text: ?[:0]const u8 = null,
};

const Arguments = [words_max]Argument;

var registers: [16]u64 = @splat(0);
var last_result: u64 = 0;

fn numberOf(word: []const u8) u64 {
    const wide = std.fmt.parseInt(i128, word, 0) catch @panic("no number");
    return @truncate(@as(u128, @bitCast(wide)));
}

fn argumentOf(word: [:0]u8) Argument {
    if (word[0] == '\'') {
        std.mem.replaceScalar(u8, word, '_', ' ');
        return .{ .text = word[1..] };
    }
    if (word[0] == '$')
        return .{ .number = registers[numberOf(word[1..])] };
    return .{ .number = if (std.mem.eql(u8, word, "-")) 0 else numberOf(word) };
}

/// Converts an argument to the type that a call expects.
fn convert(comptime Wanted: type, argument: Argument) Wanted {
    return switch (@typeInfo(Wanted)) {
        .@"enum" => @enumFromInt(@as(c_uint, @truncate(argument.number))),
        .optional => @ptrFromInt(argument.number),
        .pointer => if (argument.text) |text| text.ptr else "",
        .bool => argument.number != 0,
        .int => |int| @bitCast(@as(@Int(.unsigned, int.bits), @truncate(argument.number))),
        else => @compileError("no argument of this type"),
    };
}

/// Makes a call. After each text argument its length is passed, which is not in the script.
fn call(comptime function: anytype, arguments: *const Arguments) void {
    const types = @typeInfo(@TypeOf(function)).@"fn".param_types;
    var values: std.meta.ArgsTuple(@TypeOf(function)) = undefined;
    comptime var next = 0;

    inline for (types, 0..) |Wanted, i| {
        if (i > 0 and types[i - 1].? == [*]const u8) {
            values[i] = if (arguments[next - 1].text) |text| @intCast(text.len) else 0;
        } else {
            values[i] = convert(Wanted.?, arguments[next]);
            next += 1;
        }
    }
    const result = @call(.auto, function, values);
    last_result = switch (@TypeOf(result)) {
        void => 0,
        bool => @intFromBool(result),
        else => result,
    };
}

fn site(arguments: *const Arguments) u64 {
    return corotracer.intern(.{
        .kind = @truncate(arguments[0].number),
        .line = @truncate(arguments[1].number),
        .column = @truncate(arguments[2].number),
        .file = if (arguments[3].text) |text| text.ptr else null,
        .function = if (arguments[4].text) |text| text.ptr else null,
        .reason = if (arguments[5].text) |text| text.ptr else null,
        .address = arguments[6].number,
    });
}

fn perform(name: []const u8, arguments: *const Arguments) void {
    if (std.mem.eql(u8, name, "site")) {
        last_result = site(arguments);
        return;
    }
    if (std.mem.eql(u8, name, "detach"))
        return corotracer.detach();
    @setEvalBranchQuota(10_000);
    inline for (comptime std.meta.declarations(corotracer.calls)) |declaration| {
        if (comptime !std.mem.eql(u8, declaration, "ctp_site_use"))
            if (std.mem.eql(u8, name, declaration["ctp_".len..]))
                return call(@field(corotracer.calls, declaration), arguments);
    }
    std.debug.panic("there is no call {s}", .{name});
}

fn answer() void {
    _ = puts("ok");
    _ = fflush(null);
}

fn playThread() void {
    answer();
    const thread = std.Thread.spawn(.{}, play, .{}) catch @panic("no thread");
    thread.join();
}

fn playWords(words: []const [:0]u8) void {
    const is_repeated = std.mem.eql(u8, words[0], "repeat");
    const first: usize = if (is_repeated) 2 else 0;
    var arguments: Arguments = @splat(.{});

    for (words[first + 1 ..], 0..) |word, i|
        arguments[i] = argumentOf(word);
    if (std.mem.eql(u8, words[0], "thread")) {
        playThread();
    } else if (std.mem.eql(u8, words[0], "keep")) {
        registers[arguments[0].number] = last_result;
    } else {
        for (0..if (is_repeated) numberOf(words[1]) else 1) |_|
            perform(words[first], &arguments);
    }
    answer();
}

/// Executes lines until the input ends, or the line that ends this thread.
fn play() void {
    var line: [line_max]u8 = undefined;
    var words: [words_max][:0]u8 = undefined;

    while (fgets(&line, line_max, stdin)) |told| {
        var count: usize = 0;
        var begin: usize = 0;
        for (0..std.mem.len(told) + 1) |i| {
            if (line[i] != ' ' and line[i] != '\n' and line[i] != 0)
                continue;
            line[i] = 0;
            if (i > begin) {
                words[count] = line[begin..i :0];
                count += 1;
            }
            begin = i + 1;
        }
        if (count == 0 or std.mem.eql(u8, words[0], "end"))
            return;
        playWords(words[0..count]);
    }
}

pub fn main() u8 {
    if (!corotracer.attach())
        return 1;
    play();
    return 0;
}
