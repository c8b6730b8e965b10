/* SPDX-License-Identifier: MIT */
/* How a coroutine came to its end. */
#include <stdbool.h>

#include "corotracer/ctp_probe.h"
#include "places.h"
#include "step.h"

/* Such classes are no Exceptions: that of concurrent.futures, which is one, is of something else. */
bool steps_is_cancellation(PyObject *error)
{
	static const char *const names[] = {"CancelledError", "Cancelled", "GeneratorExit"};
	PyObject *kind = PyExceptionInstance_Check(error) ? (PyObject *)Py_TYPE(error) : error;
	PyObject *name = PyObject_GetAttrString(kind, "__name__");
	bool is = false;
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		is = is || PyUnicode_CompareWithASCIIString(name, names[i]) == 0;
	is = is && PyObject_IsSubclass(kind, PyExc_Exception) == 0;
	Py_XDECREF(name);
	PyErr_Clear();
	return is;
}

/* A task whose awaited task or future was cancelled gets the same exception, and nobody cancels it. */
bool steps_task_is_cancelled(void)
{
	PyObject *module = PyImport_ImportModule("asyncio");
	PyObject *task = module ? PyObject_CallMethod(module, "current_task", NULL) : NULL;
	PyObject *count = task ? PyObject_CallMethod(task, "cancelling", NULL) : NULL;
	bool is = count && PyLong_Check(count) && PyLong_AsLong(count) > 0;

	Py_XDECREF(count);
	Py_XDECREF(task);
	Py_XDECREF(module);
	PyErr_Clear();
	return is;
}

static bool ends_by_cancellation(void)
{
	PyObject *type, *value, *traceback;
	bool is;

	PyErr_Fetch(&type, &value, &traceback);
	is = steps_is_cancellation(type);
	PyErr_Restore(type, value, traceback);
	return is;
}

/*
 * Records the end: by an exception, by a cancellation, or by a return, which raises StopIteration if the step was a
 * throw. A coroutine that is cancelled may also catch that, and return.
 */
void steps_end(struct steps *steps)
{
	bool has_error = PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_StopIteration);

	if (has_error && PyErr_ExceptionMatches(PyExc_Exception))
		ctp_return_failed(steps->coro, places_of_error());
	else if (has_error ? ends_by_cancellation() : steps->is_cancelled)
		ctp_return_cancelled(steps->coro, 0);
	else
		ctp_return(steps->coro);
	ctp_destroy(steps->coro, CTP_LIFE_DONE);
}
