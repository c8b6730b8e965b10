/* SPDX-License-Identifier: MIT */
/* The reader of Rust's tasks (found.h, rust_tasks.h). */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "frames/heap.h"
#include "frames/rust_awaited.h"
#include "frames/rust_boxes.h"
#include "frames/rust_tasks.h"
#include "frames/walk.h"

#define WORD sizeof(uint64_t)

#define REFERENCES_MAX (UINT64_C(1) << 20)
#define OFFSET_MAX (UINT64_C(1) << 20) /* of a future in its task */
#define STACK_WORDS 2048u
#define OWNERS_MAX (UINT64_C(1) << 20)

struct found_reader {
	const struct modules *modules;
	struct rust_kinds kinds;
	struct rust_boxes boxes; /* only of a program without tasks of these kinds */
};

/* The state word of a task: bits, and the number of references. */
struct state_word {
	uint64_t running;
	uint64_t ended;
	uint64_t ready;
	uint64_t handle; /* who spawned the task has a handle of it, which is no reference */
	unsigned shift;
};

static const struct state_word state_words[RUST_RUNTIMES] = {
	[RUST_TOKIO] = {.running = 1, .ended = 2, .ready = 4, .shift = 6},
	[RUST_ASYNC_TASK] = {.running = 2, .ended = 4 | 8, .ready = 1, .handle = 16, .shift = 8},
};

struct rust_task {
	uint64_t address;
	uint32_t kind;
	uint64_t state;
};

struct rust_tasks {
	const struct rust_kinds *kinds;
	const struct modules *modules;
	struct image *image;
	VEC(struct rust_task) tasks; /* by address */
	uint64_t nr_freed;
	struct rust_objects objects;
};

/* ---------------------------------------------------------------- tasks in memory */

/* Lists of tasks are numbered from 1 on, in the order of their making. */
static bool is_list(uint64_t owner)
{
	return owner != 0 && owner <= OWNERS_MAX;
}

/*
 * A task of tokio is in a list: copies that its making leaves on a stack are not, until others write over them. Which
 * stack a thread has that runs is not known.
 */
static bool is_in_list(
	const struct image *image, const struct rust_kind *kind, const struct rust_task *task)
{
	uint64_t owner;

	return kind->runtime != RUST_TOKIO ||
	       (image_read_word(image, task->address + kind->owner, &owner) && is_list(owner));
}

/* A task has references, or somebody has its handle. */
static bool is_task(const struct image *image, const struct rust_kind *kind, struct rust_task *task)
{
	const struct state_word *word = &state_words[kind->runtime];
	uint64_t references;

	if (task->address % kind->alignment != 0 ||
		!image_read_word(image, task->address + kind->state, &task->state) ||
		!is_in_list(image, kind, task))
		return false;
	references = task->state >> word->shift;
	return references <= REFERENCES_MAX && (references > 0 || task->state & word->handle);
}

static bool look_for_tasks(
	void *context, const uint64_t *words, size_t count, uint64_t address, bool is_stack)
{
	struct rust_tasks *tasks = context;
	const struct rust_kinds *kinds = tasks->kinds;
	struct rust_task task;
	size_t i;

	for (i = 0; i < count && !is_stack; i++) {
		const struct rust_kind *kind;

		if (words[i] < kinds->lowest || words[i] > kinds->highest ||
			!map_get(&kinds->by_table, words[i], &task.kind))
			continue;
		kind = &kinds->kinds.at[task.kind];
		task.address = address + i * WORD - kind->vtable;
		if (is_task(tasks->image, kind, &task) && !vec_push(&tasks->tasks, task))
			return false;
	}
	return true;
}

