/* SPDX-License-Identifier: MIT */
/* The reader of asyncio (found.h, python_tasks.h). */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "frames/python_locals.h"
#include "frames/walk.h"
#include "say/say.h"

#define STEPS_CORO \
	40u /* where the probe's object has the number (struct steps, sdk/python/probe/step.h) */
#define WORD sizeof(uint64_t)
#define TASKS_MAX 100000000u
#define REFERENCES_MAX \
	UINT64_C(0x400000) /* the lowest address of a program; no task has as many references */

/* In each task, as in each future. */
#define TASK_LOOP 16
#define TASK_CALLBACK 24
#define TASK_CALLBACKS 40
#define TASK_EXCEPTION 48
#define TASK_READ_BYTES 176
#define COLLECTED_BYTES \
	16 /* in front of an object: the collector's list; not 0 if the object is in use */

struct found_reader {
	bool is_python;
	bool is_known; /* its version */
};

/* ---------------------------------------------------------------- tasks in memory */

static bool is_object(const struct python *python, uint64_t address)
{
	uint64_t type;
	uint32_t class;

	return image_read_word(python->image, address + WORD, &type) &&
	       map_get(&python->by_class, type, &class);
}

/* A task that is in use has references, is in a list of the collector, and has a loop, a coroutine and a name. */
static bool is_task(const struct python *python, const struct python_task *task)
{
	enum python_type name = python_type_of(python, task->name);

	return task->state <= PYTHON_FINISHED && (name == PYTHON_TEXT || name == PYTHON_NUMBER) &&
	       is_object(python, task->loop) && is_object(python, task->coroutine);
}

static bool read_task(const struct python *python, uint64_t address, struct python_task *task)
{
	const struct python_layout *layout = python->layout;
	uint8_t bytes[TASK_READ_BYTES];
	uint64_t references, collected;

	if (image_read(python->image, address, bytes, layout->task_bytes) != layout->task_bytes ||
		!image_read_word(python->image, address - COLLECTED_BYTES, &collected))
		return false;
	references = python_word(bytes, 0);
	task->address = address;
	memcpy(&task->state, bytes + layout->task_state, sizeof(task->state));
	task->exception = python_word(bytes, TASK_EXCEPTION);
	task->callback = python_word(bytes, TASK_CALLBACK);
	task->callbacks = python_word(bytes, TASK_CALLBACKS);
	task->waiter = python_word(bytes, layout->task_waiter);
	task->coroutine = python_word(bytes, layout->task_coroutine);
	task->name = python_word(bytes, layout->task_name);
	task->loop = python_word(bytes, TASK_LOOP);
	return references > 0 && references < REFERENCES_MAX && collected != 0 &&
	       is_task(python, task);
}

/* Most words are no types of tasks: their addresses say so. */
static void find_bounds(struct python_tasks *tasks)
{
	size_t i;

	tasks->lowest = UINT64_MAX;
	for (i = 0; i < tasks->python.classes.count; i++) {
		const struct python_class *class = &tasks->python.classes.at[i];

		if (class->type != PYTHON_TASK)
			continue;
		if (class->address < tasks->lowest)
			tasks->lowest = class->address;
		if (class->address > tasks->highest)
			tasks->highest = class->address;
	}
}

static bool look_for_tasks(
	struct python_tasks *tasks, const uint64_t *words, size_t count, uint64_t address)
{
	struct python *python = &tasks->python;
	struct python_task task;
	uint32_t class;
	size_t i;

	for (i = 1; i < count; i++) {
		if (words[i] < tasks->lowest || words[i] > tasks->highest || words[i - 1] == 0 ||
			words[i - 1] >= REFERENCES_MAX ||
			!map_get(&python->by_class, words[i], &class) ||
			python->classes.at[class].type != PYTHON_TASK ||
			tasks->tasks.count == TASKS_MAX)
			continue;
		if (read_task(python, address + (i - 1) * WORD, &task) &&
			!vec_push(&tasks->tasks, task))
			return false;
	}
	return true;
}

/* All memory is read once, for tasks and for the stacks of threads. */
static bool look_at_words(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct python_tasks *tasks = context;

	return is_stack || (look_for_tasks(tasks, words, count, address) &&
				   python_stacks_look(&tasks->python, words, count, address));
}

