/* SPDX-License-Identifier: MIT */
/* Follows the coroutines of a task (python_tasks.h). */
#include "corotracer/ctp.h"
#include "frames/python_tasks.h"

#define OBJECT_BYTES 16u      /* of the head of an object; many begin with the one that they wrap */
#define COROUTINE_READ 1024u  /* bytes of a coroutine, with its frame and locals, read at once */
#define SOCKET_DESCRIPTOR 16u /* in an object of _socket.socket */
#define METHOD_FUNCTION 16u   /* in a bound method */
#define METHOD_SELF 24u
#define FUNCTION_NAME 32u
#define HEIGHT_MAX 65536 /* of a frame's stack */

/* ---------------------------------------------------------------- one coroutine */

struct suspended {
	int state; /* below 0: suspended, 0: runs, above: has ended */
	struct python_call call;
	uint64_t awaited; /* on top of the frame's stack; 0: nothing */
};

static uint64_t local_at(const struct python *python, uint64_t address, const uint8_t *bytes,
	size_t nr_bytes, uint32_t index)
{
	uint32_t offset = python->layout->frame + python->layout->locals + index * 8;
	uint64_t word = 0;

	if (offset + sizeof(word) <= nr_bytes)
		return python_value(python_word(bytes, offset));
	image_read_word(python->image, address + offset, &word);
	return python_value(word);
}

/*
 * The object that a value leaves by its method for that, which a frame keeps on its stack meanwhile; 0: none. Since
 * Python 3.14 it keeps the function, and the object as the next value.
 */
static uint64_t entered_by(struct python *python, uint64_t value, uint64_t next)
{
	uint64_t function = value, name = 0, object = next;
	const char *text;

	if (python_type_of(python, value) == PYTHON_METHOD) {
		image_read_word(python->image, value + METHOD_FUNCTION, &function);
		image_read_word(python->image, value + METHOD_SELF, &object);
	}
	if (python_type_of(python, function) != PYTHON_FUNCTION)
		return 0;
	image_read_word(python->image, function + FUNCTION_NAME, &name);
	text = python_text(python, name);
	return strcmp(text, "__aexit__") == 0 || strcmp(text, "__exit__") == 0 ? object : 0;
}

/* What the frame's stack holds above the locals, but the topmost value. */
static void take_entered(struct python *python, const uint8_t *bytes, size_t nr_bytes,
	uint32_t nr_locals, uint32_t height, struct python_call *call)
{
	uint32_t i;

	for (i = nr_locals; i + 1 < height && call->nr_entered < CHAIN_ENTERED; i++) {
		uint64_t object =
			entered_by(python, local_at(python, call->address, bytes, nr_bytes, i),
				local_at(python, call->address, bytes, nr_bytes, i + 1));

		if (object)
			call->entered[call->nr_entered++] = object;
	}
}

/* A coroutine ends with its frame: what that holds besides, then its locals, and the values that it computes with. */
static uint32_t bytes_of(const struct python_layout *layout, const struct python_code *code)
{
	uint64_t nr = (uint64_t)code->nr_locals + code->nr_values;

	return nr < HEIGHT_MAX ? layout->frame + layout->locals + (uint32_t)nr * 8 : 0;
}

/* How many locals and values a coroutine's frame has. */
static uint32_t height_of(const struct python_layout *layout, uint64_t word, uint64_t address)
{
	uint64_t height = (word - address - layout->frame - layout->locals) / 8;

	if (layout->height_form == PYTHON_HEIGHT_NUMBER)
		return (uint32_t)word;
	return height < HEIGHT_MAX ? (uint32_t)height : HEIGHT_MAX;
}

static bool read_coroutine(struct python *python, uint64_t address, struct suspended *ret)
{
	const struct python_layout *layout = python->layout;
	uint8_t bytes[COROUTINE_READ];
	size_t nr = image_read(python->image, address, bytes, sizeof(bytes));
	const struct python_code *code;
	uint64_t instruction;
	uint32_t height, i;

	memset(ret, 0, sizeof(*ret));
	if (nr < layout->frame + layout->locals)
		return false;
	ret->call.address = address;
	ret->state = (int8_t)bytes[layout->frame_state];
	if (ret->state > 0)
		return true;
	ret->call.code = python_value(python_word(bytes, layout->frame + layout->code));
	code = python_code_at(python, ret->call.code);
	if (!code)
		return false;
	instruction = python_word(bytes, layout->frame + layout->instruction);
	ret->call.line = python_code_line(code->table, code->table_bytes, code->first_line,
		instruction - ret->call.code - layout->instructions);
	ret->call.bytes = bytes_of(layout, code);
	for (i = 0; i < CHAIN_LOCALS && i < code->nr_locals; i++)
		ret->call.locals[i] = local_at(python, address, bytes, nr, i);
	height = height_of(layout, python_word(bytes, layout->frame + layout->height), address);
	if (ret->state < 0 && height > code->nr_locals && height < HEIGHT_MAX) {
		ret->awaited = local_at(python, address, bytes, nr, height - 1);
		take_entered(python, bytes, nr, code->nr_locals, height, &ret->call);
	}
	return true;
}

