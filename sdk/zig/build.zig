// SPDX-License-Identifier: MIT
//! The module `corotracer`: the Zig part, and the C probe, which is compiled with it. The sources of the C probe lie
//! two folders further up, because the package is the whole project: the root of the package is this file's project.
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
