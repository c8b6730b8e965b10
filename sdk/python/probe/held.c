/* SPDX-License-Identifier: MIT */
/*
 * Each look takes some waits that are due, and counts the references to what they wait for: how many there are at all,
 * and how many the frames of the waiting task itself have. If others are left, the frames of all other tasks are
 * counted, in one pass. What no frame explains is somewhere else, where anybody may find it: then nothing is said.
 * Whatever the count misses makes it more cautious.
 *
 * Counting may start a garbage collection, which may end tasks: so a look works on a list of its own.
 */
#include "held.h"

#include <time.h>

#include "corotracer/ctp_probe.h"

#define SECOND_NS UINT64_C(1000000000)
#define LEAST_AGE_NS SECOND_NS /* after which a wait is looked at first; then at twice the age */
#define BETWEEN_LOOKS_NS (SECOND_NS / 4)
#define SHARE_OF_TIME 100u /* a look takes at most one part in so many */
#define WAITS_MAX 16u      /* waits of one look */
#define TASKS_MAX 4096u    /* with more tasks, their frames are not counted */
#define AWAITS_MAX 256u

#define BY_NOBODY UINT64_C(0)
#define BY_OTHERS UINT64_C(1)

struct search {
	PyObject *subjects[WAITS_MAX];
	uint32_t found[WAITS_MAX];
	uint32_t count;
};

/* A wait that a look is about. */
struct looked {
	struct held_wait *wait;
	uint32_t nr_others; /* references from elsewhere than the task's own frames */
	uint32_t nr_found;  /* of these, from frames of other tasks */
	uint32_t nr_holders;
	uint64_t holder;
};

struct look {
	struct looked waits[WAITS_MAX];
	uint32_t count;
	uint32_t nr_tasks;
	struct held_wait *tasks[TASKS_MAX]; /* with a reference to each one's wrapper */
};

static struct held_wait all = {.before = &all, .behind = &all};
static struct look look;
static uint64_t next_ns;
static bool is_looking;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

/* The upper half has other meanings since Python 3.14. */
static uint32_t nr_references(PyObject *object)
{
	return (uint32_t)Py_REFCNT(object);
}

void held_join(struct held_wait *wait, PyObject *steps, PyObject *coroutine, uint64_t coro)
{
	*wait = (struct held_wait){.before = all.before,
		.behind = &all,
		.steps = steps,
		.coroutine = coroutine,
		.coro = coro};
	all.before->behind = wait;
	all.before = wait;
}

void held_leave(struct held_wait *wait)
{
	wait->before->behind = wait->behind;
	wait->behind->before = wait->before;
	wait->before = wait->behind = wait;
	held_end(wait);
}

void held_begin(struct held_wait *wait, PyObject *subject, bool is_future)
{
	held_end(wait);
	wait->count = nr_references(subject);
	wait->is_future = is_future;
	wait->age_ns = LEAST_AGE_NS;
	wait->due_ns = now_ns(CLOCK_MONOTONIC_COARSE) + LEAST_AGE_NS;
	wait->told = BY_OTHERS;
	Py_INCREF(subject);
	wait->subject = subject;
}

void held_end(struct held_wait *wait)
{
	Py_CLEAR(wait->subject);
}

/* ---------------------------------------------------------------- counting */

static int count_one(PyObject *object, void *argument)
{
	struct search *search = argument;
	uint32_t i;

	for (i = 0; i < search->count; i++)
		search->found[i] += object == search->subjects[i];
	return 0;
}

static void count_in(PyObject *object, struct search *search)
{
	traverseproc traverse = (traverseproc)PyType_GetSlot(Py_TYPE(object), Py_tp_traverse);

	if (traverse)
		traverse(object, count_one, search);
}

/* Returns the value of the first of these attributes that the object has; NULL: it has none. */
static PyObject *first_of(PyObject *object, const char *const *names)
{
	PyObject *value = NULL;

	for (; *names && !value; names++) {
		value = PyObject_GetAttrString(object, *names);
		PyErr_Clear();
	}
	return value;
}

/* Before Python 3.11, a coroutine has its variables in an object of their own. */
static void count_in_frame(PyObject *object, struct search *search)
{
	static const char *const names[] = {"cr_frame", "gi_frame", "ag_frame", NULL};
	static int has_objects = -1;
	PyObject *version = PySys_GetObject("hexversion"), *frame; /* borrowed */

	if (has_objects < 0)
		has_objects = version && PyLong_AsLong(version) < 0x030b0000;
	frame = has_objects ? first_of(object, names) : NULL;
	if (frame)
		count_in(frame, search);
	Py_XDECREF(frame);
}