/* ---------------------------------------------------------------- the row of them */

/* Objects that stand between two coroutines have the second one as their first member. */
static uint64_t wrapped_by(const struct python *python, uint64_t object)
{
	uint64_t inner = 0;

	image_read_word(python->image, object + OBJECT_BYTES, &inner);
	return inner;
}

static bool is_coroutine(enum python_type type)
{
	return type == PYTHON_COROUTINE || type == PYTHON_GENERATOR ||
	       type == PYTHON_ASYNC_GENERATOR;
}

static bool is_wrapper(enum python_type type)
{
	return type == PYTHON_ASYNC_SEND || type == PYTHON_ASYNC_THROW ||
	       type == PYTHON_ASYNC_NEXT || type == PYTHON_COROUTINE_WRAPPER ||
	       type == PYTHON_FUTURE_ITERATOR || type == PYTHON_STEPS;
}

/* Returns the coroutine that an object is, or wraps; 0, and *ret_last: it is none. */
static uint64_t coroutine_of(const struct python *python, uint64_t object, uint64_t *ret_last)
{
	unsigned steps;

	for (steps = 0; object && steps < CHAIN_MAX; steps++) {
		enum python_type type = python_type_of(python, object);

		if (is_coroutine(type))
			return object;
		*ret_last = object;
		if (!is_wrapper(type))
			return 0;
		object = wrapped_by(python, object);
	}
	return 0;
}

void python_chain_read(struct python *python, uint64_t coroutine, struct python_chain *ret_chain)
{
	struct suspended one;

	memset(ret_chain, 0, sizeof(*ret_chain));
	coroutine = coroutine_of(python, coroutine, &ret_chain->awaited);
	while (coroutine && ret_chain->count < CHAIN_MAX &&
		read_coroutine(python, coroutine, &one)) {
		if (ret_chain->count == 0) {
			ret_chain->has_ended = one.state > 0;
			ret_chain->runs = one.state == 0;
			ret_chain->is_created = one.state == python->layout->created;
		}
		if (one.state > 0)
			return;
		ret_chain->at[ret_chain->count++] = one.call;
		coroutine = coroutine_of(python, one.awaited, &ret_chain->awaited);
	}
}

/* ---------------------------------------------------------------- whose code */

/* "/usr/lib/python3.11/asyncio/locks.py" */
bool python_is_of_asyncio(const char *file)
{
	const char *library = strstr(file, "/lib/python3");
	const char *folder = library ? strchr(library + strlen("/lib/"), '/') : NULL;

	return folder && strncmp(folder, "/asyncio/", strlen("/asyncio/")) == 0;
}

/* ---------------------------------------------------------------- resources */

static const struct {
	const char *function;
	unsigned resource;
	uint32_t local;
	unsigned end;
} resources[] = {
#define X(function, RESOURCE, local, end) {function, CTP_RESOURCE_##RESOURCE, local, end},
#include "frames/python_resources.def"
#undef X
};

static uint64_t handle_of(const struct python *python, unsigned resource, uint64_t object)
{
	int32_t descriptor;

	if (!object || resource != CTP_RESOURCE_DESCRIPTOR)
		return object ? CTP_HANDLE(resource, object) : 0;
	if (python_type_of(python, object) != PYTHON_SOCKET ||
		image_read(python->image, object + SOCKET_DESCRIPTOR, &descriptor,
			sizeof(descriptor)) != sizeof(descriptor) ||
		descriptor < 0)
		return 0;
	return CTP_HANDLE(resource, (uint32_t)descriptor);
}

static uint64_t resource_of(
	const struct python *python, const char *name, const struct python_call *call)
{
	size_t i;

	for (i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		uint64_t handle;

		if (strcmp(name, resources[i].function) != 0)
			continue;
		handle = handle_of(python, resources[i].resource, call->locals[resources[i].local]);
		return handle ? handle + resources[i].end : 0;
	}
	return 0;
}

uint64_t python_chain_resource(
	struct python *python, const struct python_chain *chain, uint64_t waiter)
{
	uint32_t i;

	for (i = chain->count; i-- > 0;) {
		const struct python_code *code = python_code_at(python, chain->at[i].code);
		uint64_t handle;

		if (!code || !python_is_of_asyncio(code->file))
			return 0;
		if (strcmp(code->name, "sleep") == 0)
			return CTP_HANDLE(CTP_RESOURCE_TIMER, waiter);
		handle = resource_of(python, code->name, &chain->at[i]);
		if (handle)
			return handle;
	}
	return 0;
}
