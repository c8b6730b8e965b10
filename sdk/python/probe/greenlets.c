/* SPDX-License-Identifier: MIT */
/*
 * The state of a greenlet is an attribute of the greenlet, and is freed with it: so the end of a greenlet that is
 * dropped while it waits is recorded, too. The functions that wait (greenlet_wait) leave what a greenlet waits for, for
 * the next switch.
 */
#include "greenlets.h"

#include <stdbool.h>

#include "corotracer/ctp_probe.h"
#include "places.h"

struct life {
	PyObject_HEAD uint64_t coro;
	bool has_run, is_over;
};

static PyTypeObject *life_type;
static PyObject *driver_type; /* type of greenlets that are not coroutines */
static PyObject *word_life, *word_frame, *word_dead, *word_parent;
static _Thread_local bool has_driver;
static _Thread_local uint64_t next_wait, next_deadline_ns;
/* who asked the driver for what it does now, and where: it wakes those to whom the driver switches; 0: nobody */
static _Thread_local uint64_t cause;
static _Thread_local uint32_t cause_site;

static void life_dealloc(PyObject *self)
{
	struct life *life = (struct life *)self;
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	if (!life->is_over && life->coro)
		ctp_destroy_at(life->coro, life->has_run ? CTP_LIFE_SUSPENDED : CTP_LIFE_UNSEEN,
			places_here());
	release(self);
	Py_DECREF(type);
}

static PyType_Slot life_slots[] = {
	{Py_tp_dealloc, life_dealloc},
	{0, NULL},
};

static PyType_Spec life_spec = {
	.name = "corotracer._probe.Life",
	.basicsize = sizeof(struct life),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = life_slots,
};

/* A thread's first greenlet drives the others, until there is one that does nothing else. */
static bool is_driver(PyObject *greenlet)
{
	bool is_of_type = driver_type && PyObject_IsInstance(greenlet, driver_type) == 1;
	PyObject *parent;
	bool is_first;

	has_driver = has_driver || is_of_type;
	if (has_driver)
		return is_of_type;
	parent = PyObject_GetAttr(greenlet, word_parent);
	is_first = parent == Py_None;
	Py_XDECREF(parent);
	return is_first;
}

static struct life *life_new(PyObject *greenlet, uint32_t site)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(life_type, Py_tp_alloc);
	struct life *life = (struct life *)allocate(life_type, 0);

	if (!life)
		return NULL;
	life->coro = ctp_coro_new();
	ctp_create(life->coro, (uintptr_t)life, site);
	if (PyObject_SetAttr(greenlet, word_life, (PyObject *)life) < 0)
		PyErr_Clear();
	Py_DECREF(life);
	return life;
}

/* The greenlet is no coroutine, and from here on this thread's first greenlet is one. */
static PyObject *greenlet_drives(PyObject *module, PyObject *greenlet)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(life_type, Py_tp_alloc);
	struct life *life = (struct life *)allocate(life_type, 0);
	int result;

	(void)module;
	if (!life)
		return NULL;
	life->is_over = true;
	has_driver = true;
	result = PyObject_SetAttr(greenlet, word_life, (PyObject *)life);
	Py_DECREF(life);
	if (result < 0)
		return NULL;
	Py_RETURN_NONE;
}

/* Does the greenlet only drive others, by its type or because it was declared so? */
static bool drives(PyObject *greenlet)
{
	PyObject *life;
	bool answer;

	if (is_driver(greenlet))
		return true;
	life = PyObject_GetAttr(greenlet, word_life);
	if (!life) {
		PyErr_Clear();
		return false;
	}
	answer = Py_TYPE(life) == life_type && !((struct life *)life)->coro;
	Py_DECREF(life);
	return answer;
}

/* Borrowed: the greenlet owns it. NULL: the greenlet is not a coroutine. */
static struct life *life_of(PyObject *greenlet, bool may_begin)
{
	PyObject *life;

	if (is_driver(greenlet))
		return NULL;
	life = PyObject_GetAttr(greenlet, word_life);
	if (life) {
		Py_DECREF(life);
		return Py_TYPE(life) == life_type ? (struct life *)life : NULL;
	}
	PyErr_Clear();
	return may_begin ? life_new(greenlet, places_here()) : NULL;
}

