# SPDX-License-Identifier: MIT
"""The probes for C and C++. The program that records and reports is installed otherwise (docs/packages.md)."""
from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get, rmdir
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain

required_conan_version = ">=2.0"


class Corotracer(ConanFile):
    name = "corotracer"
    version = "@VERSION@"
    description = "Tells corotracer, an out-of-process tracer, what the coroutines of a program in C or C++ do"
    license = "MIT"
    topics = ("coroutines", "debugging", "tracing")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def layout(self):
        basic_layout(self, src_folder="src")

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("corotracer needs Linux on x86-64 or aarch64")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options["engine"] = "disabled"
        toolchain.generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        Meson(self).install()
        for folder in ("cmake", "pkgconfig"):  # Conan writes its own
            rmdir(self, f"{self.package_folder}/lib/{folder}")

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "corotracer")
        self.cpp_info.components["cpp"].libdirs = []
        self.cpp_info.components["cpp"].system_libs = ["pthread"]
        # Threads that end call into the probe.
        self.cpp_info.components["cpp"].sharedlinkflags = ["-Wl,-z,nodelete"]
        self.cpp_info.components["cpp"].set_property("pkg_config_name", "corotracer-cpp")
        self.cpp_info.components["probe"].libs = ["corotracer-probe"]
        self.cpp_info.components["probe"].system_libs = ["pthread"]
        self.cpp_info.components["probe"].sharedlinkflags = ["-Wl,-z,nodelete"]
        self.cpp_info.components["probe"].set_property("pkg_config_name", "corotracer-probe")