/* Counts the references of a suspended task's frames, and of what it awaits at last. */
static void count_in_task(PyObject *coroutine, struct search *search)
{
	static const char *const names[] = {"cr_await", "gi_yieldfrom", "ag_await", NULL};
	PyObject *object = coroutine, *next;
	uint32_t depth;

	Py_INCREF(object);
	for (depth = 0; object && object != Py_None && depth < AWAITS_MAX; depth++) {
		count_in(object, search);
		count_in_frame(object, search);
		next = first_of(object, names);
		Py_DECREF(object);
		object = next;
	}
	Py_XDECREF(object);
}

/* ---------------------------------------------------------------- one look */

/* Adds a wait, if anybody else referred to what it waits for as it began: others are for ever. */
static void add(struct held_wait *wait)
{
	struct search search = {.subjects = {wait->subject}, .count = 1};
	uint32_t own;

	count_in_task(wait->coroutine, &search);
	own = search.found[0] + wait->is_future; /* the task itself refers to its future */
	if (wait->subject && wait->count > own)
		look.waits[look.count++] = (struct looked){
			.wait = wait, .nr_others = nr_references(wait->subject) - 1 - own};
}

static void add_due(uint64_t now)
{
	uint32_t i;

	look.count = 0;
	for (i = 0; i < look.nr_tasks && look.count < WAITS_MAX; i++) {
		struct held_wait *wait = look.tasks[i];

		if (!wait->subject || wait->due_ns > now)
			continue;
		wait->due_ns = now + wait->age_ns;
		wait->age_ns *= 2;
		add(wait);
	}
}

/* Returns whether there is room for all tasks. */
static bool take_tasks(void)
{
	struct held_wait *wait;

	look.nr_tasks = 0;
	for (wait = all.behind; wait != &all && look.nr_tasks < TASKS_MAX; wait = wait->behind) {
		Py_INCREF(wait->steps);
		look.tasks[look.nr_tasks++] = wait;
	}
	return wait == &all;
}

static void release_tasks(void)
{
	while (look.nr_tasks > 0)
		Py_DECREF(look.tasks[--look.nr_tasks]->steps);
}

/* Another task that waits for the same cannot end the wait either. */
static void note_holder(const struct held_wait *task, const struct search *search)
{
	uint32_t i;

	for (i = 0; i < look.count; i++) {
		struct looked *looked = &look.waits[i];

		if (!search->found[i] || looked->wait == task)
			continue;
		looked->nr_found += search->found[i];
		if (task->subject == search->subjects[i]) {
			looked->nr_found += 1 + task->is_future;
			continue;
		}
		looked->holder = task->coro;
		looked->nr_holders++;
	}
}

static void find_holders(void)
{
	struct search search;
	uint32_t i, k;

	for (i = 0; i < look.nr_tasks; i++) {
		search = (struct search){.count = look.count};
		for (k = 0; k < look.count; k++)
			search.subjects[k] = look.waits[k].wait->subject;
		count_in_task(look.tasks[i]->coroutine, &search);
		note_holder(look.tasks[i], &search);
	}
}

static bool has_others(void)
{
	uint32_t i;

	for (i = 0; i < look.count; i++)
		if (look.waits[i].nr_others)
			return true;
	return false;
}

/* A weak reference is not counted, and leads to the object all the same. */
static bool is_found_weakly(PyObject *object)
{
	PyObject *module = PyImport_ImportModule("weakref"), *count = NULL;
	bool is;

	if (module)
		count = PyObject_CallMethod(module, "getweakrefcount", "O", object);
	is = !count || PyLong_AsLong(count) != 0;
	PyErr_Clear();
	Py_XDECREF(count);
	Py_XDECREF(module);
	return is;
}

static uint64_t held_by(const struct looked *looked)
{
	if (looked->nr_others != looked->nr_found || looked->nr_holders > 1)
		return BY_OTHERS;
	if (is_found_weakly(looked->wait->subject))
		return BY_OTHERS;
	return looked->nr_holders ? CTP_HANDLE(CTP_RESOURCE_COROUTINE, looked->holder) : BY_NOBODY;
}

static void tell(const struct looked *looked)
{
	struct held_wait *wait = looked->wait;
	uint64_t by = wait->subject ? held_by(looked) : BY_OTHERS;

	if (!wait->subject || by == wait->told)
		return;
	wait->told = by;
	ctp_mark(wait->coro, CTP_MARK_HELD, by, 0);
}

void held_look(void)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC_COARSE), begin, took;
	bool has_room;
	uint32_t i;

	if (now < next_ns || is_looking)
		return;
	begin = now_ns(CLOCK_MONOTONIC);
	is_looking = true;
	has_room = take_tasks();
	add_due(now);
	if (has_room && has_others())
		find_holders();
	for (i = 0; i < look.count; i++)
		tell(&look.waits[i]);
	release_tasks();
	took = now_ns(CLOCK_MONOTONIC) - begin;
	next_ns = now + (took * SHARE_OF_TIME > BETWEEN_LOOKS_NS ? took * SHARE_OF_TIME
								 : BETWEEN_LOOKS_NS);
	is_looking = false;
}
