/* SPDX-License-Identifier: MIT */
/*
 * corotracer._probe: the C probe, for the package's Python files. Functions without state of their own are here; each
 * function does nothing while the program is not traced.
 */
#include "python.h"

#include <signal.h>

#include "corotracer/ctp_probe.h"
#include "greenlets.h"
#include "places.h"
#include "steps.h"

static PyObject *attach(PyObject *module, PyObject *nothing)
{
	(void)module;
	(void)nothing;
	return PyBool_FromLong(ctp_attach());
}

static PyObject *is_attached(PyObject *module, PyObject *nothing)
{
	(void)module;
	(void)nothing;
	return PyBool_FromLong(ctp_is_attached());
}

static PyObject *add_prefix(PyObject *prefix, int (*add)(PyObject *prefix))
{
	if (!PyUnicode_Check(prefix)) {
		PyErr_SetString(PyExc_TypeError, "a path is a str");
		return NULL;
	}
	if (add(prefix) < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *add_library(PyObject *module, PyObject *prefix)
{
	(void)module;
	return add_prefix(prefix, places_add_library);
}

static PyObject *add_installed(PyObject *module, PyObject *prefix)
{
	(void)module;
	return add_prefix(prefix, places_add_installed);
}

static PyObject *add_bottom(PyObject *module, PyObject *code)
{
	(void)module;
	places_add_bottom(code);
	Py_RETURN_NONE;
}

static PyObject *add_hidden(PyObject *module, PyObject *code)
{
	(void)module;
	places_add_hidden(code);
	Py_RETURN_NONE;
}

/* Makes the handle of a resource, from its kind, its object, and which of its two ends is meant. */
static int handle_from(PyObject *arguments, uint64_t *ret_handle, unsigned *ret_count)
{
	unsigned kind = 0, end = 0, count = 0;
	PyObject *object;

	if (!PyArg_ParseTuple(arguments, "IO|II", &kind, &object, &end, &count))
		return -1;
	*ret_handle = CTP_HANDLE(kind, (uintptr_t)object + end);
	*ret_count = count;
	return 0;
}

typedef void (*tell_function)(uint64_t coro, uint64_t handle, unsigned count, uint32_t site);

/* Records something about a resource, at the place of the calling code. */
static PyObject *tell(PyObject *arguments, tell_function function)
{
	uint64_t handle;
	unsigned count;

	if (handle_from(arguments, &handle, &count) < 0)
		return NULL;
	if (ctp_is_attached())
		function(ctp_current(), handle, count, places_here());
	Py_RETURN_NONE;
}

static void tell_acquire(uint64_t coro, uint64_t handle, unsigned count, uint32_t site)
{
	(void)count;
	ctp_acquire(coro, handle, site);
}

static void tell_release(uint64_t coro, uint64_t handle, unsigned count, uint32_t site)
{
	(void)count;
	ctp_release(coro, handle, site);
}

static PyObject *acquire(PyObject *module, PyObject *arguments)
{
	(void)module;
	return tell(arguments, tell_acquire);
}

static PyObject *release(PyObject *module, PyObject *arguments)
{
	(void)module;
	return tell(arguments, tell_release);
}

static PyObject *notify(PyObject *module, PyObject *arguments)
{
	(void)module;
	return tell(arguments, ctp_notify);
}

static PyObject *name_resource(PyObject *module, PyObject *arguments)
{
	PyObject *object, *name;
	unsigned kind;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "IOU", &kind, &object, &name))
		return NULL;
	site = places_name(name);
	if (site)
		ctp_name_resource(CTP_HANDLE(kind, (uintptr_t)object), site);
	Py_RETURN_NONE;
}

static PyObject *name_thread(PyObject *module, PyObject *name)
{
	uint32_t site;

	(void)module;
	site = PyUnicode_Check(name) ? places_name(name) : 0;
	if (site)
		ctp_name_thread(site);
	Py_RETURN_NONE;
}

/* Records the thread of the arguments (tid, name, frame) there, if it is wanted now. */
static PyObject *tell_thread_at(PyObject *arguments, bool is_wanted)
{
	unsigned long long tid;
	PyObject *name, *frame;
	uint32_t site;

	if (!PyArg_ParseTuple(arguments, "KUO", &tid, &name, &frame))
		return NULL;
	if (!is_wanted)
		Py_RETURN_NONE;
	site = places_name(name);
	if (site)
		ctp_mark(0, CTP_MARK_THREAD_NAME, tid, site);
	site = places_of_frame(frame);
	if (site)
		ctp_mark(0, CTP_MARK_THREAD_AT, tid, site);
	Py_RETURN_NONE;
}

