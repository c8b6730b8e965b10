// SPDX-License-Identifier: MIT
//! The module `corotracer`: Zig's side, and the C probe, which is compiled with it. The sources of that stand two folders
//! further up: the package is the project, whose root is this file's.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const module = b.addModule("corotracer", .{
        .root_source_file = b.path("src/corotracer.zig"),
        .target = target,
        .optimize = optimize,
        .link_libc = true,
    });

    module.addIncludePath(b.path("../../include"));
    for ([_][]const u8{ "../c/probe.c", "../c/functions.c" }) |path|
        module.addCSourceFile(.{
            .file = b.path(path),
            .flags = &.{ "-std=gnu11", "-D_GNU_SOURCE" },
        });

    const mail = b.addExecutable(.{
        .name = "mail",
        .root_module = b.createModule(.{
            .root_source_file = b.path("../../examples/zig/mail.zig"),
            .target = target,
            .optimize = optimize,
            .imports = &.{.{ .name = "corotracer", .module = module }},
        }),
    });
    b.step("example", "Build examples/zig/mail.zig").dependOn(&b.addInstallArtifact(mail, .{}).step);
}