static bool leave_out_freed(struct rust_tasks *tasks)
{
	size_t count = tasks->tasks.count, kept = 0, i;
	uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	bool *is_free = calloc(count + 1, sizeof(*is_free));
	bool is_there = addresses && is_free;

	for (i = 0; is_there && i < count; i++)
		addresses[i] = tasks->tasks.at[i].address;
	if (is_there)
		heap_find_free(tasks->image, addresses, count, is_free);
	for (i = 0; is_there && i < count; i++) {
		tasks->nr_freed += is_free[i];
		if (!is_free[i])
			tasks->tasks.at[kept++] = tasks->tasks.at[i];
	}
	if (is_there)
		tasks->tasks.count = kept;
	free(addresses);
	free(is_free);
	return is_there;
}

/* ---------------------------------------------------------------- one task */

/* The future is in the stage that is called "Running" until the task is over. */
static bool find_in_cell(const struct image *image, const struct rust_kind *kind, uint64_t address,
	struct rust_value *ret_future)
{
	struct rust_value value = {.type = kind->task, .address = address};
	struct rust_variant stage;

	if (!rust_member(&value, "core", &value) || !rust_member(&value, "stage", &value))
		return false;
	while (!rust_variant_now(image, &value, &stage))
		if (!rust_only_member(&value, &value))
			return false;
	return strcmp(stage.name, "Running") == 0 && rust_member(&stage.value, "__0", ret_future);
}

/* The table leads to what says where the future is. */
static bool find_by_table(const struct image *image, const struct rust_kind *kind, uint64_t address,
	struct rust_value *ret_future)
{
	uint64_t layout, offset;

	if (!image_read_word(image, kind->table + kind->layout, &layout) ||
		!image_read_word(image, layout + kind->offset, &offset) || offset > OFFSET_MAX)
		return false;
	*ret_future = (struct rust_value){.type = kind->future, .address = address + offset};
	return true;
}

static bool find_future(const struct image *image, const struct rust_kind *kind,
	const struct rust_task *task, struct rust_value *ret_future)
{
	if (task->state & state_words[kind->runtime].ended)
		return false;
	return (kind->runtime == RUST_TOKIO ? find_in_cell : find_by_table)(
		image, kind, task->address, ret_future);
}

static enum frame_state state_of(const struct rust_kind *kind, uint64_t state)
{
	const struct state_word *word = &state_words[kind->runtime];

	if (state & word->ended)
		return FRAME_HAS_END;
	if (state & word->running)
		return FRAME_RUNS;
	return state & word->ready ? FRAME_IS_READY : FRAME_WAITS;
}

/* A thread runs one task at a time. */
static bool is_taken(const struct found *found, uint32_t thread)
{
	size_t i;

	for (i = 0; i < found->coroutines.count; i++)
		if (found->coroutines.at[i].state == FRAME_RUNS &&
			found->coroutines.at[i].thread == thread)
			return true;
	return false;
}

/*
 * The thread that has the task's address on its stack. A thread that runs another task may have it left in a frame of
 * a function that runs the tasks: the thread where it lies innermost is believed.
 */
static uint32_t thread_of(const struct rust_tasks *tasks, uint64_t task, const struct found *found)
{
	uint32_t i, innermost = FOUND_NO_THREAD;
	size_t count, j, least = STACK_WORDS;
	uint64_t words[STACK_WORDS];

	for (i = 0; i < tasks->image->threads.count; i++) {
		const struct found_thread *thread = found_thread_at(found, i);

		if (!thread || is_taken(found, i))
			continue;
		count = image_read(
				tasks->image, thread->first & ~UINT64_C(7), words, sizeof(words)) /
			WORD;
		for (j = 0; j < count && j < least; j++) {
			if (words[j] != task)
				continue;
			innermost = i;
			least = j;
		}
	}
	return innermost;
}

/* "poll<a::b::{async_fn_env#0}<u8>, S>" is told by its first argument. */
static uint32_t place_of_bare(struct found *found, const char *name)
{
	struct found_place place = {.file = "", .reason = ""};
	char words[256] = "a task of tokio";
	unsigned depth = 0;
	size_t i, start = strlen("poll<");

	for (i = start; name[0] && name[i] && (depth > 0 || name[i] != ','); i++) {
		depth += name[i] == '<' || name[i] == '(';
		depth -= depth > 0 && (name[i] == '>' || name[i] == ')');
	}
	if (name[0])
		snprintf(words, sizeof(words), "%.*s", (int)(i - start), name + start);
	place.function = found_text(found, words);
	return found_place(found, hash_bytes(HASH_START, words, strlen(words)) ^ 0x72, &place);
}