static PyObject *thread_at(PyObject *module, PyObject *arguments)
{
	(void)module;
	return tell_thread_at(arguments, ctp_is_attached());
}

static PyObject *step_at(PyObject *module, PyObject *arguments)
{
	(void)module;
	return tell_thread_at(arguments, ctp_is_attached() && ctp_current());
}

static PyObject *came(PyObject *module, PyObject *number)
{
	unsigned long value = PyLong_AsUnsignedLong(number);

	(void)module;
	if (PyErr_Occurred())
		return NULL;
	if (ctp_is_attached())
		ctp_mark(0, CTP_MARK_SIGNAL, value, 0);
	Py_RETURN_NONE;
}

static PyObject *attachment(PyObject *module, PyObject *nothing)
{
	(void)module;
	(void)nothing;
	return PyLong_FromUnsignedLong(ctp_attachment());
}

static PyObject *park(PyObject *module, PyObject *arguments)
{
	PyObject *loop;
	double seconds = 0;
	uint64_t queue;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O|d", &loop, &seconds))
		return NULL;
	queue = CTP_HANDLE(CTP_RESOURCE_QUEUE, (uintptr_t)loop);
	if (seconds < 0)
		ctp_park_untimed(queue, 0);
	else if (seconds > 0)
		ctp_park_until(queue, 0, (uint64_t)(seconds * 1e9));
	else
		ctp_park(queue, 0);
	Py_RETURN_NONE;
}

static PyObject *unpark(PyObject *module, PyObject *loop)
{
	(void)module;
	ctp_unpark(CTP_HANDLE(CTP_RESOURCE_QUEUE, (uintptr_t)loop));
	Py_RETURN_NONE;
}

/* Collections of young objects take microseconds, and are frequent. */
#define LEAST_GENERATION 1

/*
 * The function for gc.callbacks: records the beginning or the end of a collection, on the thread that holds the
 * interpreter meanwhile.
 */
static PyObject *collected(PyObject *module, PyObject *arguments)
{
	static bool is_told;
	const char *phase;
	PyObject *information, *generation;
	bool begins;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "sO!", &phase, &PyDict_Type, &information))
		return NULL;
	begins = strcmp(phase, "start") == 0;
	generation = PyDict_GetItemString(information, "generation"); /* borrowed */
	if (begins && generation && PyLong_AsLong(generation) >= LEAST_GENERATION &&
		ctp_is_attached()) {
		ctp_range_begin(0, 0, CTP_RANGE_PAUSE, CTP_SITE("GC of Python"));
		is_told = true;
	} else if (!begins && is_told) {
		ctp_range_end(0, 0, CTP_RANGE_PAUSE);
		is_told = false;
	}
	Py_RETURN_NONE;
}

#define LAST_SIGNAL 64

/* The kernel is asked, because Python knows only its own handlers. */
static PyObject *handled_signals(PyObject *module, PyObject *none)
{
	unsigned long long handled = 0;
	struct sigaction action;
	int number;

	(void)module, (void)none;
	for (number = 1; number <= LAST_SIGNAL; number++)
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
			action.sa_handler != SIG_IGN)
			handled |= 1ULL << (number - 1);
	return PyLong_FromUnsignedLongLong(handled);
}

/* Recorded when the answer changes, and in each attachment. */
static PyObject *signals_end(PyObject *module, PyObject *answer)
{
	static int told_answer = -1;
	static uint32_t told_in;
	int is_so = PyObject_IsTrue(answer);
	uint32_t attachment = ctp_attachment();

	(void)module;
	if (is_so < 0)
		return NULL;
	if (attachment && (is_so != told_answer || attachment != told_in)) {
		told_answer = is_so;
		told_in = attachment;
		ctp_mark(0, CTP_MARK_SIGNALS_END, (uint64_t)is_so, 0);
	}
	Py_RETURN_NONE;
}

