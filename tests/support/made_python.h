/* SPDX-License-Identifier: MIT */
/*
 * A small interpreter of Python in memory, with two tasks: "parent", at line 12 of /app.py, gathers "child", which
 * waits for a lock at line 22. Its words can be made to change while they are read.
 */
#ifndef TESTS_MADE_PYTHON_H
#define TESTS_MADE_PYTHON_H

#include <stdlib.h>

#include "frames/python.h"

#define MADE_START UINT64_C(0x10000000)
#define MADE_BYTES 0xc000u
#define MADE_TASKS (MADE_START + 0x4000) /* behind the types */
#define MADE_STACK (MADE_START + 0x8000)
#define MADE_STACK_BYTES UINT64_C(0x4000)
#define MADE_TID 4711u
#define MADE_READY (UINT64_C(1) << 12)
#define MADE_STORES_MAX 64

#define must(condition)           \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* A word that changes, when the memory has been read so often. */
struct made_store {
	uint32_t after;
	uint32_t position;
	uint64_t word;
};

struct made_memory {
	uint8_t bytes[MADE_BYTES];
	size_t used;
	uint32_t nr_reads;
	struct made_store stores[MADE_STORES_MAX];
	size_t nr_stores;
};

struct made_python {
	struct image image;
	struct made_memory *memory;
	const struct python_layout *layout;
	uint64_t types[PYTHON_NR_TYPES];
	uint64_t parent, child, lock;
	uint64_t stack; /* of a thread; 0: none was made */
};

static const struct python_layout made_layouts[] = {
#define X(...) {__VA_ARGS__},
#include "frames/python_layouts.def"
#undef X
};
#define MADE_LAYOUTS (sizeof(made_layouts) / sizeof(*made_layouts))

/* ---------------------------------------------------------------- memory */

static inline size_t made_read(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	struct made_memory *memory = ((const struct made_python *)image)->memory;
	size_t i;

	(void)region;
	memory->nr_reads++;
	for (i = 0; i < memory->nr_stores; i++)
		if (memory->stores[i].after < memory->nr_reads)
			memcpy(memory->bytes + memory->stores[i].position, &memory->stores[i].word,
				sizeof(memory->stores[i].word));
	memcpy(bytes, memory->bytes + (address - MADE_START), nr_bytes);
	return nr_bytes;
}

static inline void made_close(struct image *image)
{
	free(((struct made_python *)image)->memory);
}

static inline uint64_t made_room(struct made_python *made, size_t nr_bytes)
{
	uint64_t address = MADE_START + made->memory->used;

	made->memory->used += (nr_bytes + 15) / 16 * 16;
	must(MADE_START + made->memory->used <= MADE_STACK);
	return address;
}

static inline void made_bytes(
	struct made_python *made, uint64_t address, const void *bytes, size_t nr_bytes)
{
	memcpy(made->memory->bytes + (address - MADE_START), bytes, nr_bytes);
}

static inline void made_word(
	struct made_python *made, uint64_t object, uint32_t offset, uint64_t word)
{
	made_bytes(made, object + offset, &word, sizeof(word));
}

static inline void made_number(
	struct made_python *made, uint64_t object, uint32_t offset, uint32_t number)
{
	made_bytes(made, object + offset, &number, sizeof(number));
}

/* ---------------------------------------------------------------- objects */

/* An object in use: it has a reference, and the collector's list in front. */
static inline uint64_t made_object(struct made_python *made, enum python_type type, size_t nr_bytes)
{
	uint64_t object = made_room(made, nr_bytes + 16) + 16;

	made_word(made, object - 16, 0, MADE_START);
	made_word(made, object, 0, 1);
	made_word(made, object, 8, made->types[type]);
	return object;
}

static inline uint64_t made_text(struct made_python *made, const char *text)
{
	uint64_t object = made_object(made, PYTHON_TEXT, made->layout->ascii + strlen(text) + 1);

	made_word(made, object, 16, strlen(text));
	made_number(made, object, 32, 1u << 2 | 1u << 5 | 1u << 6); /* kind 1, compact, ASCII */
	made_bytes(made, object + made->layout->ascii, text, strlen(text));
	return object;
}