/* ---------------------------------------------------------------- places */

static uint64_t key_of(uint64_t code, uint64_t line, uint64_t stack)
{
	uint64_t words[] = {code, line, stack, 0x70}; /* the last one: no other reader's key */

	return hash_bytes(HASH_START, words, sizeof(words));
}

uint32_t python_place_at(
	struct python *python, uint64_t code_address, uint32_t line, uint32_t stack)
{
	const struct python_code *code = python_code_at(python, code_address);
	struct found_place place = {.reason = "", .line = line, .stack = stack};

	if (!code)
		return 0;
	place.function = code->name;
	place.file = code->file;
	if (!line)
		place.line = code->first_line;
	return found_place(python->found, key_of(code_address, line, stack), &place);
}

/* What is no coroutine of Python itself is told by its type's name. */
static uint32_t place_of_type(struct python *python, uint64_t object)
{
	struct found_place place = {.file = "", .reason = ""};
	char name[64];

	python_type_name(python, object, name, sizeof(name));
	place.function = found_text(python->found, name);
	return found_place(
		python->found, key_of(0, hash_bytes(HASH_START, name, strlen(name)), 0), &place);
}

/* How close the code is to who reads a report: a program's own is closest. */
static unsigned closeness(struct python *python, const struct python_call *call)
{
	const struct python_code *code = python_code_at(python, call->code);

	if (!code || python_is_of_asyncio(code->file))
		return 0;
	return say_is_installed(code->file) ? 1 : 2;
}

/* The innermost place of the closest code, with the whole row as its stack. */
static uint32_t place_of_chain(struct python *python, const struct python_chain *chain)
{
	const struct python_call *known = &chain->at[0];
	uint32_t i, stack = 0;

	for (i = 0; i < chain->count; i++) {
		stack = found_call(python->found,
			python_place_at(python, chain->at[i].code, chain->at[i].line, 0), stack);
		if (closeness(python, &chain->at[i]) >= closeness(python, known))
			known = &chain->at[i];
	}
	return python_place_at(python, known->code, known->line, chain->count > 1 ? stack : 0);
}

/* ---------------------------------------------------------------- one task */

/* A task that was given no name has a number, which its name is made of when somebody asks. */
static const char *name_of(struct python *python, uint64_t object)
{
	uint8_t bytes[PYTHON_INT_BYTES] = {0};
	int64_t number;
	char text[32];

	if (python_type_of(python, object) != PYTHON_NUMBER)
		return python_text(python, object);
	image_read(python->image, object, bytes, sizeof(bytes));
	if (!python_int_within(python, bytes, &number))
		return "";
	snprintf(text, sizeof(text), "Task-%lld", (long long)number);
	return found_text(python->found, text);
}

static bool is_done(const struct python *python, uint64_t future)
{
	enum python_type type = python_type_of(python, future);
	uint32_t state = PYTHON_PENDING;

	if (type != PYTHON_FUTURE && type != PYTHON_TASK)
		return false;
	image_read(python->image, future + python->layout->task_state, &state, sizeof(state));
	return state != PYTHON_PENDING;
}

static enum frame_state state_of(const struct python *python, const struct python_task *task,
	const struct python_chain *chain)
{
	if (task->state != PYTHON_PENDING || chain->has_ended)
		return FRAME_HAS_END;
	if (chain->runs)
		return FRAME_RUNS;
	if (chain->is_created)
		return FRAME_WAITS;
	return !task->waiter || is_done(python, task->waiter) ? FRAME_IS_READY : FRAME_WAITS;
}

static uint64_t content_of(const struct python_task *task, const struct python_chain *chain)
{
	uint64_t words[] = {task->state, task->waiter, task->coroutine};
	uint64_t hash = hash_bytes(HASH_START, words, sizeof(words));

	return hash_bytes(hash, chain->at, chain->count * sizeof(*chain->at));
}