static bool is_dead(PyObject *greenlet)
{
	PyObject *dead = PyObject_GetAttr(greenlet, word_dead);
	bool answer = dead && PyObject_IsTrue(dead) == 1;

	Py_XDECREF(dead);
	return answer;
}

static uint32_t place_of(PyObject *greenlet)
{
	PyObject *frame = PyObject_GetAttr(greenlet, word_frame);
	uint32_t site = frame && frame != Py_None ? places_of_stack(frame) : 0;

	Py_XDECREF(frame);
	return site;
}

static void end(struct life *life)
{
	life->is_over = true;
	ctp_return(life->coro);
	ctp_destroy(life->coro, CTP_LIFE_DONE);
}

static void leave(PyObject *greenlet)
{
	struct life *life = life_of(greenlet, false);

	if (!life || life->is_over)
		return;
	if (is_dead(greenlet)) {
		end(life);
	} else if (next_deadline_ns) {
		ctp_suspend_until(life->coro, next_wait, place_of(greenlet), CTP_POINT_AWAIT,
			next_deadline_ns);
	} else {
		ctp_suspend(life->coro, next_wait, place_of(greenlet), CTP_POINT_AWAIT);
	}
}

static void wake(const struct life *life, uint64_t by, uint32_t site)
{
	ctp_wake(by, CTP_HANDLE(CTP_RESOURCE_COROUTINE, life->coro), site, CTP_OUTCOME_QUEUED);
}

static void enter(PyObject *greenlet, bool is_by_driver)
{
	struct life *life = life_of(greenlet, true);

	if (!life || life->is_over)
		return;
	if (is_by_driver && cause != life->coro)
		wake(life, cause, cause_site);
	ctp_resume(life->coro, life->has_run ? CTP_POINT_AWAIT : CTP_POINT_INITIAL);
	life->has_run = true;
}

/* The function for greenlet.settrace: (event, (origin, target)). */
static PyObject *greenlet_switched(PyObject *module, PyObject *arguments)
{
	PyObject *event, *origin, *target;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O(OO)", &event, &origin, &target))
		return NULL;
	if (ctp_is_attached()) {
		leave(origin);
		enter(target, cause && drives(origin));
		PyErr_Clear();
	}
	next_wait = next_deadline_ns = 0;
	Py_RETURN_NONE;
}

static PyObject *greenlet_wait(PyObject *module, PyObject *arguments)
{
	PyObject *object;
	unsigned kind, end = 0;
	double until = 0;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "IO|Id", &kind, &object, &end, &until))
		return NULL;
	next_wait = kind ? CTP_HANDLE(kind, (uintptr_t)object + end) : 0;
	next_deadline_ns = until > 0 && until < 1e9 ? (uint64_t)(until * 1e9) : 0;
	Py_RETURN_NONE;
}

static PyObject *greenlet_start(PyObject *module, PyObject *arguments)
{
	PyObject *greenlet, *name;
	struct life *life;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "OU", &greenlet, &name))
		return NULL;
	life = ctp_is_attached() ? life_of(greenlet, true) : NULL;
	site = life ? places_name(name) : 0;
	if (site)
		ctp_name_coro(life->coro, site);
	Py_RETURN_NONE;
}

/* The greenlet that runs here is a coroutine from now on, a thread's first one, too: something else drives it. */
static PyObject *greenlet_runs(PyObject *module, PyObject *greenlet)
{
	(void)module;
	has_driver = true;
	if (ctp_is_attached() && !drives(greenlet) && !life_of(greenlet, false))
		enter(greenlet, false);
	PyErr_Clear();
	Py_RETURN_NONE;
}

/* The program ends in this greenlet, which never dies if it is a thread's first one. */
static PyObject *greenlet_ends(PyObject *module, PyObject *greenlet)
{
	struct life *life = ctp_is_attached() ? life_of(greenlet, false) : NULL;

	(void)module;
	if (life && !life->is_over)
		end(life);
	Py_RETURN_NONE;
}

/* The greenlet was started here: what runs here is its parent. */
static PyObject *greenlet_begins(PyObject *module, PyObject *greenlet)
{
	(void)module;
	if (ctp_is_attached())
		life_of(greenlet, true);
	PyErr_Clear();
	Py_RETURN_NONE;
}