static inline uint64_t made_tuple(struct made_python *made, uint64_t item)
{
	uint64_t object = made_object(made, PYTHON_TUPLE, made->layout->items + 8);

	made_word(made, object, 16, 1);
	made_word(made, object, made->layout->items, item);
	return object;
}

/* Two instructions, of which the second one is a line below the first. */
static inline uint64_t made_code(
	struct made_python *made, const char *name, const char *file, uint32_t first_line)
{
	static const uint8_t table[] = {0x80 | 13 << 3, 0, 0x80 | 11 << 3, 0, 0};
	const struct python_layout *layout = made->layout;
	uint64_t code = made_object(made, PYTHON_CODE, layout->instructions + 8);
	uint64_t lines = made_object(made, PYTHON_OTHER, 32 + sizeof(table));

	made_word(made, lines, 16, sizeof(table));
	made_bytes(made, lines + 32, table, sizeof(table));
	made_number(made, code, layout->first_line, first_line);
	made_number(made, code, layout->nr_locals, 1);
	made_word(made, code, layout->file, made_text(made, file));
	made_word(made, code, layout->name, made_text(made, name));
	made_word(made, code, layout->lines, lines);
	return code;
}

/* A coroutine that is suspended at its second instruction, and awaits an object. */
static inline uint64_t made_coroutine(
	struct made_python *made, uint64_t code, uint64_t local, uint64_t awaited)
{
	const struct python_layout *layout = made->layout;
	uint64_t object = made_object(made, PYTHON_COROUTINE, layout->coroutine_bytes + 16);
	uint64_t frame = object + layout->frame;
	uint64_t tag = layout->height_form == PYTHON_HEIGHT_ADDRESS; /* borrowed */

	made->memory->bytes[object - MADE_START + layout->frame_state] = (uint8_t)-1;
	made_word(made, frame, layout->code, code | tag);
	made_word(made, frame, layout->instruction, code + layout->instructions + 2);
	if (layout->height_form == PYTHON_HEIGHT_NUMBER)
		made_number(made, frame, layout->height, 2);
	else
		made_word(made, frame, layout->height, frame + layout->locals + 16);
	made_word(made, frame, layout->locals, local);
	made_word(made, frame, layout->locals + 8, awaited | tag);
	return object;
}

static inline uint64_t made_task(
	struct made_python *made, const char *name, uint64_t coroutine, uint64_t waiter)
{
	const struct python_layout *layout = made->layout;
	uint64_t object = made_object(made, PYTHON_TASK, layout->task_bytes);

	made_word(made, object, 16, coroutine); /* its loop: any object */
	made_word(made, object, layout->task_coroutine, coroutine);
	made_word(made, object, layout->task_name, made_text(made, name));
	made_word(made, object, layout->task_waiter, waiter);
	return object;
}

static inline uint64_t made_future(struct made_python *made)
{
	return made_object(made, PYTHON_FUTURE, made->layout->task_bytes);
}

/* ---------------------------------------------------------------- the whole */

static inline void made_type(
	struct made_python *made, enum python_type type, const char *name, bool is_static)
{
	uint64_t address = made->types[type], text = made_room(made, strlen(name) + 1);

	made_bytes(made, text, name, strlen(name));
	made_word(made, address, 0, 1);
	made_word(made, address, 8, made->types[PYTHON_TYPE]);
	made_word(made, address, 24, text);
	made_word(made, address, 168, MADE_READY | (is_static ? 0 : 1u << 9));
	if (type == PYTHON_COROUTINE)
		made_word(made, address, 32, made->layout->coroutine_bytes);
	if (type == PYTHON_TASK)
		made_word(made, address, 32, made->layout->task_bytes);
}

static inline void made_types(struct made_python *made)
{
	size_t i;

	made_room(made, 64);
	for (i = 0; i < PYTHON_NR_TYPES; i++)
		made->types[i] = made_room(made, 272);
#define X(NAME, name, is_static) made_type(made, PYTHON_##NAME, name, is_static);
#include "frames/python_types.def"
#undef X
}

