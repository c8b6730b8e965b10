# SPDX-License-Identifier: MIT
"""Changes a library when the program imports it, so that a program that does not use it need not load it."""
import importlib.abc
import importlib.machinery
import sys

_wanted = {}  # module's name -> what is called with the module


class Finder(importlib.abc.MetaPathFinder):
    """Finds a wanted module as ever, and calls for it once it is loaded."""

    def find_spec(self, name, path, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in _wanted else None
        if spec and spec.loader:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                _wanted[name](module)

            spec.loader.exec_module = exec_module
        return spec


def when_imported(name, call):
    """Calls call(module) at once if the module is loaded, and else after it was loaded."""
    if name in sys.modules:
        call(sys.modules[name])
        return
    if not _wanted:
        sys.meta_path.insert(0, Finder())
    _wanted[name] = call
