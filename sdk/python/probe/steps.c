/* SPDX-License-Identifier: MIT */
/*
 * What a step waits for is known to the libraries' functions inside of it, which are wrapped in Python: they store it
 * in the running step (wait_for, ends_at), and it is recorded when the step ends by a suspension. A thread-local
 * variable holds the running step; a step inside of another one, such as that of an eager task, restores the outer one.
 */
#include "steps.h"

#include <stdbool.h>
#include <string.h>

#include "corotracer/ctp_probe.h"
#include "places.h"
#include "step.h"

/* of the futures that a step waits for together, at most this many are recorded */
#define GATHERED 16

static PyTypeObject *steps_type;
static PyObject *task_type, *get_coro, *children_name;
_Thread_local struct steps *running;

static struct steps *as_steps(PyObject *object)
{
	return Py_TYPE(object) == steps_type ? (struct steps *)object : NULL;
}

PyObject *steps_unwrap(PyObject *object)
{
	struct steps *steps = as_steps(object);

	return steps ? steps->inner : NULL;
}

/* Returns the wrapper inside a task, borrowed: the task owns it. NULL: the task is not traced. */
static struct steps *steps_of_task(PyObject *task)
{
	PyObject *coroutine;
	struct steps *steps;

	if (as_steps(task))
		return as_steps(task);
	if (!task_type || PyObject_IsInstance(task, task_type) != 1) {
		PyErr_Clear();
		return NULL;
	}
	coroutine = PyObject_CallMethodObjArgs(task, get_coro, NULL);
	if (!coroutine) {
		PyErr_Clear();
		return NULL;
	}
	steps = Py_REFCNT(coroutine) > 1 ? as_steps(coroutine) : NULL;
	Py_DECREF(coroutine);
	return steps;
}

/* ---- One step ---- */

static enum ctp_point point_of(const struct steps *steps)
{
	if (steps->state == STATE_NEW)
		return CTP_POINT_INITIAL;
	return steps->state == STATE_YIELDED ? CTP_POINT_YIELD : CTP_POINT_AWAIT;
}

struct steps *steps_begin(struct steps *steps)
{
	struct steps *outer = running;

	ctp_resume(steps->coro, point_of(steps));
	if (steps->child) {
		ctp_await_done(steps->coro, steps->child);
		steps->child = 0;
	}
	while (steps->nr_gathered > 0)
		ctp_await_done(steps->coro, steps->gathered[--steps->nr_gathered]);
	steps->state = STATE_RUNNING;
	steps->is_cancelled = false;
	steps->ends_first = NULL;
	held_end(&steps->wait);
	running = steps;
	return outer;
}

/* Converts seconds on the loop's clock, which is CLOCK_MONOTONIC; 0: none. */
uint64_t steps_time(double seconds)
{
	return seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * 1e9) : 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a && (!b || a < b) ? a : b;
}

static bool is_done(PyObject *future)
{
	PyObject *done = PyObject_CallMethod(future, "done", NULL);
	bool is = done == Py_True;

	PyErr_Clear();
	Py_XDECREF(done);
	return is;
}

static void gather_one(struct steps *steps, PyObject *future, uint32_t site)
{
	struct steps *child = steps_of_task(future);

	if (!child || (!as_steps(future) && is_done(future)))
		return;
	steps->gathered[steps->nr_gathered++] = child->coro;
	ctp_await(steps->coro, child->coro, site);
}

/* `children`: a list of futures, tasks, or their wrappers. */
void steps_gather(struct steps *steps, PyObject *children, uint32_t site)
{
	PyObject *iterator, *one;

	if (children && PyList_Check(children) && !steps->gathered)
		steps->gathered = PyMem_Malloc(GATHERED * sizeof(*steps->gathered));
	iterator = children && PyList_Check(children) && steps->gathered
			   ? PyObject_GetIter(children)
			   : NULL;
	while (iterator && steps->nr_gathered < GATHERED && (one = PyIter_Next(iterator)) != NULL) {
		gather_one(steps, one, site);
		Py_DECREF(one);
	}
	Py_XDECREF(iterator);
	PyErr_Clear();
}

/* The future of asyncio.gather names the futures that it waits for. */
static void gather(struct steps *steps, PyObject *future, uint32_t site)
{
	PyObject *children = PyObject_GetAttr(future, children_name);

	PyErr_Clear();
	steps_gather(steps, children, site);
	Py_XDECREF(children);
}

/*
 * Returns the resource that a coroutine waits for when it awaits this future: another task, or an event that is set
 * once.
 */
