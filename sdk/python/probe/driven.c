/* SPDX-License-Identifier: MIT */
/* A coroutine that its loop drives itself, as trio does: the wrapper lies beside it, and the loop reports the steps. */
#include "step.h"

#include "places.h"

PyObject *driven_begin(PyObject *self, PyObject *nothing)
{
	struct steps *steps = (struct steps *)self;

	(void)nothing;
	if (running == steps)
		Py_RETURN_NONE;
	Py_INCREF(self); /* for `running`; the loop may fail, so that the step never ends */
	steps->has_waited = steps->state == STATE_WAITING || steps->state == STATE_READY;
	steps->outer = steps_begin(steps);
	Py_RETURN_NONE;
}

/* False: no step of it runs on this thread. */
static bool leave_step(struct steps *steps)
{
	if (running != steps)
		return false;
	running = steps->outer;
	steps->outer = NULL;
	Py_DECREF((PyObject *)steps); /* the caller has a reference of its own */
	return true;
}

static void resume_outer(void)
{
	if (running)
		ctp_current_enter(running->coro);
}

/* A wait for one task is a wait for that task; a wait for several is one for what holds them together. */
static uint64_t joined(struct steps *steps, PyObject *group, PyObject *children, uint32_t site)
{
	if (steps->resource || group == Py_None)
		return steps->resource;
	steps_gather(steps, children, site);
	if (steps->nr_gathered == 1)
		return CTP_HANDLE(CTP_RESOURCE_COROUTINE, steps->gathered[0]);
	return CTP_HANDLE(CTP_RESOURCE_EVENT, (uintptr_t)group);
}

static void suspend_until(struct steps *steps, PyObject *group, PyObject *children, double until)
{
	uint32_t site = places_of_await(steps->inner, steps_unwrap);
	uint64_t resource;

	if (steps->state == STATE_READY) {
		steps->state = STATE_YIELDED;
		ctp_suspend(steps->coro, 0, site, CTP_POINT_YIELD);
		return;
	}
	steps->state = STATE_WAITING;
	resource = joined(steps, group, children, site);
	if (until > 0 && !resource)
		resource = CTP_HANDLE(CTP_RESOURCE_TIMER, (uintptr_t)steps);
	if (until > 0)
		ctp_suspend_until(steps->coro, resource, site, CTP_POINT_AWAIT, steps_time(until));
	else
		ctp_suspend(steps->coro, resource, site, CTP_POINT_AWAIT);
}

PyObject *driven_suspend(PyObject *self, PyObject *arguments)
{
	struct steps *steps = (struct steps *)self;
	PyObject *group, *children;
	double until;

	if (!PyArg_ParseTuple(arguments, "dOO", &until, &group, &children))
		return NULL;
	if (!leave_step(steps))
		Py_RETURN_NONE;
	if (ctp_is_attached())
		suspend_until(steps, group, children, until);
	else
		steps->state = STATE_WAITING;
	resume_outer();
	Py_RETURN_NONE;
}

PyObject *driven_join(PyObject *self, PyObject *children)
{
	struct steps *steps = (struct steps *)self;

	if (steps->state == STATE_WAITING && steps->nr_gathered && ctp_is_attached())
		steps_gather(steps, children, places_of_await(steps->inner, steps_unwrap));
	Py_RETURN_NONE;
}

/* Makes the error the present one, as long as the end is recorded. */
static void raise_again(PyObject *error)
{
	PyObject *type = (PyObject *)Py_TYPE(error);

	Py_INCREF(type);
	Py_INCREF(error);
	PyErr_Restore(type, error, PyException_GetTraceback(error));
}

PyObject *driven_finish(PyObject *self, PyObject *arguments)
{
	struct steps *steps = (struct steps *)self;
	PyObject *error = Py_None;

	if (!PyArg_ParseTuple(arguments, "|O", &error))
		return NULL;
	if (!leave_step(steps))
		Py_RETURN_NONE;
	steps->state = STATE_DONE;
	if (PyExceptionInstance_Check(error))
		raise_again(error);
	steps_end(steps);
	PyErr_Clear();
	resume_outer();
	Py_RETURN_NONE;
}

PyObject *driven_ready(PyObject *self, PyObject *nothing)
{
	struct steps *steps = (struct steps *)self;

	(void)nothing;
	if (steps->state == STATE_WAITING)
		steps_wake(steps);
	else if (steps->state == STATE_RUNNING)
		steps->state = STATE_READY;
	Py_RETURN_NONE;
}