static inline void made_tasks(struct made_python *made)
{
	uint64_t gathered = made_future(made), waiter = made_future(made);
	uint64_t wrapper = made_object(made, PYTHON_COROUTINE_WRAPPER, 24);
	uint64_t cell = made_object(made, PYTHON_CELL, 24);
	uint64_t callback = made_object(made, PYTHON_FUNCTION, 80);
	uint64_t inner, outer;

	made->lock = made_object(made, PYTHON_OTHER, 24);
	inner = made_coroutine(made,
		made_code(made, "Lock.acquire", "/usr/lib/python3.11/asyncio/locks.py", 100),
		made->lock, waiter);
	outer = made_coroutine(made, made_code(made, "child", "/app.py", 21), 0, wrapper);
	made_word(made, wrapper, 16, inner);
	made->child = made_task(made, "child", outer, waiter);
	outer = made_coroutine(made, made_code(made, "parent", "/app.py", 11), 0, gathered);
	made->parent = made_task(made, "parent", outer, gathered);
	made_word(made, cell, 16, gathered);
	made_word(made, callback, 72, made_tuple(made, cell));
	made_word(made, made->child, 24, callback);
}

/* A thread that is in inner, which outer calls: their frames, and the thread's state, which leads to them. */
static inline void made_thread(struct made_python *made)
{
	static const char *const names[] = {"outer", "inner"};
	const struct python_layout *layout = made->layout;
	struct image_thread thread = {.tid = MADE_TID, .name = "worker"};
	uint64_t state = made_room(made, 128), frame = MADE_STACK + 24 + 8;
	size_t i;

	made->stack = MADE_STACK;
	for (i = 0; i < 2; i++, frame += layout->locals + 8) {
		uint64_t code = made_code(made, names[i], "/app.py", 31 + 10 * (uint32_t)i);

		made_word(made, frame, layout->code, code);
		made_word(made, frame, layout->instruction, code + layout->instructions + 2);
	}
	made_word(made, MADE_STACK, 8, MADE_STACK_BYTES);
	made_word(made, state, 0, MADE_TID);
	made_word(made, state, 64, MADE_STACK);
	made_word(made, state, 72, frame);
	made_word(made, state, 80, MADE_STACK + MADE_STACK_BYTES);
	must(vec_push(&made->image.threads, thread));
}

/* No task is left that waits. */
static inline void made_ended(struct made_python *made)
{
	made_number(made, made->parent, made->layout->task_state, 2);
	made_number(made, made->child, made->layout->task_state, 2);
}

/* Memory behind the types looks like the pools of Python's own allocator, with objects of one size. */
static inline void made_pools(struct made_python *made, uint32_t size)
{
	struct image_region tasks = made->image.regions.at[0];
	uint64_t pool;

	made->image.regions.at[0].end = tasks.start = MADE_TASKS;
	made->image.regions.at[0].core_bytes = MADE_TASKS - MADE_START;
	tasks.core_bytes = MADE_BYTES - (MADE_TASKS - MADE_START);
	tasks.path = "";
	must(image_add_region(&made->image, &tasks));
	for (pool = MADE_TASKS; pool < MADE_START + MADE_BYTES; pool += 16384) {
		made_word(made, pool, 0, 1);
		made_number(made, pool, 36, size % 32);
		made_number(made, pool, 40, 16384);
		made_number(made, pool, 44, 16384 - (size % 32 + 1) * 16);
	}
}

static inline void made_python(struct made_python *made, const struct python_layout *layout)
{
	static const struct image_ops ops = {.read = made_read, .close = made_close};
	struct image_region region = {
		.start = MADE_START, .end = MADE_START + MADE_BYTES, .path = "/python"};

	memset(made, 0, sizeof(*made));
	image_init(&made->image, &ops);
	made->memory = calloc(1, sizeof(*made->memory));
	must(made->memory != NULL);
	made->layout = layout;
	region.is_writable = true;
	region.core_bytes = MADE_BYTES;
	must(image_add_region(&made->image, &region));
	made_types(made);
	made->memory->used = MADE_TASKS - MADE_START + 64;
	made_tasks(made);
}

#endif
