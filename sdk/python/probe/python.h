/* SPDX-License-Identifier: MIT */
/* Python, by its stable interface of version 3.10: one built module serves that version and all later versions. */
#ifndef COROTRACER_PYTHON_H
#define COROTRACER_PYTHON_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030a0000
#endif
#include <Python.h>

#endif