static PyObject *greenlet_woken(PyObject *module, PyObject *greenlet)
{
	struct life *life = ctp_is_attached() ? life_of(greenlet, false) : NULL;

	(void)module;
	if (life && !life->is_over)
		wake(life, ctp_current(), places_here());
	Py_RETURN_NONE;
}

/* Returns who asks for what is called later: the coroutine that runs, or on whose behalf the driver runs. */
static PyObject *greenlet_cause(PyObject *module, PyObject *nothing)
{
	uint64_t by = ctp_is_attached() ? ctp_current() : 0;

	(void)module;
	(void)nothing;
	if (by)
		return Py_BuildValue("(KI)", (unsigned long long)by, places_here());
	if (ctp_is_attached() && cause)
		return Py_BuildValue("(KI)", (unsigned long long)cause, cause_site);
	Py_RETURN_NONE;
}

/* greenlet_because(cause, function, *arguments): calls the function on behalf of who asked for it. */
static PyObject *greenlet_because(PyObject *module, PyObject *arguments)
{
	Py_ssize_t nr_arguments = PyTuple_Size(arguments);
	uint64_t cause_before = cause;
	uint32_t site_before = cause_site;
	PyObject *of_function, *result;
	unsigned long long by;
	unsigned site;

	(void)module;
	if (nr_arguments < 2) {
		PyErr_SetString(PyExc_TypeError, "a cause and a function are required");
		return NULL;
	}
	if (!PyArg_ParseTuple(PyTuple_GetItem(arguments, 0), "KI", &by, &site))
		return NULL;
	of_function = PyTuple_GetSlice(arguments, 2, nr_arguments);
	if (!of_function)
		return NULL;
	cause = by;
	cause_site = site;
	result = PyObject_CallObject(PyTuple_GetItem(arguments, 1), of_function);
	cause = cause_before;
	cause_site = site_before;
	Py_DECREF(of_function);
	return result;
}

static PyObject *set_driver_type(PyObject *module, PyObject *type)
{
	(void)module;
	Py_INCREF(type);
	Py_XDECREF(driver_type);
	driver_type = type;
	Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
	{"greenlet_switched", greenlet_switched, METH_VARARGS,
		"greenlet_switched(event, (origin, target)): for greenlet.settrace."},
	{"greenlet_wait", greenlet_wait, METH_VARARGS,
		"greenlet_wait(kind, object, end=0, until=0): what the next switch waits for; kind "
		"0: nothing."},
	{"greenlet_start", greenlet_start, METH_VARARGS,
		"greenlet_start(greenlet, name): it was made here."},
	{"greenlet_woken", greenlet_woken, METH_O,
		"greenlet_woken(greenlet): it will be switched to, by what runs here."},
	{"greenlet_runs", greenlet_runs, METH_O,
		"greenlet_runs(greenlet): it runs here, driven by another one."},
	{"greenlet_ends", greenlet_ends, METH_O,
		"greenlet_ends(greenlet): the program ends in it."},
	{"greenlet_begins", greenlet_begins, METH_O,
		"greenlet_begins(greenlet): what runs here has started it."},
	{"greenlet_cause", greenlet_cause, METH_NOARGS,
		"greenlet_cause(): who asks for what is called later; None: no greenlet."},
	{"greenlet_because", greenlet_because, METH_VARARGS,
		"greenlet_because(cause, function, *arguments): calls it on behalf of the cause."},
	{"greenlet_drives", greenlet_drives, METH_O,
		"greenlet_drives(greenlet): it only drives others."},
	{"set_driver_type", set_driver_type, METH_O,
		"set_driver_type(type): greenlets of it only drive others."},
	{NULL, NULL, 0, NULL},
};

int greenlets_add(PyObject *module)
{
	if (!life_type) {
		word_life = PyUnicode_InternFromString("_corotracer_life");
		word_frame = PyUnicode_InternFromString("gr_frame");
		word_dead = PyUnicode_InternFromString("dead");
		word_parent = PyUnicode_InternFromString("parent");
		life_type = (PyTypeObject *)PyType_FromSpec(&life_spec);
	}
	if (!word_life || !word_frame || !word_dead || !word_parent || !life_type)
		return -1;
	return PyModule_AddFunctions(module, functions);
}
