# SPDX-License-Identifier: MIT
"""The wheel: pyproject.toml, and the module of C. One wheel serves Python 3.10 and all later versions (abi3)."""
from setuptools import Extension, setup

setup(
    ext_modules=[Extension(
        "corotracer._probe",
        [f"probe/{name}.c" for name in ("greenlets", "module", "places", "probe_copy", "steps")],
        include_dirs=["../../include"],
        define_macros=[("_GNU_SOURCE", None)],
        extra_compile_args=["-std=gnu11", "-fvisibility=hidden"],
        extra_link_args=["-Wl,-z,nodelete"],
        py_limited_api=True,
    )],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