static uint64_t resource_of(struct steps *steps, PyObject *future, uint32_t site)
{
	struct steps *child = steps_of_task(future);

	if (!child) {
		if (!steps->resource)
			gather(steps, future, site);
		return steps->resource ? steps->resource
				       : CTP_HANDLE(CTP_RESOURCE_EVENT, (uintptr_t)future);
	}
	steps->child = child->coro;
	ctp_await(steps->coro, child->coro, site);
	return CORO(child);
}

/* A task ends by itself, and a timer, too. */
static void begin_wait(struct steps *steps, PyObject *future, uint64_t deadline)
{
	uint64_t address = CTP_HANDLE_IDENTITY(steps->resource) & ~UINT64_C(1);

	if (steps->child || deadline)
		return;
	held_begin(&steps->wait, steps->resource ? (PyObject *)(uintptr_t)address : future,
		steps->resource == 0);
}

static void step_suspend(struct steps *steps, PyObject *future)
{
	uint32_t site = places_of_await(steps->inner, steps_unwrap);
	uint64_t resource, deadline = steps->limit_ns;

	if (future == Py_None) {
		steps->state = STATE_YIELDED;
		ctp_suspend(steps->coro, 0, site, CTP_POINT_YIELD);
		return;
	}
	steps->state = STATE_WAITING;
	if (!ctp_is_attached())
		return;
	if (future == steps->ends_first)
		deadline = earlier(deadline, steps->deadline_ns);
	resource = resource_of(steps, future, site);
	if (future == steps->ends_first && !steps->resource)
		resource = CTP_HANDLE(CTP_RESOURCE_TIMER, (uintptr_t)future);
	if (deadline)
		ctp_suspend_until(steps->coro, resource, site, CTP_POINT_AWAIT, deadline);
	else
		ctp_suspend(steps->coro, resource, site, CTP_POINT_AWAIT);
	begin_wait(steps, future, deadline);
	held_look();
}

static void step_end(struct steps *steps, struct steps *outer, PyObject *yielded)
{
	running = outer;
	if (yielded) {
		step_suspend(steps, yielded);
	} else {
		steps->state = STATE_DONE;
		steps_end(steps);
	}
	if (outer)
		ctp_current_enter(outer->coro);
}

static PySendResult steps_send(PyObject *self, PyObject *value, PyObject **result)
{
	struct steps *steps = (struct steps *)self;
	struct steps *outer = steps_begin(steps);
	PySendResult sent = PyIter_Send(steps->inner, value, result);

	step_end(steps, outer, sent == PYGEN_NEXT ? *result : NULL);
	return sent;
}

/* ---- The methods of a coroutine ---- */

static PyObject *stop_with(PyObject *value)
{
	PyObject *stop = PyObject_CallFunctionObjArgs(PyExc_StopIteration, value, NULL);

	if (stop)
		PyErr_SetObject(PyExc_StopIteration, stop);
	Py_XDECREF(stop);
	Py_DECREF(value);
	return NULL;
}

static PyObject *method_send(PyObject *self, PyObject *value)
{
	PyObject *result = NULL;

	return steps_send(self, value, &result) == PYGEN_RETURN ? stop_with(result) : result;
}

static PyObject *method_next(PyObject *self)
{
	return method_send(self, Py_None);
}

static PyObject *method_throw(PyObject *self, PyObject *arguments)
{
	struct steps *steps = (struct steps *)self;
	struct steps *outer;
	PyObject *method = PyObject_GetAttrString(steps->inner, "throw");
	PyObject *result;

	if (!method)
		return NULL;
	outer = steps_begin(steps);
	steps->is_cancelled =
		!steps->limit_ns && PyTuple_Check(arguments) && PyTuple_Size(arguments) > 0 &&
		steps_is_cancellation(PyTuple_GetItem(arguments, 0)) && steps_task_is_cancelled();
	result = PyObject_Call(method, arguments, NULL);
	step_end(steps, outer, result);
	Py_DECREF(method);
	return result;
}

void steps_wake(struct steps *steps)
{
	steps->state = STATE_READY;
	ctp_wake(ctp_current(), CORO(steps), places_here(), CTP_OUTCOME_QUEUED);
}

/* Records the end of a coroutine that did not come to its end, and that nothing will resume. */
static void steps_give_up(struct steps *steps)
{
	bool is_new = steps->state == STATE_NEW;

	if (steps->state == STATE_DONE)
		return;
	steps->state = STATE_DONE;
	if (steps->coro)
		ctp_destroy_at(
			steps->coro, is_new ? CTP_LIFE_UNSEEN : CTP_LIFE_SUSPENDED, places_here());
}

