// SPDX-License-Identifier: MIT
//! For programs in Zig: the module `corotracer`, which is sdk/zig and the C probe, compiled with the program. Zig wants
//! this file at the root of a package, and the package is the whole project (build.zig.zon).
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const module = b.addModule("corotracer", .{
        .root_source_file = b.path("sdk/zig/src/corotracer.zig"),
        .target = target,
        .optimize = optimize,
        .link_libc = true,
    });

    module.addIncludePath(b.path("include"));
    for ([_][]const u8{ "sdk/c/probe.c", "sdk/c/functions.c" }) |path|
        module.addCSourceFile(.{
            .file = b.path(path),
            .flags = &.{ "-std=gnu11", "-D_GNU_SOURCE" },
        });

    const mail = b.addExecutable(.{
        .name = "mail",
        .root_module = b.createModule(.{
            .root_source_file = b.path("examples/zig/mail.zig"),
            .target = target,
            .optimize = optimize,
            .imports = &.{.{ .name = "corotracer", .module = module }},
        }),
    });
    b.step("example", "Build examples/zig/mail.zig").dependOn(&b.addInstallArtifact(mail, .{}).step);
}