static void take_bare_task(
	struct rust_tasks *tasks, const struct rust_task *task, struct found *found)
{
	const struct rust_kind *kind = &tasks->kinds->kinds.at[task->kind];
	struct found_coroutine coroutine = {.address = task->address,
		.name = "",
		.state = state_of(kind, task->state),
		.thread = FOUND_NO_THREAD,
		.is_bare = true,
		.content = task->state};

	coroutine.function = place_of_bare(found, kind->name);
	coroutine.place = coroutine.function;
	if (coroutine.state == FRAME_RUNS)
		coroutine.thread = thread_of(tasks, task->address, found);
	found_coroutine(found, &coroutine);
}

static uint64_t bytes_of(const struct image *image, const struct rust_kind *kind)
{
	Dwarf_Die type = kind->task;
	Dwarf_Word bytes = 0;
	uint64_t word;

	if (kind->runtime == RUST_TOKIO)
		return dwarf_aggregate_size(&type, &bytes) == 0 ? bytes : 0;
	return image_read_word(image, kind->table + kind->layout, &word) &&
			       image_read_word(image, word + kind->bytes, &word)
		       ? word
		       : 0;
}

static void take_task(struct rust_tasks *tasks, const struct rust_task *task, struct found *found)
{
	const struct rust_kind *kind = &tasks->kinds->kinds.at[task->kind];
	struct found_coroutine coroutine = {.address = task->address,
		.name = "",
		.state = state_of(kind, task->state),
		.knot = tasks->kinds->waker_tables.count ? KNOT_WAKER : KNOT_UNKNOWN,
		.thread = FOUND_NO_THREAD};
	struct rust_value future = {.type = kind->future};

	coroutine.bytes = bytes_of(tasks->image, kind);
	coroutine.function = rust_chain_function(found, &future);
	if (find_future(tasks->image, kind, task, &future))
		rust_chain_tell(
			found, tasks->image, tasks->modules, &future, &coroutine, &tasks->objects);
	if (coroutine.state == FRAME_RUNS)
		coroutine.thread = thread_of(tasks, task->address, found);
	found_coroutine(found, &coroutine);
}

/* ---------------------------------------------------------------- what they await */

static void tell_object(
	const struct rust_tasks *tasks, const struct object_count *object, struct found *found)
{
	const struct rust_waiting *waiting = &tasks->objects.waiting.at[object->first];
	const struct rust_reading reading = {tasks->image, found->arena};
	struct text words = {0};
	size_t nr_before;

	object_counts_say(object, &found->places.at[waiting->place], &object_counts_await,
		rust_type_name(&waiting->object), &words);
	nr_before = words.length;
	if (!rust_awaited_say(&reading, &waiting->object, &words))
		found->is_out_of_memory = true;
	found_words_sight(found, &words, nr_before);
}

static void tell_objects(struct rust_tasks *tasks, struct found *found)
{
	struct object_counts *counts = &tasks->objects.counts;
	size_t i;

	object_counts_sort(counts);
	for (i = 0; i < counts->list.count && i < OBJECT_COUNTS_SAID; i++)
		tell_object(tasks, &counts->list.at[i], found);
	object_counts_fini(counts);
	vec_fini(&tasks->objects.waiting);
}

/* ---------------------------------------------------------------- the reader */

