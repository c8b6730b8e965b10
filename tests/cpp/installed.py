#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that the installed probes and library build programs: by pkg-config, and by CMake if CMake is installed.

usage: installed.py BUILD_FOLDER COMPILER

Installs the development files into a folder of its own, and builds one program against these files only.
"""
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <coroTracer.h>
struct task {
	struct promise_type : corotracer::PromiseMixin {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
static task body() { co_await std::suspend_never{}; }
int main() { body(); return corotracer::InitTracer() ? 1 : 0; }
"""
# The part of the probe that lies in its library, and the library of ct.h.
PLAIN = """
#include <corotracer/ct.h>
#include <corotracer/ctp_probe.h>
int main(void) { ctp_attach(); return ct_version()[0] ? 0 : 1; }
"""
CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
find_package(corotracer-cpp REQUIRED)
find_package(corotracer 0.1 REQUIRED COMPONENTS cpp probe corotracer)
find_package(corotracer QUIET COMPONENTS nonsense)
if(corotracer_FOUND)
  message(FATAL_ERROR "a part that does not exist was found")
endif()
add_executable(user user.cpp)
target_link_libraries(user corotracer::cpp)
add_executable(plain plain.c)
target_link_libraries(plain corotracer::probe corotracer::corotracer)
"""


def run(command, **options):
    """Runs a command; shows its output and ends the test if the command fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        print(" ".join(command) + "\n" + result.stdout + result.stderr, file=sys.stderr)
        sys.exit(1)
    return result.stdout


def find(folder, name):
    """The folder below `folder` that holds a file of this name."""
    for path, _, files in os.walk(folder):
        if name in files:
            return path
    print("not installed: " + name, file=sys.stderr)
    sys.exit(1)


def write(path, text):
    """Makes a file with this content."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def by_pkg_config(compiler, root, work):
    """Compiles with the flags that the .pc file gives."""
    environment = dict(os.environ, PKG_CONFIG_LIBDIR=find(root, "corotracer-cpp.pc"),
                       PKG_CONFIG_SYSROOT_DIR=root)
    flags = run(["pkg-config", "--cflags", "--libs", "corotracer-cpp"], env=environment).split()
    program = os.path.join(work, "by-pkg-config")
    run([compiler, "-std=c++20", os.path.join(work, "user.cpp"), *flags, "-o", program])
    run([program])


def by_cmake(compiler, root, work):
    """Configures and builds a CMake project that finds the package."""
    folders = [f"-D{name}_DIR={find(root, name + '-config.cmake')}" for name in ("corotracer", "corotracer-cpp")]
    write(os.path.join(work, "plain.c"), PLAIN)
    write(os.path.join(work, "CMakeLists.txt"), CMAKE)
    build = os.path.join(work, "build")
    run(["cmake", "-S", work, "-B", build, *folders, "-DCMAKE_CXX_COMPILER=" + compiler])
    run(["cmake", "--build", build])
    for program in ("user", "plain"):
        run([os.path.join(build, program)])


def main():
    build, compiler = sys.argv[1:]
    if not shutil.which("pkg-config"):
        print("skipped: no pkg-config", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as work:
        run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "devel,runtime",
             "--destdir", root])
        write(os.path.join(work, "user.cpp"), PROGRAM)
        by_pkg_config(compiler, root, work)
        if shutil.which("cmake"):
            by_cmake(compiler, root, work)
        else:
            print("no cmake: its package file was not tried", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