static PyObject *region(PyObject *module, PyObject *arguments)
{
	PyObject *name;
	int begins;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "Up", &name, &begins))
		return NULL;
	site = places_name(name);
	if (site && begins)
		ctp_region_begin(0, 0, site);
	else if (site)
		ctp_region_end(0, site);
	Py_RETURN_NONE;
}

static PyObject *log_text(PyObject *module, PyObject *arguments)
{
	PyObject *message;
	const char *text = "";
	Py_ssize_t nr_bytes = 0;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "U|s#", &message, &text, &nr_bytes))
		return NULL;
	site = places_name(message);
	if (site && nr_bytes)
		ctp_log_text(0, text, (size_t)nr_bytes, site);
	else if (site)
		ctp_log(0, site);
	Py_RETURN_NONE;
}

static PyObject *counter(PyObject *module, PyObject *arguments)
{
	PyObject *name;
	long long value;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "UL", &name, &value))
		return NULL;
	site = places_name(name);
	if (site)
		ctp_counter(value, site);
	Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
	{"attach", attach, METH_NOARGS, "attach(): True where an engine records from now on."},
	{"is_attached", is_attached, METH_NOARGS, "is_attached(): True while events are recorded."},
	{"add_library", add_library, METH_O,
		"add_library(prefix): files below it are of a library that schedules, and no "
		"places."},
	{"add_installed", add_installed, METH_O,
		"add_installed(prefix): files below it are installed: places where the program has "
		"none."},
	{"add_bottom", add_bottom, METH_O,
		"add_bottom(code): a loop's function: what called it has no part in what it runs."},
	{"add_hidden", add_hidden, METH_O,
		"add_hidden(code): a function by way of which a library calls this package: no "
		"place."},
	{"acquire", acquire, METH_VARARGS, "acquire(kind, object, end=0)"},
	{"release", release, METH_VARARGS, "release(kind, object, end=0)"},
	{"notify", notify, METH_VARARGS, "notify(kind, object, end, nr_woken)"},
	{"name_resource", name_resource, METH_VARARGS, "name_resource(kind, object, name)"},
	{"name_thread", name_thread, METH_O, "name_thread(name)"},
	{"thread_at", thread_at, METH_VARARGS,
		"thread_at(tid, name, frame): the thread of this kernel id, and where it is."},
	{"step_at", step_at, METH_VARARGS,
		"step_at(tid, name, frame): the same of this thread, if it runs a step."},
	{"came", came, METH_O, "came(number): this signal has come to this thread."},
	{"attachment", attachment, METH_NOARGS,
		"attachment(): the number of the present attachment; 0: nothing is recorded."},
	{"park", park, METH_VARARGS,
		"park(loop, until=0): the thread finds nothing to run; the time is the loop's. -1: "
		"it sets no timer, "
		"whatever time-out the call has that it sleeps in."},
	{"unpark", unpark, METH_O, "unpark(loop)"},
	{"collected", collected, METH_VARARGS, "collected(phase, information): for gc.callbacks."},
	{"handled_signals", handled_signals, METH_NOARGS,
		"handled_signals(): those that have a handler, signal 1 is bit 0."},
	{"signals_end", signals_end, METH_O,
		"signals_end(answer): the program's handlers of signals end it, and wake nobody."},
	{"region", region, METH_VARARGS, "region(name, begins)"},
	{"log", log_text, METH_VARARGS, "log(message, text='')"},
	{"counter", counter, METH_VARARGS, "counter(name, value)"},
	{NULL, NULL, 0, NULL},
};

static int add_numbers(PyObject *module)
{
#define X(name, number, text, meaning)                                       \
	if (PyModule_AddIntConstant(module, #name, CTP_RESOURCE_##name) < 0) \
		return -1;
#include "corotracer/def/resources.def"
#undef X
#define X(name, number, text, meaning)                                           \
	if (PyModule_AddIntConstant(module, "MARK_" #name, CTP_MARK_##name) < 0) \
		return -1;
#include "corotracer/def/marks.def"
#undef X
	return 0;
}

static int fill(PyObject *module)
{
	if (places_open() < 0 || add_numbers(module) < 0)
		return -1;
	return steps_add(module) < 0 ? -1 : greenlets_add(module);
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, fill},
	{0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_probe",
	.m_doc = "The probe of C, as functions of Python.",
	.m_methods = functions,
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__probe(void);
PyMODINIT_FUNC PyInit__probe(void)
{
	return PyModuleDef_Init(&definition);
}