static void set_wait(struct python *python, const struct python_task *task,
	const struct python_chain *chain, struct found_coroutine *coroutine)
{
	if (coroutine->is_initial) {
		coroutine->place = coroutine->function;
		return;
	}
	coroutine->place = chain->count ? place_of_chain(python, chain) : coroutine->function;
	if (python_type_of(python, task->waiter) == PYTHON_TASK)
		coroutine->awaited = task->waiter;
	else if (task->waiter)
		coroutine->object = python_chain_resource(python, chain, task->waiter);
}

/* The task, and the coroutines that it runs; what they hold besides is others', too. */
static uint64_t bytes_of(const struct python *python, const struct python_chain *chain)
{
	uint64_t bytes = python->layout->task_bytes;
	uint32_t i;

	for (i = 0; i < chain->count; i++)
		bytes += chain->at[i].bytes;
	return bytes;
}

static void note(struct found *found, uint64_t task, uint64_t address, bool is_knot)
{
	struct found_part part = {.coroutine = task, .address = address};

	if (is_knot ? !vec_push(&found->knots, part) : !vec_push(&found->parts, part))
		found->is_out_of_memory = true;
}

/*
 * The task and its coroutines are its own. The future that the task waits for wakes it, and what it has entered may end
 * the wait: a time-out does.
 */
static void note_parts(
	struct found *found, const struct python_task *task, const struct python_chain *chain)
{
	uint32_t i, j;

	note(found, task->address, task->address, false);
	note(found, task->address, task->waiter, true);
	for (i = 0; i < chain->count; i++) {
		note(found, task->address, chain->at[i].address, false);
		for (j = 0; j < chain->at[i].nr_entered; j++)
			note(found, task->address, chain->at[i].entered[j], true);
	}
}

/* What a generator has entered for it is not known. */
static enum found_knot knot_of(const struct python *python, const struct python_task *task,
	const struct python_chain *chain)
{
	char name[64];
	uint32_t i, j;

	for (i = 0; i < chain->count; i++)
		for (j = 0; j < chain->at[i].nr_entered; j++) {
			python_type_name(python, chain->at[i].entered[j], name, sizeof(name));
			if (strstr(name, "GeneratorContextManager"))
				return KNOT_UNKNOWN;
		}
	return task->waiter ? KNOT_OBJECT : KNOT_UNKNOWN;
}

static enum found_python_type kind_of(enum python_type type)
{
	switch (type) {
	case PYTHON_LIST:
		return FOUND_LIST;
	case PYTHON_DEQUE:
		return FOUND_DEQUE;
	case PYTHON_WEAK:
		return FOUND_WEAK;
	case PYTHON_COROUTINE:
	case PYTHON_GENERATOR:
	case PYTHON_ASYNC_GENERATOR:
		return FOUND_COROUTINE;
	default:
		return FOUND_OTHER;
	}
}

static bool note_types(const struct python *python)
{
	struct found_python *noted = &python->found->python;
	size_t i;

	noted->state = python->layout->frame_state;
	noted->frame = python->layout->frame;
	noted->height = python->layout->height;
	noted->has_address = python->layout->height_form == PYTHON_HEIGHT_ADDRESS;
	noted->locals = python->layout->locals;
	for (i = 0; i < python->classes.count; i++)
		if (!map_put(&noted->types, python->classes.at[i].address,
			    kind_of(python->classes.at[i].type)))
			return false;
	return true;
}

/* The probe of this project puts a coroutine into an object of its own, which has the number that the probe gave it. */
static uint64_t identity_of(const struct python *python, uint64_t coroutine)
{
	uint64_t identity = 0;

	if (python_type_of(python, coroutine) == PYTHON_STEPS)
		image_read_word(python->image, coroutine + STEPS_CORO, &identity);
	return identity;
}