static PyObject *method_close(PyObject *self, PyObject *nothing)
{
	struct steps *steps = (struct steps *)self;
	PyObject *result = PyObject_CallMethod(steps->inner, "close", NULL);

	(void)nothing;
	if (result)
		steps_give_up(steps);
	return result;
}

static PyObject *method_self(PyObject *self)
{
	Py_INCREF(self);
	return self;
}

static PyObject *method_attribute(PyObject *self, PyObject *name)
{
	PyObject *value = PyObject_GenericGetAttr(self, name);

	if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
		return value;
	PyErr_Clear();
	return PyObject_GetAttr(((struct steps *)self)->inner, name);
}

/* ---- Life ---- */

static PyObject *steps_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
	allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct steps *steps;
	PyObject *inner;

	(void)named;
	if (!PyArg_ParseTuple(arguments, "O", &inner))
		return NULL;
	steps = (struct steps *)allocate(type, 0);
	if (!steps)
		return NULL;
	Py_INCREF(inner);
	steps->inner = inner;
	steps->coro = ctp_coro_new();
	held_join(&steps->wait, (PyObject *)steps, inner, steps->coro);
	if (ctp_is_attached())
		ctp_create(steps->coro, (uintptr_t)steps, places_here());
	return (PyObject *)steps;
}

static int steps_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(Py_TYPE(self));
	Py_VISIT(((struct steps *)self)->inner);
	Py_VISIT(((struct steps *)self)->wait.subject);
	return 0;
}

static int steps_clear(PyObject *self)
{
	held_leave(&((struct steps *)self)->wait);
	Py_CLEAR(((struct steps *)self)->inner);
	return 0;
}

static void steps_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	PyObject_GC_UnTrack(self);
	held_leave(&((struct steps *)self)->wait);
	steps_give_up((struct steps *)self);
	PyMem_Free(((struct steps *)self)->gathered);
	steps_clear(self);
	release(self);
	Py_DECREF(type);
}

static PyMethodDef steps_methods[] = {
	{"send", method_send, METH_O, "send(value): one step, as of a coroutine."},
	{"throw", method_throw, METH_VARARGS,
		"throw(exception): one step that begins with an exception."},
	{"close", method_close, METH_NOARGS, "close(): ends the coroutine where it waits."},
	{"begin", driven_begin, METH_NOARGS, "begin(): the coroutine's loop begins a step of it."},
	{"suspend", driven_suspend, METH_VARARGS,
		"suspend(until, group, children): the step has ended, by a wait that ends by the "
		"loop's clock at that time; 0: by none. children: a list of Steps whose ends, as "
		"those of a group, are waited for; group None: it is no such wait."},
	{"join", driven_join, METH_O,
		"join(children): those whose ends it waits for have become more by these Steps."},
	{"finish", driven_finish, METH_VARARGS,
		"finish(error=None): the coroutine has ended in this step, by the error."},
	{"ready", driven_ready, METH_NOARGS,
		"ready(): what runs on this thread puts the coroutine into its loop's queue; "
		"inside "
		"of its own step: that step ends by going to the end of the queue."},
	{NULL, NULL, 0, NULL},
};

static char steps_doc[] = "Steps(coroutine): the coroutine, in a wrapper that tells of its steps.";

static PyType_Slot steps_slots[] = {
	{Py_tp_doc, steps_doc},
	{Py_tp_new, steps_new},
	{Py_tp_dealloc, steps_dealloc},
	{Py_tp_traverse, steps_traverse},
	{Py_tp_clear, steps_clear},
	{Py_tp_getattro, method_attribute},
	{Py_tp_methods, steps_methods},
	{Py_tp_iter, method_self},
	{Py_tp_iternext, method_next},
	{Py_am_await, method_self},
	{Py_am_send, steps_send},
	{0, NULL},
};

static PyType_Spec steps_spec = {
	.name = "corotracer._probe.Steps",
	.basicsize = sizeof(struct steps),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = steps_slots,
};

/* ---- Calls from inside a step, and from outside ---- */

static uint64_t handle_of(int kind, PyObject *object, unsigned end)
{
	return CTP_HANDLE((unsigned)kind, (uintptr_t)object + end);
}