/* The library whose tasks the program could have; NULL: none. */
static const char *library_of(const struct rust_kinds *kinds)
{
	static const char *const libraries[] = {
#define X(name, library, module, method, wakers, scope, function, type) [RUST_##name] = library,
#include "frames/rust_runtimes.def"
#undef X
	};
	unsigned i;

	if (kinds->kinds.count > 0)
		return libraries[kinds->kinds.at[0].runtime];
	for (i = 0; i < RUST_RUNTIMES; i++)
		if (kinds->nr_without[i] > 0)
			return libraries[i];
	return NULL;
}

static void close_reader(struct found_reader *reader)
{
	rust_kinds_fini(&reader->kinds);
	rust_boxes_fini(&reader->boxes);
	free(reader);
}

static enum ct_status open_reader(struct image *image, const struct modules *modules,
	struct found_reader **ret_reader, struct ct_error *reterr)
{
	struct found_reader *reader = calloc(1, sizeof(*reader));
	enum ct_status status;

	if (!reader)
		return ct_fail_memory(reterr);
	reader->modules = modules;
	status = rust_kinds_find(&reader->kinds, image, modules, reterr);
	if (!status && !library_of(&reader->kinds))
		status = rust_boxes_find(&reader->boxes, image, modules, reterr);
	if (status)
		close_reader(reader);
	else
		*ret_reader = reader;
	return status;
}

static bool add_waker_tables(const struct rust_kinds *kinds, struct found *found)
{
	size_t i;

	for (i = 0; i < kinds->waker_tables.count; i++)
		if (!map_put(&found->waker_tables, kinds->waker_tables.at[i], 0))
			return false;
	return true;
}

static void note_left_out(const struct rust_tasks *tasks, struct found *found)
{
	found_note(found, tasks->nr_freed, false,
		"tasks of Rust lie in memory that is free again, and were left out");
	found_note(found, tasks->kinds->nr_without[RUST_TOKIO], true,
		"types of tasks of tokio have no debug information: only the states of such tasks "
		"are known, and not where they wait; build with debug = 2");
	found_note(found, tasks->kinds->nr_without[RUST_ASYNC_TASK], true,
		"types of tasks of async-task have no debug information, or are of a version "
		"before "
		"4.3: such tasks are not found; build with debug = 2");
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	struct rust_tasks tasks = {
		.kinds = &reader->kinds, .modules = reader->modules, .image = image};
	struct walk walk = {.take = look_for_tasks, .context = &tasks};
	bool is_well = true;
	size_t i;

	if (reader->kinds.by_table.count > 0)
		is_well = walk_memory(&walk, image) && leave_out_freed(&tasks);
	is_well = is_well && add_waker_tables(&reader->kinds, found);
	for (i = 0; is_well && i < tasks.tasks.count && !found->is_out_of_memory; i++) {
		bool is_bare = reader->kinds.kinds.at[tasks.tasks.at[i].kind].name != NULL;

		(is_bare ? take_bare_task : take_task)(&tasks, &tasks.tasks.at[i], found);
	}
	if (reader->boxes.kinds.count > 0)
		is_well = is_well && rust_boxes_look(&reader->boxes, image, reader->modules, found,
					     &tasks.objects);
	tell_objects(&tasks, found);
	rust_holds_link(found, image);
	note_left_out(&tasks, found);
	vec_fini(&tasks.tasks);
	return is_well ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status why_not(const struct found_reader *reader, char *words, size_t nr_bytes)
{
	const char *library = library_of(&reader->kinds);
	bool is_described = reader->kinds.kinds.count > 0;

	if (!library && reader->boxes.kinds.count == 0)
		return CT_OK;
	if (!library) {
		snprintf(words, nr_bytes,
			"the program has async functions of Rust, and none of them is in a box");
		return CT_ERR_NOT_FOUND;
	}
	snprintf(words, nr_bytes, "the program has tasks of %s, %s", library,
		is_described
			? "and none of them is alive"
			: "but no debug information says what is in them: build with debug = 2");
	return is_described ? CT_ERR_NOT_FOUND : CT_ERR_FORMAT;
}

const struct found_reader_ops found_rust = {open_reader, look, why_not, close_reader};