static bool take_task(struct python_tasks *tasks, uint32_t at)
{
	struct python *python = &tasks->python;
	const struct python_task *task = &tasks->tasks.at[at];
	struct found_coroutine coroutine = {.address = task->address, .thread = FOUND_NO_THREAD};
	struct python_chain chain;

	python_chain_read(python, task->coroutine, &chain);
	coroutine.identity = identity_of(python, task->coroutine);
	coroutine.bytes = bytes_of(python, &chain);
	coroutine.knot = knot_of(python, task, &chain);
	coroutine.name = name_of(python, task->name);
	coroutine.state = state_of(python, task, &chain);
	coroutine.is_initial = chain.is_created;
	coroutine.has_failed = task->state == PYTHON_CANCELLED || task->exception != 0;
	coroutine.content = content_of(task, &chain);
	coroutine.function = chain.count ? python_place_at(python, chain.at[0].code, 0, 0)
					 : place_of_type(python, task->coroutine);
	coroutine.is_here = coroutine.state == FRAME_RUNS;
	if (coroutine.state != FRAME_HAS_END)
		set_wait(python, task, &chain, &coroutine);
	if (coroutine.state == FRAME_WAITS && python->found->coroutines.count < FOUND_TOLD)
		coroutine.variables = python_locals_say(python, &chain);
	found_coroutine(python->found, &coroutine);
	note_parts(python->found, task, &chain);
	return python_waits_note(tasks, at, &chain) && python_holds_note(tasks, at, &chain) &&
	       !python->is_out_of_memory && !python->found->is_out_of_memory;
}

/* ---------------------------------------------------------------- the reader */

static enum ct_status open_reader(struct image *image, const struct modules *modules,
	struct found_reader **ret_reader, struct ct_error *reterr)
{
	(void)image, (void)modules;
	*ret_reader = calloc(1, sizeof(**ret_reader));
	return *ret_reader ? CT_OK : ct_fail_memory(reterr);
}

static bool has_pending(const struct python_tasks *tasks)
{
	size_t i;

	for (i = 0; i < tasks->tasks.count; i++)
		if (tasks->tasks.at[i].state == PYTHON_PENDING)
			return true;
	return false;
}

/* Tasks of another loop may go on while the thread of one sleeps. */
static void note_blocking(struct python_tasks *tasks)
{
	struct found *found = tasks->python.found;
	const struct python_task *first = NULL;
	size_t i;

	for (i = 0; i < tasks->tasks.count; i++) {
		const struct python_task *task = &tasks->tasks.at[i];

		if (task->state != PYTHON_PENDING)
			continue;
		if (first && first->loop != task->loop)
			return;
		first = task;
	}
	for (i = tasks->first; i < found->coroutines.count; i++)
		found->coroutines.at[i].is_blocking = found->coroutines.at[i].state == FRAME_RUNS;
}

static bool take_tasks(struct python_tasks *tasks)
{
	struct walk walk = {.take = look_at_words, .context = tasks};
	uint32_t i;

	find_bounds(tasks);
	if (!note_types(&tasks->python) || !walk_memory(&walk, tasks->python.image))
		return false;
	tasks->first = tasks->python.found->coroutines.count;
	for (i = 0; i < tasks->tasks.count; i++)
		if (!take_task(tasks, i))
			return false;
	if (!has_pending(tasks))
		python_stacks_tell(&tasks->python);
	note_blocking(tasks);
	python_waits_link(tasks);
	return python_holds_link(tasks) && python_threads_find(tasks);
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	struct python_tasks tasks = {.python = {.image = image, .found = found}};
	bool is_well = true;

	reader->is_python = python_types_find(&tasks.python);
	reader->is_known = tasks.python.layout != NULL;
	if (reader->is_python && reader->is_known)
		is_well = take_tasks(&tasks);
	is_well = is_well && !tasks.python.is_out_of_memory;
	vec_fini(&tasks.tasks);
	map_fini(&tasks.awaiting);
	map_fini(&tasks.locks);
	vec_fini(&tasks.entries);
	vec_fini(&tasks.inner);
	python_fini(&tasks.python);
	return is_well ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status why_not(const struct found_reader *reader, char *words, size_t nr_bytes)
{
	if (!reader->is_python)
		return CT_OK;
	snprintf(words, nr_bytes, "%s",
		reader->is_known
			? "the program runs Python, and no task of asyncio is alive"
			: "the program runs a Python whose tasks cannot be read: only those of "
			  "3.11 to 3.14 can, without free threads");
	return reader->is_known ? CT_ERR_NOT_FOUND : CT_ERR_FORMAT;
}

static void close_reader(struct found_reader *reader)
{
	free(reader);
}

const struct found_reader_ops found_python = {open_reader, look, why_not, close_reader};