static PyObject *wait_for(PyObject *module, PyObject *arguments)
{
	uint64_t before = running ? running->resource : 0;
	PyObject *object;
	int kind, end = 0;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "iO|i", &kind, &object, &end))
		return NULL;
	if (running)
		running->resource = handle_of(kind, object, (unsigned)end);
	return PyLong_FromUnsignedLongLong(before);
}

static PyObject *has_waited(PyObject *module, PyObject *nothing)
{
	(void)module;
	(void)nothing;
	return PyBool_FromLong(running && running->has_waited);
}

static PyObject *wait_over(PyObject *module, PyObject *before)
{
	uint64_t handle = PyLong_AsUnsignedLongLong(before);

	(void)module;
	if (PyErr_Occurred())
		return NULL;
	if (running)
		running->resource = handle;
	Py_RETURN_NONE;
}

static PyObject *ends_at(PyObject *module, PyObject *arguments)
{
	PyObject *future;
	double seconds;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "Od", &future, &seconds))
		return NULL;
	if (running) {
		running->ends_first = future;
		running->deadline_ns = steps_time(seconds);
	}
	Py_RETURN_NONE;
}

static PyObject *limit(PyObject *module, PyObject *seconds)
{
	double before = running ? (double)running->limit_ns / 1e9 : 0, wanted;

	(void)module;
	wanted = PyFloat_AsDouble(seconds);
	if (PyErr_Occurred())
		return NULL;
	if (running)
		running->limit_ns = steps_time(wanted);
	return PyFloat_FromDouble(before);
}

static PyObject *woken(PyObject *module, PyObject *task)
{
	struct steps *steps = ctp_is_attached() ? steps_of_task(task) : NULL;

	(void)module;
	if (steps && steps->state == STATE_WAITING)
		steps_wake(steps);
	Py_RETURN_NONE;
}

static PyObject *name_task(PyObject *module, PyObject *arguments)
{
	PyObject *coroutine, *name;
	struct steps *steps;
	uint32_t site;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "OO", &coroutine, &name))
		return NULL;
	steps = as_steps(coroutine);
	site = steps && PyUnicode_Check(name) ? places_name(name) : 0;
	if (site)
		ctp_name_coro(steps->coro, site);
	Py_RETURN_NONE;
}

static PyObject *mark(PyObject *module, PyObject *arguments)
{
	PyObject *task;
	struct steps *steps = running;
	int kind;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "iO", &kind, &task))
		return NULL;
	if (task != Py_None)
		steps = steps_of_task(task);
	if (steps)
		ctp_mark(steps->coro, (enum ctp_mark)kind, 0, places_here());
	return PyBool_FromLong(steps != NULL);
}

static PyObject *set_task_type(PyObject *module, PyObject *type)
{
	(void)module;
	Py_INCREF(type);
	Py_XDECREF(task_type);
	task_type = type;
	Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
	{"wait_for", wait_for, METH_VARARGS,
		"wait_for(kind, object, end=0): what the step that runs waits for, if it suspends; "
		"returns what was set before."},
	{"has_waited", has_waited, METH_NOARGS,
		"has_waited(): did the running task wait before this step? Of tasks that their "
		"loop "
		"drives itself."},
	{"wait_over", wait_over, METH_O, "wait_over(before): sets that again."},
	{"ends_at", ends_at, METH_VARARGS,
		"ends_at(future, seconds): the loop's clock will end a wait for this future, begun "
		"in this step."},
	{"limit", limit, METH_O,
		"limit(seconds): the loop's clock will end any wait of this task; 0: no more. "
		"Returns what was set before."},
	{"woken", woken, METH_O,
		"woken(task): the task is put into its loop's queue, by what runs on this thread."},
	{"name_task", name_task, METH_VARARGS, "name_task(steps, name)"},
	{"mark", mark, METH_VARARGS,
		"mark(kind, task): of the running task where task is None. False: it is not "
		"traced."},
	{"set_task_type", set_task_type, METH_O, "set_task_type(type): what a task is."},
	{NULL, NULL, 0, NULL},
};

int steps_add(PyObject *module)
{
	if (steps_type)
		return PyModule_AddObjectRef(module, "Steps", (PyObject *)steps_type);
	get_coro = PyUnicode_InternFromString("get_coro");
	children_name = PyUnicode_InternFromString("_children");
	steps_type = (PyTypeObject *)PyType_FromSpec(&steps_spec);
	if (!get_coro || !children_name || !steps_type ||
		PyModule_AddFunctions(module, functions) < 0)
		return -1;
	return PyModule_AddObjectRef(module, "Steps", (PyObject *)steps_type);
}
